// Renders the help of one command. The short form has what most people need, the full one everything.
import type {Command} from '@oclif/core'
import {exitCodeMeanings} from '../../errors.ts'
import {breakCommand} from './command-lines.ts'
import {type Page, type Row, indent, renderRows, renderSection, toCommandName, wrapBeside} from './layout.ts'
import {wrapMessage} from '../output/wrap-message.ts'

const codeWidth = 3

type CachedFlag = Command.Flag.Cached

// Long lists of options are shown with the summary, where they can be wrapped.
const optionsWidthMax = 30

// Flags that few people need. The short help leaves them out.
const rareFlags = new Set([
  'accept-warnings',
  'all-places',
  'allow-duplicates',
  'allow-frames',
  'allow-remote',
  'allow-unknown-fields',
  'catch-up',
  'correlation-id',
  'developer-fee',
  'developer-fee-type',
  'duplicate-window',
  'forget-knowledge',
  'from-method',
  'header',
  'idempotency-key',
  'knowledge-from',
  'no-draft',
  'page-size',
  'page-token',
  'partial',
  'reveal',
  'service',
  'slot',
  'slot-zone',
  'stop-after',
  'to-method',
])

const examplesShown = 2

export const isGlobalFlag = (flag: CachedFlag) => flag.helpGroup === 'GLOBAL'

// The variables of flags are in the full help only.
export function toFlagRow(flag: CachedFlag, isFull: boolean): Row {
  const short = flag.char ? `-${flag.char}, ` : '    '
  const options = 'options' in flag ? (flag.options ?? []).join('|') : ''
  const isLong = options.length > optionsWidthMax
  const value = flag.type === 'option' ? ` ${isLong || options === '' ? getHelpValue(flag) : options}` : ''
  const env = isFull && 'env' in flag && flag.env ? ` [${flag.env}]` : ''
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

function renderExample(example: Command.Example, page: Page): string {
  if (typeof example === 'string') return `${indent}${example}`
  const lines = breakCommand(example.command, page.width - prompt.length)
  const description = wrapBeside(example.description, prompt.length, page).map((line) => `${indent}# ${line}`)
  return [...description, `${prompt}${lines.join(`\n${' '.repeat(prompt.length)}`)}`].join('\n')
}

export function renderCommandHelp(command: Command.Cached, isFull: boolean, page: Page): string {
  const flags = Object.values(command.flags).filter(({hidden}) => !hidden)
  const own = flags.filter((flag) => !isGlobalFlag(flag))
  const shown = isFull ? own : own.filter(({name, required}) => required || !rareFlags.has(name))
  const table = (rows: CachedFlag[]) =>
    rows.length > 0
      ? renderRows(
          rows.map((flag) => toFlagRow(flag, isFull)),
          page,
        )
      : undefined
  const args = Object.values(command.args).filter(({hidden}) => !hidden)
  const examples = command.examples ?? []
  const shownExamples = isFull ? examples : examples.slice(0, examplesShown)
  const hasGlobalFlags = flags.some(isGlobalFlag)
  return [
    `${command.summary ?? ''}\n`,
    renderSection('USAGE', renderUsage(command), page),
    renderDescription(command, isFull, page),
    renderSection('EXAMPLES', shownExamples.map((example) => renderExample(example, page)).join('\n\n'), page),
    renderSection('ARGUMENTS', args.length > 0 ? renderRows(args.map(toArgumentRow), page) : undefined, page),
    renderSection('FLAGS', table(shown), page),
    renderSection('GLOBAL FLAGS', hasGlobalFlags ? `${indent}${globalFlagsLine}` : undefined, page),
    isFull
      ? renderSection('EXIT CODES', renderExitCodes(command, page), page)
      : renderRest(command, own.length - shown.length, examples.length - shownExamples.length, page),
  ].join('')
}

const globalFlagsLine = '-p NAME, -o FORMAT, --json, --jq EXPR, --quiet and others: `svc help flags`'

// The first paragraph says what the command does, the others are for who wants to know more.
function renderDescription({description = ''}: Command.Cached, isFull: boolean, page: Page): string {
  const shown = isFull ? description : (description.split('\n', 1)[0] ?? '')
  return shown === '' ? '' : `\n${wrapBeside(shown, 0, page).join('\n')}\n`
}

const count = (amount: number, what: string) =>
  amount === 0 ? [] : [`${amount} more ${what}${amount === 1 ? '' : 's'}`]

// Says what the short help left out.
function renderRest(
  command: Command.Cached & {exits?: readonly number[]},
  flagCount: number,
  exampleCount: number,
  {width}: Page,
): string {
  const left = [
    ...(command.description?.includes('\n') ? ['the details'] : []),
    ...count(flagCount, 'flag'),
    ...count(exampleCount, 'example'),
    ...(command.exits ? ['the exit codes'] : []),
  ]
  if (left.length === 0) return ''
  const list = [left.slice(0, -1).join(', '), left.at(-1)].filter((part) => part !== '').join(' and ')
  const sentence = `\`svc help ${toCommandName(command.id)} --all\` also shows ${list}.`
  return `\n${wrapMessage(sentence, width)}\n`
}

function renderExitCodes({exits}: Command.Cached & {exits?: readonly number[]}, page: Page): string | undefined {
  if (!exits) return undefined
  const known = exitCodeMeanings.filter(({code}) => exits.includes(code))
  return renderRows(
    known.map(({code, meaning}): Row => [String(code).padStart(codeWidth), meaning]),
    page,
  )
}

const toArgumentRow = ({name, description, options}: Command.Arg.Cached): Row => [
  name.toUpperCase(),
  `${description ?? ''}${options ? ` (${options.join(', ')})` : ''}`,
]
