// Help, rendered from the manifest alone, so that it needs no command to be loaded.
import type {Command, Interfaces} from '@oclif/core'
import {badUsage, exitCodeMeanings} from '../../errors.ts'
import {type Painter, painterFor} from '../output/colour.ts'
import {brokenCommand} from './command-lines.ts'
import {helpTopics} from './help-topics.ts'
import {nearest} from './nearest.ts'
import {writeOut} from '../output/streams.ts'
import {wrapped} from '../output/wrap.ts'

export interface HelpSource {
  manifest: Interfaces.Manifest
  topics: Readonly<Record<string, {description?: string}>>
  summary: string
}

const widthMax = 100
const indent = '  '
const codeWidth = 3

const width = () => Math.min(process.stdout.columns || 80, widthMax)

const named = (id: string) => id.replaceAll(':', ' ')

const roomMin = 24

// Text in lines that fit beside a margin.
const beside = (text: string, margin: number) => wrapped(text, Math.max(roomMin, width() - margin))

type Row = readonly [left: string, right: string]

const leftMax = 34

// Two columns; a left side that is too long stands on a line of its own.
function rows(pairs: readonly Row[]): string {
  const left = Math.min(leftMax, Math.max(...pairs.map(([name]) => name.length)))
  const margin = indent.length + left + 2
  return pairs
    .map(([name, text]) => {
      const [first = '', ...more] = beside(text, margin)
      const head = name.length > left ? `${name}\n${' '.repeat(margin)}${first}` : `${name.padEnd(left)}  ${first}`
      return [`${indent}${head}`, ...more.map((line) => ' '.repeat(margin) + line)].join('\n').trimEnd()
    })
    .join('\n')
}

function section(title: string, body: string | undefined, painter: Painter): string {
  return body ? `\n${painter.bold(title)}\n${body}\n` : ''
}

type CachedFlag = Command.Flag.Cached

// Values that are many or long stand with the summary, where they can be wrapped.
const optionsWidthMax = 30

function flagRow(flag: CachedFlag): Row {
  const short = flag.char ? `-${flag.char}, ` : '    '
  const options = 'options' in flag ? (flag.options ?? []).join('|') : ''
  const isLong = options.length > optionsWidthMax
  const takes = flag.type === 'option' ? ` ${isLong || options === '' ? valueOf(flag) : options}` : ''
  const env = 'env' in flag && flag.env ? ` [${flag.env}]` : ''
  const must = flag.required ? ' (required)' : ''
  const oneOf = isLong ? `: ${options.replaceAll('|', ', ')}` : ''
  return [`${short}--${flag.name}${takes}`, `${flag.summary ?? flag.description ?? ''}${oneOf}${must}${env}`]
}

function valueOf(flag: CachedFlag): string {
  const value = 'helpValue' in flag ? flag.helpValue : undefined
  return typeof value === 'string' ? value : 'VALUE'
}

function usageOf(command: Command.Cached): string {
  const args = Object.values(command.args)
    .filter(({hidden}) => !hidden)
    .map(({name, required}) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  return `${indent}$ ${['svc', named(command.id), ...args, '[flags]'].join(' ')}`
}

const prompt = `${indent}$ `

function exampleText(example: Command.Example): string {
  if (typeof example === 'string') return `${indent}${example}`
  const lines = brokenCommand(example.command, width() - prompt.length)
  const description = beside(example.description, prompt.length).map((line) => `${indent}# ${line}`)
  return [...description, `${prompt}${lines.join(`\n${' '.repeat(prompt.length)}`)}`].join('\n')
}

function commandHelp(command: Command.Cached, painter: Painter): string {
  const flags = Object.values(command.flags).filter(({hidden}) => !hidden)
  const isGlobal = (flag: CachedFlag) => flag.helpGroup === 'GLOBAL'
  const table = (some: CachedFlag[]) => (some.length > 0 ? rows(some.map(flagRow)) : undefined)
  const args = Object.values(command.args).filter(({hidden}) => !hidden)
  const description = command.description ? `\n${beside(command.description, 0).join('\n')}\n` : ''
  return [
    `${command.summary ?? ''}\n`,
    section('USAGE', usageOf(command), painter),
    description,
    section('ARGUMENTS', args.length > 0 ? rows(args.map(argumentRow)) : undefined, painter),
    section('FLAGS', table(flags.filter((flag) => !isGlobal(flag))), painter),
    section('GLOBAL FLAGS', table(flags.filter(isGlobal)), painter),
    section('EXAMPLES', command.examples?.map(exampleText).join('\n\n'), painter),
    section('EXIT CODES', exitRows(command), painter),
  ].join('')
}

function exitRows({exits}: Command.Cached & {exits?: readonly number[]}): string | undefined {
  if (!exits) return undefined
  const known = exitCodeMeanings.filter(({code}) => exits.includes(code))
  return rows(known.map(({code, meaning}): Row => [String(code).padStart(codeWidth), meaning]))
}

const argumentRow = ({name, description, options}: Command.Arg.Cached): Row => [
  name.toUpperCase(),
  `${description ?? ''}${options ? ` (${options.join(', ')})` : ''}`,
]

function visible({manifest}: HelpSource): Command.Cached[] {
  return Object.values(manifest.commands).filter(({hidden}) => !hidden)
}

const commandRow = (command: Command.Cached): Row => [named(command.id), command.summary ?? command.description ?? '']

function topicHelp(topic: string, source: HelpSource, painter: Painter): string {
  const commands = visible(source).filter(({id}) => id.startsWith(`${topic}:`))
  return [
    `${source.topics[topic]?.description ?? ''}\n`,
    section('USAGE', `${indent}$ svc ${named(topic)} COMMAND [flags]`, painter),
    section('COMMANDS', rows(commands.map(commandRow)), painter),
  ].join('')
}

function rootHelp(source: HelpSource, painter: Painter): string {
  const isTop = ({id}: Command.Cached) => !id.includes(':')
  const topics = Object.entries(source.topics)
    .filter(([name]) => !name.includes(':'))
    .map(([name, topic]): Row => [name, topic.description ?? ''])
  return [
    `${source.summary}\n`,
    section('USAGE', `${indent}$ svc COMMAND [flags]`, painter),
    section('TOPICS', rows(topics), painter),
    section('COMMANDS', rows(visible(source).filter(isTop).map(commandRow)), painter),
    section(
      'MORE',
      rows(Object.entries(helpTopics).map(([name, {summary}]): Row => [`help ${name}`, summary])),
      painter,
    ),
    `\nTry it now: svc customers list -p sandbox\n`,
  ].join('')
}

function namedTopic(name: string, painter: Painter): string | undefined {
  const topic = Object.hasOwn(helpTopics, name) ? helpTopics[name] : undefined
  if (!topic) return undefined
  const text = topic.intro ? `\n${beside(topic.intro, 0).join('\n')}\n` : ''
  return [
    `${topic.summary}\n`,
    text,
    ...topic.sections.map((part) => section(part.title, rows(part.rows), painter)),
  ].join('')
}

export async function showHelp(source: HelpSource, argv: readonly string[]): Promise<void> {
  return writeOut(helpText(source, argv, await painterFor(process.stdout)))
}

export function helpText(source: HelpSource, argv: readonly string[], painter: Painter): string {
  const words = argv.filter((word) => word !== 'help' && !word.startsWith('-'))
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':')
    const command = Object.hasOwn(source.manifest.commands, id) && source.manifest.commands[id]
    if (command) return commandHelp(command, painter)
    if (count === words.length && Object.hasOwn(source.topics, id)) return topicHelp(id, source, painter)
  }
  if (words[0] === undefined) return rootHelp(source, painter)
  const text = namedTopic(words[0], painter)
  if (!text) throw noHelp(words.join(' '), source)
  return text
}

function noHelp(asked: string, source: HelpSource) {
  const known = [...Object.keys(helpTopics), ...Object.keys(source.topics), ...visible(source).map(({id}) => id)]
  const near = nearest(asked, known.map(named))
  const hint = '`svc help` lists all commands and topics'
  return badUsage(`There is no help for "${asked}"`, near ? `Did you mean \`svc help ${near}\`? ${hint}` : hint)
}
