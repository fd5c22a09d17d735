// Packs the package for npm without what only the project needs: scripts and development dependencies. npm warns who installs a
// package with scripts that it does not run.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {readPackage, root} from '../surface.ts'

const projectFields = new Set(['scripts', 'devDependencies', 'overrides', 'allowScripts'])

function describePackage(): Record<string, unknown> {
  const fields = readPackage() as unknown as Record<string, unknown>
  const pages = fs.readdirSync(path.join(root, 'dist/man/man1')).toSorted()
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !projectFields.has(name))),
    man: pages.map((name) => `./dist/man/man1/${name}`),
  }
}

// Returns the name of the tarball in `target`. `folder` is for files on the way.
export function packForNpm(folder: string, target: string): string {
  const {files = []} = readPackage() as {files?: string[]}
  const leftOut = new Set(files.filter((name) => name.startsWith('!')).map((name) => path.join(root, name.slice(1))))
  for (const name of [...files.filter((each) => !each.startsWith('!')), 'README.md']) {
    const filter = (source: string) => !leftOut.has(source)
    fs.cpSync(path.join(root, name), path.join(folder, name), {recursive: true, filter})
  }
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(describePackage(), null, 2)}\n`)
  const options = {cwd: folder, env: {...process.env, npm_config_loglevel: 'error'}}
  return execFileSync('npm', ['pack', '--silent', '--pack-destination', target], options).toString().trim()
}
