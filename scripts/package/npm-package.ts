// Packs the package for npm without what only the project needs: scripts and development dependencies. npm warns who installs a
// package with scripts that it does not run.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {readPackage, root} from '../surface.ts'

const projectFields = new Set(['scripts', 'devDependencies', 'overrides', 'allowScripts'])

const describePackage = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(readPackage()).filter(([name]) => !projectFields.has(name)))

// Returns the name of the tarball in `target`. `folder` is for files on the way.
export function packForNpm(folder: string, target: string): string {
  const {files = []} = readPackage() as {files?: string[]}
  for (const name of [...files, 'README.md']) {
    fs.cpSync(path.join(root, name), path.join(folder, name), {recursive: true})
  }
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(describePackage(), null, 2)}\n`)
  const options = {cwd: folder, env: {...process.env, npm_config_loglevel: 'error'}}
  return execFileSync('npm', ['pack', '--silent', '--pack-destination', target], options).toString().trim()
}
