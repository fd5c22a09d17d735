// Which tests need a program that this machine may lack. CI installs all of them (.ci/run): there
// such a test runs, and fails without it.
import fs from 'node:fs'
import path from 'node:path'

const isInstalled = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, name)))

export const expectsProgram = (name: string): boolean => process.env['CI'] === 'true' || isInstalled(name)
