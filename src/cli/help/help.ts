// Renders help from the manifest alone, without loading commands.
import type {Command, Interfaces} from '@oclif/core'
import {badUsage} from '../../errors.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {isGlobalFlag, renderCommandHelp, toFlagRow} from './command-help.ts'
import {helpTopics} from './help-topics.ts'
import {findNearest} from './find-nearest.ts'
import {writeOut} from '../output/streams.ts'
import {type Row, indent, renderRows, renderSection, toCommandName, wrapBeside} from './layout.ts'

export interface HelpSource {
  manifest: Interfaces.Manifest
  topics: Readonly<Record<string, {description?: string}>>
  summary: string
}

function listVisibleCommands({manifest}: HelpSource): Command.Cached[] {
  return Object.values(manifest.commands).filter(({hidden}) => !hidden)
}

const toCommandRow = (command: Command.Cached): Row => [
  toCommandName(command.id),
  command.summary ?? command.description ?? '',
]

function renderTopicHelp(topic: string, source: HelpSource, painter: Painter): string {
  const commands = listVisibleCommands(source).filter(({id}) => id.startsWith(`${topic}:`))
  return [
    `${source.topics[topic]?.description ?? ''}\n`,
    renderSection('USAGE', `${indent}$ svc ${toCommandName(topic)} COMMAND [flags]`, painter),
    renderSection('COMMANDS', renderRows(commands.map(toCommandRow)), painter),
  ].join('')
}

function renderRootHelp(source: HelpSource, painter: Painter): string {
  const isTop = ({id}: Command.Cached) => !id.includes(':')
  const topics = Object.entries(source.topics)
    .filter(([name]) => !name.includes(':'))
    .map(([name, topic]): Row => [name, topic.description ?? ''])
  return [
    `${source.summary}\n`,
    renderSection('USAGE', `${indent}$ svc COMMAND [flags]`, painter),
    renderSection('TOPICS', renderRows(topics), painter),
    renderSection('COMMANDS', renderRows(listVisibleCommands(source).filter(isTop).map(toCommandRow)), painter),
    renderSection(
      'MORE',
      renderRows([
        ...Object.entries(helpTopics).map(([name, {summary}]): Row => [`help ${name}`, summary]),
        [`help ${flagsTopic}`, flagsSummary],
      ]),
      painter,
    ),
    `\nTry it now: svc customers list -p sandbox\n`,
  ].join('')
}

const flagsTopic = 'flags'
const flagsSummary = 'The flags that every command has'

// The global flags are the same everywhere, so they are taken from the first command that has them.
function renderFlagsTopic(source: HelpSource, painter: Painter): string {
  const lists = listVisibleCommands(source).map(({flags}) => Object.values(flags).filter(isGlobalFlag))
  const flags = lists.find((list) => list.length > 0) ?? []
  return [
    `${flagsSummary}\n`,
    renderSection('GLOBAL FLAGS', renderRows(flags.map((flag) => toFlagRow(flag, true))), painter),
    renderSection(
      'SEE ALSO',
      renderRows([
        ['svc help output', 'Formats, lists and what shapes them'],
        ['svc help environment', 'The variables that svc reads'],
      ]),
      painter,
    ),
  ].join('')
}

function renderHelpTopic(name: string, source: HelpSource, painter: Painter): string | undefined {
  if (name === flagsTopic) return renderFlagsTopic(source, painter)
  const topic = Object.hasOwn(helpTopics, name) ? helpTopics[name] : undefined
  if (!topic) return undefined
  const text = topic.intro ? `\n${wrapBeside(topic.intro, 0).join('\n')}\n` : ''
  return [
    `${topic.summary}\n`,
    text,
    ...topic.sections.map((part) => renderSection(part.title, renderRows(part.rows), painter)),
  ].join('')
}

export async function printHelp(source: HelpSource, argv: readonly string[]): Promise<void> {
  return writeOut(renderHelp(source, argv, await createPainter(process.stdout)))
}

export function renderHelp(source: HelpSource, argv: readonly string[], painter: Painter): string {
  const words = argv.filter((word) => word !== 'help' && !word.startsWith('-'))
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':')
    const command = Object.hasOwn(source.manifest.commands, id) && source.manifest.commands[id]
    if (command) return renderCommandHelp(command, argv.includes('--all'), painter)
    if (count === words.length && Object.hasOwn(source.topics, id)) return renderTopicHelp(id, source, painter)
  }
  if (words[0] === undefined) return renderRootHelp(source, painter)
  const text = renderHelpTopic(words[0], source, painter)
  if (!text) throw unknownHelpTopic(words.join(' '), source)
  return text
}

function unknownHelpTopic(asked: string, source: HelpSource) {
  const known = [
    ...Object.keys(helpTopics),
    flagsTopic,
    ...Object.keys(source.topics),
    ...listVisibleCommands(source).map(({id}) => id),
  ]
  const near = findNearest(asked, known.map(toCommandName))
  const hint = '`svc help` lists all commands and topics'
  return badUsage(`There is no help for "${asked}"`, near ? `Did you mean \`svc help ${near}\`? ${hint}` : hint)
}
