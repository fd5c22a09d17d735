// A public linter finds nothing in the OpenAPI documents of the service and of the sandbox's control.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {buildOpenApiDocument} from '../../src/contract/openapi.ts'
import {buildControlDocument} from '../../src/sandbox/operations/openapi.ts'
import {root, temporaryFolder} from '../support/svc.ts'

const serverUrl = 'https://api.service.invalid'

it.each([
  ['service', buildOpenApiDocument(serverUrl)],
  ['control', buildControlDocument(serverUrl)],
])('lints the document of the %s', (_, document) => {
  const file = path.join(temporaryFolder(), 'openapi.json')
  fs.writeFileSync(file, JSON.stringify(document))
  const env = {...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true'}
  const linter = path.join(root, 'node_modules/.bin/redocly')
  const told = execFileSync(linter, ['lint', file, '--format', 'json'], {env, encoding: 'utf8'})
  expect((JSON.parse(told) as {totals: unknown}).totals).toMatchObject({errors: 0, warnings: 0})
})
