// Bundles what programs import (svc/client, svc/sandbox, svc/webhooks, svc/contract) into dist/library, with declarations that
// refer to nothing outside of the package. CommonJS serves `import` and `require` alike.
import fs from 'node:fs'
import path from 'node:path'
import {type Plugin, rolldown} from 'rolldown'
import {isolatedDeclarationSync} from 'rolldown/experimental'
import {frozen} from './frozen.ts'
import {buildLibraryTypes} from './library-types.ts'
import {slim} from './slim.ts'
import {root} from './surface.ts'

export const libraryEntries = ['client', 'contract', 'sandbox', 'webhooks'] as const

const source = path.join(root, 'src')

const relativeImport = /(from\s+|import\()(["'])(\.{1,2}\/[^"']+)\.ts\2/g

const libraryTypes = buildLibraryTypes()

// Types that are derived from the contract are written out, since a program that imports them has no zod.
const readTypes = (file: string) =>
  libraryTypes[path.relative(path.join(source, 'library'), file)] ?? fs.readFileSync(file, 'utf8')

// Writes the declarations of a file and of everything that they refer to. The folders are those of the sources.
function writeDeclarations(file: string, target: string, written: Set<string>): void {
  if (written.has(file)) return
  written.add(file)
  const {code, errors} = isolatedDeclarationSync(file, readTypes(file))
  if (errors.length > 0)
    throw new Error(`${path.relative(root, file)}: ${errors.map(({message}) => message).join('; ')}`)
  const output = path.join(target, path.relative(source, file).replace(/\.ts$/, '.d.cts'))
  fs.mkdirSync(path.dirname(output), {recursive: true})
  fs.writeFileSync(output, code.replaceAll(relativeImport, '$1$2$3.cjs$2'))
  for (const [, , , specifier = ''] of code.matchAll(relativeImport)) {
    writeDeclarations(path.resolve(path.dirname(file), `${specifier}.ts`), target, written)
  }
}

export async function buildLibrary(target: string, recordPackages: Plugin): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(libraryEntries.map((name) => [name, path.join(source, 'library', `${name}.ts`)])),
    platform: 'node',
    plugins: [frozen, slim, recordPackages],
    treeshake: {propertyReadSideEffects: false, manualPureFunctions: ['createFetch']},
    external: [/^node:/],
    logLevel: 'warn',
    checks: {ineffectiveDynamicImport: false, bundlerTimings: false},
  })
  await bundle.write({
    dir: target,
    format: 'cjs',
    minify: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  })
  await bundle.close()
  const written = new Set<string>()
  for (const name of libraryEntries) {
    writeDeclarations(path.join(source, 'library', `${name}.ts`), path.join(target, 'types'), written)
  }
}
