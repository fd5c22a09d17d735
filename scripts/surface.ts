// Finds the commands in the sources and describes them, for the build, for the manifest, and to run without a build.
import fs from 'node:fs'
import {createRequire} from 'node:module'
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
import {toHelpSource} from '../src/cli/help/help-source.ts'
import type {Surface} from '../src/cli/main.ts'

export const root = path.resolve(import.meta.dirname, '..')
const commandsFolder = path.join(root, 'src/commands')

export const readPackage = () =>
  JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Interfaces.PJSON

// The id of every command and the file it is in: src/commands/customers/list.ts is customers:list.
export function commandFiles(): Record<string, string> {
  const files = fs
    .globSync('**/*.ts', {cwd: commandsFolder})
    .map((file) => file.split(path.sep).join('/'))
    .toSorted()
  return Object.fromEntries(
    files.map((file) => [
      file
        .replace(/\.ts$/, '')
        .replace(/\/index$/, '')
        .replaceAll('/', ':'),
      path.join(commandsFolder, file),
    ]),
  )
}

// The commands as the sources define them.
export interface SourceSurface extends Surface {
  manifest: () => Promise<Interfaces.Manifest>
}

export async function loadSurface(): Promise<SourceSurface> {
  const pjson = readPackage()
  const load = Object.fromEntries(
    Object.entries(commandFiles()).map(([id, file]) => [id, () => import(file) as Promise<{default: Command.Class}>]),
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
