// Before the tests, builds the program that some of them spawn, if the sources are newer than the last build. After them,
// removes the programs that were bundled for them.
import fs from 'node:fs'
import os from 'node:os'
import type {TestProject} from 'vitest/node'
import {ensureBuilt} from '../../scripts/ensure-built.ts'
import {getProgramsFolder} from './programs-folder.ts'

export function setup({config}: TestProject): () => void {
  ensureBuilt()
  const programs = getProgramsFolder(config.env['TMPDIR'] ?? os.tmpdir(), process.pid)
  return () => fs.rmSync(programs, {recursive: true, force: true})
}
