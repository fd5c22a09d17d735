// Builds the program of a paying process for the tests, once for a file of them: it starts far faster than its source.
import path from 'node:path'
import {build} from 'rolldown'
import {frozen} from '../../scripts/frozen.ts'

export async function buildChild(folder: string): Promise<string> {
  await build({
    input: path.join(import.meta.dirname, 'child.ts'),
    platform: 'node',
    plugins: [frozen],
    output: {dir: folder, format: 'esm', entryFileNames: 'child.mjs', chunkFileNames: '[name].mjs'},
    logLevel: 'silent',
  })
  return path.join(folder, 'child.mjs')
}
