// Bundles the sources and their dependencies into a few minified CommonJS files in dist/, which bin/run.js runs, and the library
// for programs into dist/library.
import fs from 'node:fs'
import path from 'node:path'
import {gzipSync} from 'node:zlib'
import type {Interfaces} from '@oclif/core'
import {type Plugin, rolldown} from 'rolldown'
import {listSummaries} from '../src/cli/help/help-source.ts'
import {describeBuild} from './build-details.ts'
import {buildLibrary} from './build-library.ts'
import {createPackageRecorder} from './bundled-packages.ts'
import {frozen} from './frozen.ts'
import {lazyImports, lazyOclif} from './lazy.ts'
import {createModuleGroup} from './module-groups.ts'
import {slim} from './slim.ts'
import {commandSources, readPackage, renderImport, root} from './surface.ts'

const output = path.join(root, 'dist')
const entryId = 'svc:start'
const manifestFile = 'oclif.manifest.json'

const toParseCall = (value: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`

const quoteFile = (file: string) => JSON.stringify(path.join(root, file))

// The entry point, with the commands as data. V8 parses JSON strings faster than object literals.
async function entrySource(): Promise<string> {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, manifestFile), 'utf8')) as Interfaces.Manifest
  const {name, version, description, oclif} = readPackage() as unknown as Record<string, unknown>
  const imports = Object.entries(await commandSources()).map(
    ([id, found]) => `${JSON.stringify(id)}: ${renderImport(found)}`,
  )
  return `
    import {readFileSync} from 'node:fs'
    import {resolve} from 'node:path'
    import {main} from ${quoteFile('src/cli/main.ts')}
    const root = resolve(__dirname, '..')
    const pjson = ${toParseCall({name, version, description, oclif})}
    const load = {${imports.join(',')}}
    export const start = (argv, embedded) => main(argv, {
      root,
      pjson,
      help: async () => {
        const {createHelpSource} = await import(${quoteFile('src/cli/help/help-source.ts')})
        const read = () => embedded ? embedded.read('${manifestFile}') : readFileSync(resolve(root, '${manifestFile}'))
        return createHelpSource(pjson, ${toParseCall(listSummaries(manifest))}, () => JSON.parse(read().toString()))
      },
      load,
      embedded,
      isProgram: true,
      programFolder: embedded ? undefined : __dirname,
    })`
}

const surface: Plugin = {
  name: 'surface',
  resolveId: (id) => (id === entryId ? `\0${id}` : null),
  load: (id) => (id === `\0${entryId}` ? entrySource() : null),
}

const packages = createPackageRecorder()

const open = (input: Record<string, string>) =>
  rolldown({
    input,
    platform: 'node',
    plugins: [surface, frozen, slim, lazyOclif, lazyImports, packages.plugin],
    // ofetch creates an instance for global fetch when it is loaded, which would load undici. svc creates its own.
    treeshake: {propertyReadSideEffects: false, manualPureFunctions: ['createFetch']},
    external: [/^node:/, '@napi-rs/keyring'],
    logLevel: 'warn',
    // A module of the group below is in the same file as what imports it dynamically.
    // How long the plugins took is of no interest to somebody who installs svc.
    checks: {ineffectiveDynamicImport: false, bundlerTimings: false},
    // Lets rolldown move modules out of the entry, as the group below asks for.
    preserveEntrySignatures: 'allow-extension',
  })

// Written to another folder and then renamed, so that a svc that starts meanwhile finds a complete build.
const fresh = `${output}.new`
const stale = `${output}.old`
for (const folder of [fresh, stale]) fs.rmSync(folder, {recursive: true, force: true})
const format = {dir: fresh, format: 'cjs', minify: true, entryFileNames: '[name].cjs'} as const
const bundle = await open({start: entryId})
const {output: written} = await bundle.write({
  ...format,
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: {includeDependenciesRecursively: false, groups: [createModuleGroup()]},
})
await bundle.close()
// The same files once more, for src/cli/hold-program.ts.
const sources = written.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one.code]] : []))
fs.writeFileSync(path.join(fresh, 'program.json.gz'), gzipSync(JSON.stringify(Object.fromEntries(sources))))
// Node looks for the type of each file that it loads. This is shorter to read than the description of the package.
fs.writeFileSync(path.join(fresh, 'package.json'), '{"type": "commonjs"}\n')
await buildLibrary(path.join(fresh, 'library'), packages.plugin)
fs.writeFileSync(path.join(fresh, 'build.json'), `${JSON.stringify(describeBuild(), null, 2)}\n`)
fs.writeFileSync(path.join(fresh, 'licenses.txt'), packages.renderLicenses())
if (fs.existsSync(output)) fs.renameSync(output, stale)
fs.renameSync(fresh, output)
fs.rmSync(stale, {recursive: true, force: true})
