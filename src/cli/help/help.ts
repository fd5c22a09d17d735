// Renders help from the descriptions of the commands, without loading the commands.
import type {SvcError} from '../../errors.ts'
import {createPainter} from '../output/colour.ts'
import {
  type Page,
  type Row,
  getPageWidth,
  indent,
  renderCommandHelp,
  renderRows,
  renderSection,
  toCommandName,
} from './command-help.ts'
import {commandGroups} from './groups.ts'
import type {HelpSource} from './help-source.ts'
import {createUnknownCommand} from './unknown-words.ts'

function renderTopicHelp(topic: string, source: HelpSource, page: Page): string {
  const commands = Object.entries(source.summaries).filter(([id]) => id.startsWith(`${topic}:`))
  const rows = commands.map(([id, summary]): Row => [toCommandName(id), summary])
  return [
    `${source.topics[topic]?.description ?? ''}\n`,
    renderSection('USAGE', `${indent}$ svc ${toCommandName(topic)} COMMAND [flags]`, page),
    renderSection('COMMANDS', renderRows(rows, page), page),
  ].join('')
}

// The description of a topic or, of a command without one, its summary.
const describeName = ({topics, summaries}: HelpSource, name: string) =>
  topics[name]?.description ?? summaries[name] ?? ''

const nameWidth = Math.max(...commandGroups.flatMap(({commands}) => commands.map((name) => name.length)))

function renderRootHelp(source: HelpSource, page: Page): string {
  const groups = commandGroups.map(({title, commands, also = []}) => {
    const rows = commands.map((name): Row => [name.padEnd(nameWidth), describeName(source, name)])
    const others: Row[] = also.length > 0 ? [['also'.padEnd(nameWidth), also.join(', ')]] : []
    return renderSection(title.toUpperCase(), renderRows([...rows, ...others], page), page)
  })
  return [
    `${source.summary}\n`,
    ...groups,
    '\nAbout a command: svc COMMAND --help; what all share: svc docs output\n',
    'New here? svc tour, or svc customers list -p sandbox\n',
  ].join('')
}

type Stream = Readonly<{isTTY?: boolean | undefined; columns?: number | undefined}>

// Help for a terminal, a pipe or a file.
export async function renderHelpFor(stream: Stream, source: HelpSource, argv: readonly string[]): Promise<string> {
  return renderHelp(source, argv, {width: getPageWidth(stream), painter: await createPainter(stream)})
}

export function renderHelp(source: HelpSource, argv: readonly string[], page: Page): string {
  const words = argv.filter((word) => word !== 'help' && !word.startsWith('-'))
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':')
    const command = Object.hasOwn(source.summaries, id) ? source.readCommands()[id] : undefined
    if (command) return renderCommandHelp(command, page)
    if (count === words.length && Object.hasOwn(source.topics, id)) return renderTopicHelp(id, source, page)
  }
  if (words.length === 0) return renderRootHelp(source, page)
  throw unknownCommand(words, source)
}

// Names commands and topics as they are typed.
export const unknownCommand = (words: readonly string[], {topics, summaries}: HelpSource): SvcError =>
  createUnknownCommand(words, [...Object.keys(topics), ...Object.keys(summaries)].map(toCommandName))
