// Before the tests, builds the program that some of them spawn, if the sources are newer than the last build. After them,
// removes the programs that were bundled for them, and ends the PostgreSQL server if one was started.
import fs from 'node:fs'
import os from 'node:os'
import type {TestProject} from 'vitest/node'
import {ensureBuilt} from '../../scripts/ensure-built.ts'
import {getPostgresFolder, stopPostgres} from './postgres-folder.ts'
import {getProgramsFolder} from './programs-folder.ts'

export function setup({config}: TestProject): () => Promise<void> {
  ensureBuilt()
  const temporary = config.env['TMPDIR'] ?? os.tmpdir()
  return async () => {
    fs.rmSync(getProgramsFolder(temporary, process.pid), {recursive: true, force: true})
    await stopPostgres(getPostgresFolder(temporary, process.pid))
  }
}
