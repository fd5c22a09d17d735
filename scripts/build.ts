// Bundles the sources and their dependencies into a few minified CommonJS files in dist/, which bin/run.js runs.
import fs from 'node:fs'
import path from 'node:path'
import {type Plugin, rolldown} from 'rolldown'
import {frozen} from './frozen.ts'
import {slim} from './slim.ts'
import {commandFiles, readPackage, root, loadSurface} from './surface.ts'

const output = path.join(root, 'dist')
const entryId = 'svc:start'
const manifestId = 'svc:manifest'

const toParseCall = (value: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`

// The entry point, with the commands as data. V8 parses JSON strings faster than object literals.
function entrySource(): string {
  const {name, version, description, oclif} = readPackage() as unknown as Record<string, unknown>
  const imports = Object.entries(commandFiles()).map(
    ([id, file]) => `${JSON.stringify(id)}: () => import(${JSON.stringify(file)})`,
  )
  return `
    import {main} from ${JSON.stringify(path.join(root, 'src/cli/main.ts'))}
    import path from 'node:path'
    const load = {${imports.join(',')}}
    export const start = (argv) => main(argv, {
      root: path.resolve(__dirname, '..'),
      pjson: ${toParseCall({name, version, description, oclif})},
      manifest: async () => (await import('${manifestId}')).default,
      load,
    })`
}

async function manifestSource(): Promise<string> {
  const {manifest} = await loadSurface()
  return `export default ${toParseCall(await manifest())}`
}

const sources: Record<string, () => string | Promise<string>> = {[entryId]: entrySource, [manifestId]: manifestSource}

const surface: Plugin = {
  name: 'surface',
  resolveId: (id) => (id in sources ? `\0${id}` : null),
  load: async (id) => (await sources[id.slice(1)]?.()) ?? null,
}

const bundle = await rolldown({
  input: {start: entryId},
  platform: 'node',
  plugins: [surface, frozen, slim],
  // ofetch creates an instance for global fetch when it is loaded, which would load undici. svc creates its own.
  treeshake: {propertyReadSideEffects: false, manualPureFunctions: ['createFetch']},
  external: [/^node:/, '@napi-rs/keyring'],
  logLevel: 'warn',
  // Lets rolldown move modules out of the entry, as the group below asks for.
  preserveEntrySignatures: 'allow-extension',
})
// Small modules without imports that most commands load. Without this group each of them would be a file of its own, and
// each file costs a command a fraction of a millisecond.
const smallAndShared =
  /\/src\/(contract\/(loose|limits)|validation\/(loopback|exact-json|instants|shell-quote)|client\/item-lines|cli\/output\/(view|format-values|limit-heap-growth|reshape|find-column))\.ts$/

// Written to another folder and then renamed, so that a svc that starts meanwhile finds a complete build.
const fresh = `${output}.new`
const stale = `${output}.old`
for (const folder of [fresh, stale]) fs.rmSync(folder, {recursive: true, force: true})
await bundle.write({
  dir: fresh,
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: {includeDependenciesRecursively: false, groups: [{name: 'shared', test: smallAndShared}]},
})
await bundle.close()
if (fs.existsSync(output)) fs.renameSync(output, stale)
fs.renameSync(fresh, output)
fs.rmSync(stale, {recursive: true, force: true})
