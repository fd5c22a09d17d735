// Builds the single executable of a platform: Node with svc inside, by Node's own means (docs: "Single executable applications").
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {parseSync} from 'rolldown/experimental'
import {readPackage, root} from '../surface.ts'
import {type Platform, readNode} from './platforms.ts'

const scripts = ['bin/run.js', 'dist/*.cjs']
const otherFiles = ['dist/build.json', 'oclif.manifest.json', 'dist/licenses.txt', 'docs/**/*.md']

const listFiles = (patterns: readonly string[]) =>
  fs
    .globSync(patterns, {cwd: root})
    .map((name) => name.split(path.sep).join('/'))
    .toSorted()

const blobName = 'svc.blob'

// Where a script calls `import()`. A script inside of the executable cannot: Node would search on disk.
function findImports(name: string, source: string): number[] {
  if (!source.includes('import(')) return []
  const found: number[] = []
  const visit = (node: unknown) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    const {type, start} = node as {type?: string; start?: number}
    if (type === 'ImportExpression' && start !== undefined) found.push(start)
    Object.values(node).forEach(visit)
  }
  visit(parseSync(name, source, {sourceType: 'commonjs'}).program)
  return found.toSorted((a, b) => b - a)
}

// `import(…)` becomes `$import(…)`, which executable-main.cjs defines.
function replaceImports(name: string, source: string): string {
  let replaced = source.replace(/^#!.*/, '')
  for (const at of findImports(name, replaced)) replaced = `${replaced.slice(0, at)}$${replaced.slice(at)}`
  return replaced
}

function writeFile(folder: string, name: string, content: string | Buffer): void {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), {recursive: true})
  fs.writeFileSync(file, content)
}

// Writes the blob that Node finds inside of the executable.
function prepareBlob(folder: string): string {
  const scriptNames = listFiles(scripts)
  const fileNames = listFiles(otherFiles)
  for (const name of scriptNames) {
    writeFile(folder, name, replaceImports(name, fs.readFileSync(path.join(root, name), 'utf8')))
  }
  for (const name of fileNames) writeFile(folder, name, fs.readFileSync(path.join(root, name)))
  writeFile(folder, 'package.json', JSON.stringify({name: 'svc', version: readPackage().version}))
  writeFile(folder, 'main.cjs', fs.readFileSync(path.join(root, 'scripts/package/executable-main.cjs')))
  const assets = ['package.json', ...scriptNames, ...fileNames]
  const settings = {
    main: 'main.cjs',
    output: blobName,
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(assets.map((name) => [name, name])),
  }
  writeFile(folder, 'sea.json', JSON.stringify(settings))
  execFileSync(process.execPath, ['--experimental-sea-config', 'sea.json'], {cwd: folder, env: {}, stdio: 'pipe'})
  return path.join(folder, blobName)
}

// Node's own name of the blob, and the text in its binary that says whether there is one.
const resourceName = 'NODE_SEA_BLOB'
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const injector = path.join(root, 'node_modules/postject/dist/cli.js')

// `folder` is for files on the way.
export function buildExecutable(platform: Platform, folder: string): Buffer {
  fs.mkdirSync(folder, {recursive: true})
  const blob = prepareBlob(folder)
  const file = path.join(folder, 'svc')
  fs.writeFileSync(file, readNode(platform), {mode: 0o755})
  // It warns about sections whose names it does not know, which does no harm.
  execFileSync(process.execPath, [injector, file, resourceName, blob, '--sentinel-fuse', sentinelFuse], {stdio: 'pipe'})
  return fs.readFileSync(file)
}
