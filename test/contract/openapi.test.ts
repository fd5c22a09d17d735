// The OpenAPI document: generated from the contract, and valid for a public linter.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {buildOpenApiDocument} from '../../src/contract/openapi.ts'
import {root, temporaryFolder} from '../support/svc.ts'

const execute = promisify(execFile)

describe('the OpenAPI document', () => {
  const document = buildOpenApiDocument('https://api.service.invalid', '1.0.0')

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

  it('has an operation for every endpoint, and both paths of the customer read', () => {
    const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((m) => `${m} ${at}`),
    )
    expect(operations).toHaveLength(endpointEntries.length + 1)
    expect(operations).toContain('get /customer/{customerId}')
  })

  it('is OpenAPI 3.1 with the event as a webhook', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.webhooks)).toEqual(['customer.updated'])
  })
})
