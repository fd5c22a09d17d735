// What help, completion and the tools for agents read: the description of every command, from the manifest.
import type {Command, Interfaces} from '@oclif/core'

export type CommandDescription = Command.Cached & {columns?: readonly string[]; exits?: readonly number[]}

export interface HelpSource {
  // The sentence at the top of `svc --help`.
  summary: string
  topics: Readonly<Record<string, {description?: string}>>
  // The summary of every command, by its id. The overview needs no more, and the manifest is long.
  summaries: Readonly<Record<string, string>>
  readCommands: () => Readonly<Record<string, CommandDescription>>
}

export const listSummaries = ({commands}: Interfaces.Manifest): Record<string, string> =>
  Object.fromEntries(Object.values(commands).map(({id, summary = ''}) => [id, summary]))

export function createHelpSource(
  {oclif, ...pjson}: Interfaces.PJSON,
  summaries: Readonly<Record<string, string>>,
  readManifest: () => Interfaces.Manifest,
): HelpSource {
  let manifest: Interfaces.Manifest | undefined
  return {
    summary: String(pjson['description']),
    topics: oclif.topics ?? {},
    summaries,
    readCommands: () => (manifest ??= readManifest()).commands,
  }
}
