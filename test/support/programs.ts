// Which programs this machine has, for tests that are skipped without them.
import fs from 'node:fs'
import path from 'node:path'

export const hasProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, name)))
