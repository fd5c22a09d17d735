// Bundles the sources and their dependencies into a few minified CommonJS files in dist/, which bin/run.js runs, and the library
// for programs into dist/library.
import fs from 'node:fs'
import path from 'node:path'
import {type Plugin, rolldown} from 'rolldown'
import {shells} from '../src/cli/completion/scripts.ts'
import {indexDescriptions, toHelpSource} from '../src/cli/help/help-source.ts'
import {describeBuild} from './build-details.ts'
import {buildLibrary} from './build-library.ts'
import {createPackageRecorder} from './bundled-packages.ts'
import {escapeFiles, moveRuntime} from './finish-code.ts'
import {frozen} from './frozen.ts'
import {renderHelpPages} from './help-pages.ts'
import {lazyImports, lazyOclif} from './lazy.ts'
import {createModuleGroup} from './module-groups.ts'
import {slim} from './slim.ts'
import {commandSources, readPackage, renderImport, root, loadSurface} from './surface.ts'

const output = path.join(root, 'dist')
const entryId = 'svc:start'
const helpEntryId = 'svc:help'
const completionEntryId = 'svc:completion'
const indexId = 'svc:index'
const descriptionsFile = 'commands.jsonl'

const toParseCall = (value: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`

const quoteFile = (file: string) => JSON.stringify(path.join(root, file))

// Opens the descriptions of the commands. All bundles have this.
const openHelpSource = `
    import {join, resolve} from 'node:path'
    import {openDescriptions} from ${quoteFile('src/cli/help/help-source.ts')}
    const openHelp = (index, embedded) =>
      openDescriptions(embedded ? embedded.read('dist/${descriptionsFile}') : join(__dirname, '${descriptionsFile}'), index)`

// The entry point, with the commands as data. V8 parses JSON strings faster than object literals.
async function entrySource(): Promise<string> {
  const {name, version, description, oclif} = readPackage() as unknown as Record<string, unknown>
  const imports = Object.entries(await commandSources()).map(
    ([id, found]) => `${JSON.stringify(id)}: ${renderImport(found)}`,
  )
  return `
    import {main} from ${quoteFile('src/cli/main.ts')}
    ${openHelpSource}
    const load = {${imports.join(',')}}
    export const start = (argv, embedded) => main(argv, {
      root: resolve(__dirname, '..'),
      pjson: ${toParseCall({name, version, description, oclif})},
      help: async () => openHelp((await import('${indexId}')).default, embedded),
      load,
      embedded,
      isProgram: true,
    })`
}

// The entry point that answers --help alone.
const helpEntrySource = () => `
    import {renderQuickHelp} from ${quoteFile('src/cli/help/quick-help.ts')}
    import index from '${indexId}'
    ${openHelpSource}
    export const render = (argv, stream, embedded) => renderQuickHelp(argv, stream, openHelp(index, embedded))`

// The entry point that answers a shell that completes.
const completionEntrySource = () => `
    import {answerShell} from ${quoteFile('src/cli/completion/complete.ts')}
    import {createCompletionSource} from ${quoteFile('src/cli/completion/complete.ts')}
    import index from '${indexId}'
    ${openHelpSource}
    export const answer = (argv, embedded) =>
      answerShell(argv, createCompletionSource(openHelp(index, embedded), {root: resolve(__dirname, '..'), embedded}))`

const surfaceOfSources = await loadSurface()
const {pjson} = surfaceOfSources
const manifest = await surfaceOfSources.manifest()
const descriptions = indexDescriptions(manifest, pjson)

const sources: Record<string, () => string | Promise<string>> = {
  [entryId]: entrySource,
  [helpEntryId]: helpEntrySource,
  [completionEntryId]: completionEntrySource,
  [indexId]: () => `export default ${toParseCall(descriptions.index)}`,
}

const surface: Plugin = {
  name: 'surface',
  resolveId: (id) => (id in sources ? `\0${id}` : null),
  load: (id) => sources[id.slice(1)]?.() ?? null,
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

// The scripts of the shells, for packages. `svc autocomplete` prints the same.
function writeCompletions(folder: string): void {
  fs.mkdirSync(folder, {recursive: true})
  for (const {fileName, script} of Object.values(shells)) fs.writeFileSync(path.join(folder, fileName), script)
}

// Written to another folder and then renamed, so that a svc that starts meanwhile finds a complete build.
const fresh = `${output}.new`
const stale = `${output}.old`
for (const folder of [fresh, stale]) fs.rmSync(folder, {recursive: true, force: true})
const format = {dir: fresh, format: 'cjs', minify: true, entryFileNames: '[name].cjs'} as const
const bundle = await open({start: entryId})
await bundle.write({
  ...format,
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: {includeDependenciesRecursively: false, groups: [createModuleGroup()]},
})
await bundle.close()
moveRuntime(fresh, 'start.cjs')
// Help and completion share no files with the rest, so that they load one each.
for (const [name, entry] of Object.entries({help: helpEntryId, completion: completionEntryId})) {
  const quickBundle = await open({[name]: entry})
  await quickBundle.write({...format, chunkFileNames: `${name}-[name]-[hash].cjs`})
  await quickBundle.close()
}
escapeFiles(fresh)
// Node looks for the type of each file that it loads. This is shorter to read than the description of the package.
fs.writeFileSync(path.join(fresh, 'package.json'), '{"type": "commonjs"}\n')
await buildLibrary(path.join(fresh, 'library'), packages.plugin)
fs.writeFileSync(path.join(fresh, descriptionsFile), descriptions.file)
const pages = await renderHelpPages(toHelpSource(manifest, pjson))
fs.writeFileSync(path.join(fresh, 'help-pages.txt'), pages.text)
fs.writeFileSync(path.join(fresh, 'help-pages.json'), JSON.stringify(pages.index))
writeCompletions(path.join(fresh, 'completions'))
const writeJson = (name: string, value: unknown) =>
  fs.writeFileSync(path.join(fresh, name), `${JSON.stringify(value, null, 2)}\n`)
writeJson('build.json', describeBuild())
writeJson('packages.json', packages.list())
fs.writeFileSync(path.join(fresh, 'licenses.txt'), packages.renderLicenses())
if (fs.existsSync(output)) fs.renameSync(output, stale)
fs.renameSync(fresh, output)
fs.rmSync(stale, {recursive: true, force: true})
