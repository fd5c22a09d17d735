// Renders the help of one command.
import type {Command} from '@oclif/core'
import type {Painter} from '../output/colour.ts'
import {wrapMessage} from '../output/streams.ts'
import type {CommandDescription} from './help-source.ts'

export const indent = '  '

const widthMax = 100
const widthDefault = 80

// What help is written on: its width and its colours.
export interface Page {
  width: number
  painter: Painter
}

export const getPageWidth = ({columns}: {columns?: number | undefined}) => Math.min(columns || widthDefault, widthMax)

export const toCommandName = (id: string) => id.replaceAll(':', ' ')

const textWidthMin = 24

export const wrapLines = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapMessage(line, Math.max(textWidthMin, width), /\S+/g).split('\n'))

export type Row = readonly [left: string, right: string]

const leftMax = 27

// Two columns. A left side that is too long gets a line of its own.
export function renderRows(pairs: readonly Row[], page: Page): string {
  const left = Math.min(leftMax, Math.max(...pairs.map(([name]) => name.length)))
  const margin = indent.length + left + 2
  return pairs
    .map(([name, text]) => {
      const [first = '', ...more] = wrapLines(text, page.width - margin)
      const head = name.length > left ? `${name}\n${' '.repeat(margin)}${first}` : `${name.padEnd(left)}  ${first}`
      return [`${indent}${head}`, ...more.map((line) => ' '.repeat(margin) + line)].join('\n').trimEnd()
    })
    .join('\n')
}

export function renderSection(title: string, body: string | undefined, {painter}: Page): string {
  return body ? `\n${painter.bold(title)}\n${body}\n` : ''
}

type CachedFlag = Command.Flag.Cached

// Long lists of options are shown with the summary, where they can be wrapped.
const optionsWidthMax = 30

const isGlobalFlag = (flag: CachedFlag) => flag.helpGroup === 'GLOBAL'

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

function renderUsage(id: string, args: readonly Command.Arg.Cached[]): string {
  const names = args.map(({name, required}) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  return `${indent}$ ${['svc', toCommandName(id), ...names, '[flags]'].join(' ')}`
}

const prompt = `${indent}$ `
const lineEnd = ' \\'

// Breaks a command between words as the shell sees them, so that it can still be copied and run.
function breakCommand(command: string, width: number): string[] {
  const lines = ['']
  for (const word of command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    const line = lines.pop() ?? ''
    if (line === '') lines.push(word)
    else if (line.length + word.length + 1 <= width - lineEnd.length) lines.push(`${line} ${word}`)
    else lines.push(line + lineEnd, indent + word)
  }
  return lines
}

function renderExample(example: Command.Example, page: Page): string {
  if (typeof example === 'string') return `${indent}${example}`
  const description = wrapLines(example.description, page.width - prompt.length).map((line) => `${indent}# ${line}`)
  const lines = breakCommand(example.command, page.width - prompt.length)
  return [...description, `${prompt}${lines.join(`\n${' '.repeat(prompt.length)}`)}`].join('\n')
}

export function renderCommandHelp(command: CommandDescription, page: Page): string {
  const flags = Object.values(command.flags).filter(({hidden}) => !hidden)
  const args = Object.values(command.args).filter(({hidden}) => !hidden)
  const table = (rows: readonly Row[]) => (rows.length > 0 ? renderRows(rows, page) : undefined)
  const {summary = '', description = '', examples = []} = command
  return [
    `${summary}\n`,
    renderSection('USAGE', renderUsage(command.id, args), page),
    description === '' ? '' : `\n${wrapLines(description, page.width).join('\n')}\n`,
    renderSection('EXAMPLES', examples.map((example) => renderExample(example, page)).join('\n\n'), page),
    renderSection('ARGUMENTS', table(args.map(toArgumentRow)), page),
    renderSection('FLAGS', table(flags.filter((flag) => !isGlobalFlag(flag)).map(toFlagRow)), page),
    renderSection('GLOBAL FLAGS', renderGlobalFlags(flags.filter(isGlobalFlag), page), page),
    renderSection('EXIT CODES', renderExitCodes(command, page), page),
  ].join('')
}

// They are the same for every command, so they are only named.
const renderGlobalFlags = (flags: readonly CachedFlag[], page: Page): string => {
  const names = flags.map(({name, char}) => `${char ? `-${char}, ` : ''}--${name}`)
  return indentText(`${names.join(', ')}: svc docs output`, page)
}

function renderExitCodes({exits}: CommandDescription, page: Page): string | undefined {
  return exits && indentText(`0, ${exits.join(', ')}: svc docs exit-codes`, page)
}

const indentText = (text: string, page: Page) =>
  wrapLines(text, page.width - indent.length)
    .map((line) => `${indent}${line}`)
    .join('\n')

const toArgumentRow = ({name, description, options}: Command.Arg.Cached): Row => [
  name.toUpperCase(),
  `${description ?? ''}${options ? ` (${options.join(', ')})` : ''}`,
]
