// Reads what help shows: a summary of every command, and the whole description of one.
import fs from 'node:fs'
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

// Where the description of a command is in a file that has all of them, so that help reads one and not a hundred.
export interface DescriptionIndex extends Titles {
  commands: ReadonlyArray<CommandSummary & {offset: number; length: number}>
}

// The file with the descriptions of all commands, one in a line, and its index.
export function indexDescriptions(
  {commands}: Interfaces.Manifest,
  pjson: Interfaces.PJSON,
): {file: string; index: DescriptionIndex} {
  const lines = Object.values(commands).map((command) => `${JSON.stringify(command)}\n`)
  let end = 0
  const entries = Object.values(commands).map((command, position) => {
    const length = Buffer.byteLength(lines[position] ?? '')
    end += length
    return {...toSummary(command), offset: end - length, length}
  })
  return {file: lines.join(''), index: {...toTitles(pjson), commands: entries}}
}

function readPart(file: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  const handle = fs.openSync(file, 'r')
  try {
    fs.readSync(handle, bytes, 0, length, offset)
  } finally {
    fs.closeSync(handle)
  }
  return bytes
}

// `content` is the file or, in the single executable, what it contains.
export function openDescriptions(content: string | Buffer, index: DescriptionIndex): HelpSource {
  const readCommand = (id: string) => {
    const {offset, length} = index.commands.find((command) => command.id === id) ?? {offset: 0, length: 0}
    const bytes =
      typeof content === 'string' ? readPart(content, offset, length) : content.subarray(offset, offset + length)
    return JSON.parse(bytes.toString()) as Command.Cached
  }
  return {...index, readCommand}
}
