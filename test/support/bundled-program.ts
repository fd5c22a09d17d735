// Bundles a program of the tests once per process: a bundle starts much faster than its sources.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {build} from 'rolldown'
import {frozen} from '../../scripts/frozen.ts'
import {getProgramsFolder} from './programs-folder.ts'

async function bundle(source: string): Promise<string> {
  // The workers' parent removes it when all tests have run.
  const shared = getProgramsFolder(os.tmpdir(), process.ppid)
  fs.mkdirSync(shared, {recursive: true})
  const folder = fs.mkdtempSync(path.join(shared, 'program-'))
  await build({
    input: source,
    platform: 'node',
    // It has a part for each platform, which cannot be bundled.
    external: ['@napi-rs/keyring'],
    plugins: [frozen],
    output: {dir: folder, format: 'esm', entryFileNames: 'program.mjs', chunkFileNames: '[name].mjs'},
    logLevel: 'silent',
  })
  return path.join(folder, 'program.mjs')
}

const bundles = new Map<string, Promise<string>>()

// Returns the file of the bundle. The source is a file name, or a URL as import.meta.url gives it.
export function bundleProgram(source: string | URL): Promise<string> {
  const file = typeof source === 'string' ? source : source.pathname
  const bundled = bundles.get(file) ?? bundle(file)
  bundles.set(file, bundled)
  return bundled
}
