// Finds the commands in the sources and describes them, for the build, for the manifest, and to run without a build.
import fs from 'node:fs'
import {createRequire} from 'node:module'
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
import {createHelpSource, listSummaries} from '../src/cli/help/help-source.ts'
import type {Surface} from '../src/cli/main.ts'
import type {OperationName} from '../src/sandbox/operations/operations.ts'

export const root = path.resolve(import.meta.dirname, '..')
const commandsFolder = path.join(root, 'src/commands')

export const readPackage = () =>
  JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Interfaces.PJSON

// A command is a file, or an operation of the sandbox from whose definition it is made.
interface CommandSource {
  file: string
  operation?: OperationName
}

const operationCommandsFile = path.join(root, 'src/sandbox-commands/create-command.ts')

const toId = (file: string) =>
  file
    .replace(/\.ts$/, '')
    .replace(/\/index$/, '')
    .replaceAll('/', ':')

type Sources = Record<string, CommandSource>

// By the name of the file, such as customers/list.ts.
const findWrittenCommands = (): Sources =>
  Object.fromEntries(
    fs
      .globSync('**/*.ts', {cwd: commandsFolder})
      .map((file) => [file.split(path.sep).join('/'), {file: path.join(commandsFolder, file)}]),
  )

// By the name of the file in which the command of an operation would be.
async function findOperationCommands(): Promise<Sources> {
  const {getOperation, operationNames} = await import('../src/sandbox/operations/operations.ts')
  const toFile = (name: OperationName) =>
    `sandbox/${name.replaceAll('.', '/')}${operationNames.some((other) => other.startsWith(`${name}.`)) ? '/index' : ''}.ts`
  return Object.fromEntries(
    operationNames
      .filter((name) => getOperation(name).examples)
      .map((operation) => [toFile(operation), {file: operationCommandsFile, operation}]),
  )
}

// customers/list.ts is customers:list, and the operation clock.advance is sandbox:clock:advance.
export const commandSources = async (): Promise<Sources> =>
  Object.fromEntries(
    Object.entries({...findWrittenCommands(), ...(await findOperationCommands())})
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, found]) => [toId(file), found]),
  )

// How a command is loaded, as the source of a module.
export const renderImport = ({file, operation}: CommandSource): string =>
  `() => import(${JSON.stringify(file)})${operation === undefined ? '' : `.then((made) => made.loadOperationCommand(${JSON.stringify(operation)}))`}`

async function importCommand({file, operation}: CommandSource): Promise<{default: Command.Class}> {
  if (operation === undefined) return import(file)
  const {loadOperationCommand} = await import('../src/sandbox-commands/create-command.ts')
  return loadOperationCommand(operation)
}

// The commands as the sources define them.
export interface SourceSurface extends Surface {
  manifest: () => Promise<Interfaces.Manifest>
}

const toLoaders = (sources: Sources): Surface['load'] =>
  Object.fromEntries(Object.entries(sources).map(([id, found]) => [id, () => importCommand(found)]))

export async function loadSurface(): Promise<SourceSurface> {
  const pjson = readPackage()
  const load = toLoaders(await commandSources())
  const manifest = () => buildManifest(load, pjson.version)
  const help = async () => {
    const built = await manifest()
    return createHelpSource(pjson, listSummaries(built), () => built)
  }
  return {root, pjson, load, manifest, help}
}

type CacheCommand = (found: Command.Class) => Promise<Command.Cached>

// oclif's function that describes a command class as in its manifests. The package does not export it.
const {cacheCommand} = createRequire(import.meta.url)(
  path.join(root, 'node_modules/@oclif/core/lib/util/cache-command.js'),
) as {cacheCommand: CacheCommand}

// What completion offers for a flag that takes several of them, or in other spellings, so that oclif must not check it.
const readValues = (flag: object = {}) => ('values' in flag ? {values: flag.values} : {})

async function buildManifest(load: Surface['load'], version: string): Promise<Interfaces.Manifest> {
  const commands: Record<string, Command.Cached> = {}
  for (const [id, read] of Object.entries(load)) {
    const {default: found} = await read()
    found.id = id
    // A view does not belong in the manifest, the names of its columns do: completion offers them.
    const {view} = found as {view?: {columns: ReadonlyArray<{name: string; short?: string}>}}
    const names = new Set(view?.columns.map(({name}) => name))
    const words = view?.columns.map(({name, short = name}) => (names.has(short) ? name : short))
    const columns = words && [...new Set(words)]
    const cached = await cacheCommand(found)
    for (const flag of Object.values(cached.flags)) Object.assign(flag, readValues(found.flags?.[flag.name]))
    commands[id] = {...cached, view: undefined, columns}
  }
  // Through JSON, so that a run from source sees the same data as the file contains.
  return JSON.parse(JSON.stringify({commands, version})) as Interfaces.Manifest
}
