// Finds the commands in the sources and describes them, for the build, for the manifest, and to run without a build.
import fs from 'node:fs'
import {createRequire} from 'node:module'
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
import {toHelpSource} from '../src/cli/help/help-source.ts'
import type {Surface} from '../src/cli/main.ts'
import {type OperationName, getOperation, operationNames} from '../src/sandbox/operations/operations.ts'

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

// The file in which an operation's command would be.
const toCommandFile = (name: OperationName) =>
  `sandbox/${name.replaceAll('.', '/')}${operationNames.some((other) => other.startsWith(`${name}.`)) ? '/index' : ''}.ts`

// src/commands/customers/list.ts is customers:list, and the operation clock.advance is sandbox:clock:advance.
export function commandSources(): Record<string, CommandSource> {
  const written = fs
    .globSync('**/*.ts', {cwd: commandsFolder})
    .map((file) => file.split(path.sep).join('/'))
    .map((file): [string, CommandSource] => [file, {file: path.join(commandsFolder, file)}])
  const made = operationNames
    .filter((name) => getOperation(name).command)
    .map((name): [string, CommandSource] => [toCommandFile(name), {file: operationCommandsFile, operation: name}])
  const sorted = [...written, ...made].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([file, found]) => [toId(file), found]))
}

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

export async function loadSurface(): Promise<SourceSurface> {
  const pjson = readPackage()
  const load = Object.fromEntries(
    Object.entries(commandSources()).map(([id, found]) => [id, () => importCommand(found)]),
  )
  const manifest = () => buildManifest(load, pjson.version)
  return {root, pjson, load, manifest, help: async () => toHelpSource(await manifest(), pjson)}
}

type CacheCommand = (found: Command.Class) => Promise<Command.Cached>

// oclif's function that describes a command class as in its manifests. The package does not export it.
const {cacheCommand} = createRequire(import.meta.url)(
  path.join(root, 'node_modules/@oclif/core/lib/util/cache-command.js'),
) as {cacheCommand: CacheCommand}

async function buildManifest(load: Surface['load'], version: string): Promise<Interfaces.Manifest> {
  const commands: Record<string, Command.Cached> = {}
  for (const [id, read] of Object.entries(load)) {
    const {default: found} = await read()
    found.id = id
    // A view does not belong in the manifest, the names of its columns do: completion offers them.
    const {view} = found as {view?: {columns: ReadonlyArray<{name: string; short?: string}>}}
    const columns = view?.columns.map(({name, short}) => short ?? name)
    commands[id] = {...(await cacheCommand(found)), view: undefined, columns}
  }
  // Through JSON, so that a run from source sees the same data as the file contains.
  return JSON.parse(JSON.stringify({commands, version})) as Interfaces.Manifest
}
