// What help, completion and the tools for agents read: the description of every command, from the manifest.
import type {Command, Interfaces} from '@oclif/core'

export interface HelpSource {
  // The sentence at the top of `svc --help`.
  summary: string
  topics: Readonly<Record<string, {description?: string}>>
  commands: ReadonlyArray<Command.Cached & {columns?: readonly string[]; exits?: readonly number[]}>
  readCommand: (id: string) => HelpSource['commands'][number]
}

export const toHelpSource = ({commands}: Interfaces.Manifest, {oclif, ...pjson}: Interfaces.PJSON): HelpSource => ({
  summary: String(pjson['description']),
  topics: oclif.topics ?? {},
  commands: Object.values(commands),
  readCommand: (id) => commands[id] as Command.Cached,
})
