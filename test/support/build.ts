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
  const folders = {
    programs: getProgramsFolder(temporary, process.pid),
    postgres: getPostgresFolder(temporary, process.pid),
  }
  // A run that was killed may have left folders behind, and this process may have been given its number.
  for (const folder of Object.values(folders)) fs.rmSync(folder, {recursive: true, force: true})
  return async () => {
    fs.rmSync(folders.programs, {recursive: true, force: true})
    await stopPostgres(folders.postgres)
  }
}
