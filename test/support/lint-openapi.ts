// Reads an OpenAPI document with a public linter, and counts what it finds.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {expect} from 'vitest'
import {root, temporaryFolder} from './svc.ts'

const execute = promisify(execFile)

export async function lintOpenApi(document: object): Promise<unknown> {
  const file = path.join(temporaryFolder(), 'openapi.json')
  fs.writeFileSync(file, JSON.stringify(document))
  const linter = path.join(root, 'node_modules/.bin/redocly')
  const {stdout, stderr} = await execute(linter, ['lint', file, '--format', 'json'], {
    env: {...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true'},
  })
  expect(`${stdout}${stderr}`).toContain('"totals"')
  return (JSON.parse(stdout) as {totals: unknown}).totals
}
