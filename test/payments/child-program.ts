// Bundles the child process of the tests once per test file: a bundle starts much faster than the source.
import path from 'node:path'
import {build} from 'rolldown'
import {frozen} from '../../scripts/frozen.ts'

export async function buildChild(folder: string): Promise<string> {
  await build({
    input: path.join(import.meta.dirname, 'child.ts'),
    platform: 'node',
    // Loaded only to read a credential from the keychain, which the child never does.
    external: ['@napi-rs/keyring'],
    plugins: [frozen],
    output: {dir: folder, format: 'esm', entryFileNames: 'child.mjs', chunkFileNames: '[name].mjs'},
    logLevel: 'silent',
  })
  return path.join(folder, 'child.mjs')
}
