// Copies of a seeded sandbox, because seeding a new one takes twenty times as long as copying it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {createRandomSeed, deriveApiKey} from '../../src/sandbox/store/ids.ts'

const templates = new Map<number | undefined, Buffer>()

// One for each worker and each time at which the clock is frozen. Without a time, the clock runs.
function readTemplate(frozenAt: Date | undefined): Buffer {
  const known = templates.get(frozenAt?.getTime())
  if (known) return known
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-template-'))
  const file = path.join(folder, 'sandbox.sqlite')
  openSandbox({file, frozenAt}).close()
  const template = fs.readFileSync(file)
  fs.rmSync(folder, {recursive: true})
  templates.set(frozenAt?.getTime(), template)
  return template
}

// Creates a sandbox with the demo data and a seed of its own, like a new one.
export function copySeededSandbox(file: string, frozenAt?: Date): void {
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  fs.writeFileSync(file, readTemplate(frozenAt), {mode: 0o600, flag: 'wx'})
  const database = new DatabaseSync(file)
  const seed = createRandomSeed()
  database.prepare('update sandbox set seed = ?, apiKey = ?').run(seed, deriveApiKey(seed))
  database.close()
}
