// The OpenAPI document of control: valid for a public linter, complete, and open to tools without a token.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {buildControlDocument} from '../../../src/sandbox/control/openapi.ts'
import {operations} from '../../../src/sandbox/control/operations.ts'
import {root, temporaryFolder} from '../../support/svc.ts'
import {serveTemporary} from '../server/serving.ts'

const execute = promisify(execFile)

describe('the OpenAPI document of control', () => {
  const document = buildControlDocument('https://sandbox.service.invalid')

  it('passes a public linter without an error or a warning', async () => {
    const file = path.join(temporaryFolder(), 'openapi.json')
    fs.writeFileSync(file, JSON.stringify(document))
    const linter = path.join(root, 'node_modules/.bin/redocly')
    const {stdout, stderr} = await execute(linter, ['lint', file, '--format', 'json'], {
      env: {...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true'},
    })
    expect(`${stdout}${stderr}`).toContain('"totals"')
    expect((JSON.parse(stdout) as {totals: unknown}).totals).toMatchObject({errors: 0, warnings: 0})
  })

  it('has an operation for every row of the table', () => {
    const documented = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
    )
    const expected = Object.entries(operations).map(([name, {method}]) => `${method} /${name.replaceAll('.', '/')}`)
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
