// Reads what help shows: a summary of every command, and the whole description of one.
import type {Command, Interfaces} from '@oclif/core'

// A line in a list of commands.
export interface CommandSummary {
  id: string
  summary: string
  isHidden: boolean
}

interface Titles {
  // The sentence at the top of `svc --help`.
  summary: string
  topics: Readonly<Record<string, {description?: string}>>
}

export interface HelpSource extends Titles {
  commands: readonly CommandSummary[]
  readCommand: (id: string) => Command.Cached
}

// main.ts gives the commands their descriptions.
export const readHelpSource = (config: Interfaces.Config) =>
  (config as unknown as {readHelp: () => Promise<HelpSource>}).readHelp()

const toSummary = ({id, summary, description, hidden}: Command.Cached): CommandSummary => ({
  id,
  summary: summary ?? description ?? '',
  isHidden: hidden,
})

const toTitles = ({oclif, ...pjson}: Interfaces.PJSON): Titles => ({
  summary: String(pjson['description']),
  topics: oclif.topics ?? {},
})

export function toHelpSource({commands}: Interfaces.Manifest, pjson: Interfaces.PJSON): HelpSource {
  return {
    ...toTitles(pjson),
    commands: Object.values(commands).map(toSummary),
    readCommand: (id) => commands[id] as Command.Cached,
  }
}
