// The OpenAPI document of control: complete, and open to tools without a token.
import {describe, expect, it} from 'vitest'
import {buildControlDocument} from '../../../src/sandbox/operations/openapi.ts'
import {getMethod} from '../../../src/sandbox/operations/define.ts'
import {operations} from '../../../src/sandbox/operations/operations.ts'
import {serveTemporary} from '../http/serving.ts'

describe('the OpenAPI document of control', () => {
  const document = buildControlDocument('https://sandbox.service.invalid')

  it('has an operation for every row of the table', () => {
    const documented = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
    )
    const expected = Object.entries(operations).map(
      ([name, operation]) => `${getMethod(operation)} /${name.replaceAll('.', '/')}`,
    )
    expect(documented).toEqual(expected)
  })

  it('is served without a token, and names its server', async () => {
    const {url, control} = await serveTemporary()
    expect(control.controlUrl).toBe(`${url}/_sandbox/v1`)
    expect(control.controlOpenapiUrl).toBe(`${url}/_sandbox/v1/openapi.json`)
    const reply = await fetch(control.controlOpenapiUrl)
    expect(reply.status).toBe(200)
    const text = await reply.text()
    expect(JSON.parse(text)).toMatchObject({openapi: '3.1.0', servers: [{url: control.controlUrl}]})
    expect(text).not.toContain(control.controlToken)
  })
})
