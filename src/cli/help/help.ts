// Renders help from the manifest alone, without loading commands.
import type {Command, Interfaces} from '@oclif/core'
import {badUsage, exitCodeMeanings} from '../../errors.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {breakCommand} from './command-lines.ts'
import {helpTopics} from './help-topics.ts'
import {findNearest} from './find-nearest.ts'
import {writeOut} from '../output/streams.ts'
import {wrapText} from '../output/wrap-text.ts'

export interface HelpSource {
  manifest: Interfaces.Manifest
  topics: Readonly<Record<string, {description?: string}>>
  summary: string
}

const widthMax = 100
const indent = '  '
const codeWidth = 3

const getHelpWidth = () => Math.min(process.stdout.columns || 80, widthMax)

const toCommandName = (id: string) => id.replaceAll(':', ' ')

const textWidthMin = 24

// Wraps text to the width that is left beside a margin.
const wrapBeside = (text: string, margin: number) => wrapText(text, Math.max(textWidthMin, getHelpWidth() - margin))

type Row = readonly [left: string, right: string]

const leftMax = 34

// Two columns. A left side that is too long gets a line of its own.
function renderRows(pairs: readonly Row[]): string {
  const left = Math.min(leftMax, Math.max(...pairs.map(([name]) => name.length)))
  const margin = indent.length + left + 2
  return pairs
    .map(([name, text]) => {
      const [first = '', ...more] = wrapBeside(text, margin)
      const head = name.length > left ? `${name}\n${' '.repeat(margin)}${first}` : `${name.padEnd(left)}  ${first}`
      return [`${indent}${head}`, ...more.map((line) => ' '.repeat(margin) + line)].join('\n').trimEnd()
    })
    .join('\n')
}

function renderSection(title: string, body: string | undefined, painter: Painter): string {
  return body ? `\n${painter.bold(title)}\n${body}\n` : ''
}

type CachedFlag = Command.Flag.Cached

// Long lists of options are shown with the summary, where they can be wrapped.
const optionsWidthMax = 30

function toFlagRow(flag: CachedFlag): Row {
  const short = flag.char ? `-${flag.char}, ` : '    '
  const options = 'options' in flag ? (flag.options ?? []).join('|') : ''
  const isLong = options.length > optionsWidthMax
  const value = flag.type === 'option' ? ` ${isLong || options === '' ? getHelpValue(flag) : options}` : ''
  const env = 'env' in flag && flag.env ? ` [${flag.env}]` : ''
  const required = flag.required ? ' (required)' : ''
  const oneOf = isLong ? `: ${options.replaceAll('|', ', ')}` : ''
  return [`${short}--${flag.name}${value}`, `${flag.summary ?? flag.description ?? ''}${oneOf}${required}${env}`]
}

function getHelpValue(flag: CachedFlag): string {
  const value = 'helpValue' in flag ? flag.helpValue : undefined
  return typeof value === 'string' ? value : 'VALUE'
}

function renderUsage(command: Command.Cached): string {
  const args = Object.values(command.args)
    .filter(({hidden}) => !hidden)
    .map(({name, required}) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  return `${indent}$ ${['svc', toCommandName(command.id), ...args, '[flags]'].join(' ')}`
}

const prompt = `${indent}$ `

function renderExample(example: Command.Example): string {
  if (typeof example === 'string') return `${indent}${example}`
  const lines = breakCommand(example.command, getHelpWidth() - prompt.length)
  const description = wrapBeside(example.description, prompt.length).map((line) => `${indent}# ${line}`)
  return [...description, `${prompt}${lines.join(`\n${' '.repeat(prompt.length)}`)}`].join('\n')
}

function renderCommandHelp(command: Command.Cached, painter: Painter): string {
  const flags = Object.values(command.flags).filter(({hidden}) => !hidden)
  const isGlobal = (flag: CachedFlag) => flag.helpGroup === 'GLOBAL'
  const table = (rows: CachedFlag[]) => (rows.length > 0 ? renderRows(rows.map(toFlagRow)) : undefined)
  const args = Object.values(command.args).filter(({hidden}) => !hidden)
  const description = command.description ? `\n${wrapBeside(command.description, 0).join('\n')}\n` : ''
  return [
    `${command.summary ?? ''}\n`,
    renderSection('USAGE', renderUsage(command), painter),
    description,
    renderSection('ARGUMENTS', args.length > 0 ? renderRows(args.map(toArgumentRow)) : undefined, painter),
    renderSection('FLAGS', table(flags.filter((flag) => !isGlobal(flag))), painter),
    renderSection('GLOBAL FLAGS', table(flags.filter(isGlobal)), painter),
    renderSection('EXAMPLES', command.examples?.map(renderExample).join('\n\n'), painter),
    renderSection('EXIT CODES', renderExitCodes(command), painter),
  ].join('')
}

function renderExitCodes({exits}: Command.Cached & {exits?: readonly number[]}): string | undefined {
  if (!exits) return undefined
  const known = exitCodeMeanings.filter(({code}) => exits.includes(code))
  return renderRows(known.map(({code, meaning}): Row => [String(code).padStart(codeWidth), meaning]))
}

const toArgumentRow = ({name, description, options}: Command.Arg.Cached): Row => [
  name.toUpperCase(),
  `${description ?? ''}${options ? ` (${options.join(', ')})` : ''}`,
]

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
      renderRows(Object.entries(helpTopics).map(([name, {summary}]): Row => [`help ${name}`, summary])),
      painter,
    ),
    `\nTry it now: svc customers list -p sandbox\n`,
  ].join('')
}

function renderHelpTopic(name: string, painter: Painter): string | undefined {
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
    if (command) return renderCommandHelp(command, painter)
    if (count === words.length && Object.hasOwn(source.topics, id)) return renderTopicHelp(id, source, painter)
  }
  if (words[0] === undefined) return renderRootHelp(source, painter)
  const text = renderHelpTopic(words[0], painter)
  if (!text) throw unknownHelpTopic(words.join(' '), source)
  return text
}

function unknownHelpTopic(asked: string, source: HelpSource) {
  const known = [
    ...Object.keys(helpTopics),
    ...Object.keys(source.topics),
    ...listVisibleCommands(source).map(({id}) => id),
  ]
  const near = findNearest(asked, known.map(toCommandName))
  const hint = '`svc help` lists all commands and topics'
  return badUsage(`There is no help for "${asked}"`, near ? `Did you mean \`svc help ${near}\`? ${hint}` : hint)
}
