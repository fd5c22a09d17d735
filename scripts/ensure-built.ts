// Builds the program if the sources are newer than the last build.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const built = path.join(root, 'dist/start.cjs')
const sources = ['src/**/*.ts', 'scripts/*.ts', 'package.json', 'package-lock.json']

const modifiedMs = (file: string) => fs.statSync(file, {throwIfNoEntry: false})?.mtimeMs ?? 0

function isBuilt(): boolean {
  const builtMs = modifiedMs(built)
  // A folder is newer than the build when a file in it was added, renamed or removed.
  const files = fs.globSync([...sources, 'src/**/'], {cwd: root})
  return files.every((file) => modifiedMs(path.join(root, file)) < builtMs)
}

export function ensureBuilt(): void {
  if (!isBuilt()) execFileSync(process.execPath, [path.join(root, 'scripts/build.ts')], {stdio: 'inherit'})
}

if (import.meta.main) ensureBuilt()
