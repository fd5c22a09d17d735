// Renders the manual pages from what help shows: svc(1), one page per topic and one per command.
import type {Command} from '@oclif/core'
import {exitCodeMeanings} from '../../src/errors.ts'
import {breakCommand, isGlobalFlag} from '../../src/cli/help/command-help.ts'
import type {CommandSummary, HelpSource} from '../../src/cli/help/help-source.ts'
import {helpTopics} from '../../src/cli/help/help-topics.ts'
import {bold, italic, renderCode, renderEntry, renderProse, renderSection} from './roff.ts'

type CachedFlag = Command.Flag.Cached
type CachedCommand = Command.Cached & {exits?: readonly number[]}

export interface ManualSource {
  help: HelpSource
  version: string
  // Shown at the foot of a page, such as 2026-11-16. Without one, pages of the same sources are the same.
  date?: string | undefined
}

const toWords = (id: string) => id.replaceAll(':', ' ')
const toPageName = (id: string) => (id === '' ? 'svc' : `svc-${id.replaceAll(':', '-')}`)
const quote = (text: string) => `"${text.replaceAll('"', '')}"`

const renderReference = (id: string) => `${bold(toPageName(id))}(1)`

// Lines of an example fit beside the margin of a terminal of 80 columns.
const exampleWidth = 66

// Names of flags must not be broken, and not be stretched to a straight margin.
const layout = '.nh\n.ad l\n'

function renderHeader(id: string, {version, date = ''}: ManualSource): string {
  return `.TH ${toPageName(id).toUpperCase().replaceAll('-', '\\-')} 1 ${quote(date)} ${quote(`svc ${version}`)} ${quote('svc manual')}\n${layout}`
}

const renderName = (id: string, summary: string) => renderSection('NAME', renderProse(`${toPageName(id)} - ${summary}`))

function renderFlagTerm(flag: CachedFlag): string {
  const names = [...(flag.char ? [`-${flag.char}`] : []), `--${flag.name}`].map(bold).join(', ')
  return flag.type === 'option' ? `${names} ${italic(readValueName(flag))}` : names
}

const optionsWidthMax = 30

function readValueName(flag: CachedFlag): string {
  if ('helpValue' in flag && typeof flag.helpValue === 'string') return flag.helpValue
  const options = 'options' in flag ? (flag.options ?? []).join('|') : ''
  return options === '' || options.length > optionsWidthMax ? 'VALUE' : options
}

const endSentence = (text: string) => (/[.!?:]$/.test(text) || text === '' ? text : `${text}.`)

// The values that it takes, the flags it excludes and needs, and its variable, as sentences behind the summary.
function describeFlag(flag: CachedFlag): string {
  const options = 'options' in flag ? (flag.options ?? []) : []
  const other = (names: readonly string[] | undefined) => (names ?? []).map((name) => `\`--${name}\``).join(', ')
  return [
    endSentence(flag.summary ?? flag.description ?? ''),
    ...(options.length > 0 ? [`One of ${options.join(', ')}.`] : []),
    ...(flag.required ? ['Required.'] : []),
    ...('multiple' in flag && flag.multiple ? ['Can be given several times.'] : []),
    ...(flag.dependsOn?.length ? [`Needs ${other(flag.dependsOn)}.`] : []),
    ...(flag.exclusive?.length ? [`Not with ${other(flag.exclusive)}.`] : []),
  ].join(' ')
}

const listVisible = (flags: Command.Cached['flags']) => Object.values(flags).filter(({hidden}) => !hidden)

const renderFlags = (flags: readonly CachedFlag[]) =>
  flags.map((flag) => renderEntry(renderFlagTerm(flag), describeFlag(flag))).join('\n')

function renderSynopsis({id, args}: Command.Cached): string {
  const words = Object.values(args)
    .filter(({hidden}) => !hidden)
    .map(({name, required}) => (required ? italic(name.toUpperCase()) : `[${italic(name.toUpperCase())}]`))
  return [bold(`svc ${toWords(id)}`), ...words, `[${italic('flags')}]`].join(' ')
}

function renderArguments({args}: Command.Cached): string {
  return Object.values(args)
    .filter(({hidden}) => !hidden)
    .map(({name, description, options}) =>
      renderEntry(
        italic(name.toUpperCase()),
        [endSentence(description ?? ''), ...(options ? [`One of ${options.join(', ')}.`] : [])].join(' '),
      ),
    )
    .join('\n')
}

function renderExample(example: Command.Example): string {
  if (typeof example === 'string') return renderCode([example])
  const lines = breakCommand(example.command, exampleWidth)
  return `${renderProse(endSentence(example.description).replace(/\.$/, ':'))}\n${renderCode(lines)}`
}

const joinParagraphs = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n.PP\n')

const renderExitCodes = (codes: readonly number[] | undefined) =>
  exitCodeMeanings
    .filter(({code}) => codes === undefined || codes.includes(code) || code === 0)
    .map(({code, meaning}) => renderEntry(bold(String(code)), meaning))
    .join('\n')

function renderVariables(flags: readonly CachedFlag[]): string {
  return flags
    .flatMap((flag) => ('env' in flag && flag.env ? [renderEntry(bold(flag.env), `Sets \`--${flag.name}\`.`)] : []))
    .join('\n')
}

// The page above comes first, then those beside it.
function renderSeeAlso(id: string, {commands, topics}: HelpSource): string {
  const parent = id.split(':').slice(0, -1).join(':')
  const beside = commands
    .filter((other) => !other.isHidden && other.id !== id && parent !== '' && other.id.startsWith(`${parent}:`))
    .map((other) => other.id)
  const below = Object.hasOwn(topics, id) ? commands.filter((other) => other.id.startsWith(`${id}:`)) : []
  const ids = new Set(['', ...(parent ? [parent] : []), ...beside, ...below.map((each) => each.id)])
  return [...ids].map(renderReference).join(',\n')
}

function renderCommandPage(command: CachedCommand, source: ManualSource): string {
  const flags = listVisible(command.flags)
  const own = flags.filter((flag) => !isGlobalFlag(flag))
  const hasGlobal = flags.some(isGlobalFlag)
  const options = [renderArguments(command), renderFlags(own)].filter((part) => part !== '').join('\n')
  const mainPage = renderReference('')
  const globalFlags = `The flags that every command has, such as ${bold('--profile')},\n${bold('--output')} and ${bold('--json')}, are in ${mainPage}.`
  return [
    renderHeader(command.id, source),
    renderName(command.id, command.summary ?? ''),
    renderSection('SYNOPSIS', renderSynopsis(command)),
    renderSection('DESCRIPTION', renderProse(command.description ?? endSentence(command.summary ?? ''))),
    renderSection('OPTIONS', joinParagraphs([options, hasGlobal ? globalFlags : ''])),
    renderSection(
      'ENVIRONMENT',
      joinParagraphs([
        renderVariables(own),
        hasGlobal ? `The variables that every command reads are in ${mainPage}.` : '',
      ]),
    ),
    renderSection('EXIT STATUS', renderExitStatus(command)),
    renderSection('EXAMPLES', joinParagraphs((command.examples ?? []).map(renderExample))),
    renderSection('SEE ALSO', renderSeeAlso(command.id, source.help)),
  ].join('')
}

function renderExitStatus({exits}: CachedCommand): string {
  const all = `All codes are in ${renderReference('')}.`
  return exits ? `${renderExitCodes(exits)}\n.PP\n${all}` : `0 if it succeeded. ${all}`
}

const renderCommandList = (commands: readonly CommandSummary[]) =>
  commands.map(({id, summary}) => renderEntry(bold(`svc ${toWords(id)}`), endSentence(summary))).join('\n')

function renderTopicPage(topic: string, source: ManualSource): string {
  const {topics, commands} = source.help
  const summary = topics[topic]?.description ?? ''
  const below = commands.filter(({id, isHidden}) => !isHidden && id.startsWith(`${topic}:`))
  return [
    renderHeader(topic, source),
    renderName(topic, summary),
    renderSection('SYNOPSIS', `${bold(`svc ${toWords(topic)}`)} ${italic('command')} [${italic('flags')}]`),
    renderSection('DESCRIPTION', renderProse(endSentence(summary))),
    renderSection('COMMANDS', renderCommandList(below)),
    renderSection('SEE ALSO', renderSeeAlso(topic, source.help)),
  ].join('')
}

const files: ReadonlyArray<readonly [string, string]> = [
  [
    '~/.config/svc/config.json',
    'Profiles and settings, without credentials. `$XDG_CONFIG_HOME` and `SVC_CONFIG_DIR` move it.',
  ],
  [
    '~/.local/state/svc/',
    'What svc remembers: the payment journal, received events, the sandbox, ids for completion. `$XDG_STATE_HOME` and `SVC_STATE_DIR` move it.',
  ],
  ['~/.cache/svc/', 'Compiled code and completion scripts; it can be removed. `SVC_CACHE_DIR` moves it.'],
  ['.svc.json', 'Chooses a profile for a folder and those below it.'],
]

function renderMainPage(source: ManualSource): string {
  const {help} = source
  const visible = help.commands.filter(({isHidden}) => !isHidden)
  const globalFlags = visible
    .map(({id}) => listVisible(help.readCommand(id).flags).filter(isGlobalFlag))
    .find((flags) => flags.length > 0)
  const renderRows = (rows: ReadonlyArray<readonly [string, string]>) =>
    rows.map(([term, text]) => renderEntry(bold(term.trim()), endSentence(text))).join('\n')
  const {environment, output} = helpTopics
  const renderSubsections = (topic: typeof environment) =>
    (topic?.sections ?? []).map(({title, rows}) => `.SS ${toTitle(title)}\n${renderRows(rows)}`).join('\n')
  return [
    renderHeader('', source),
    renderName('', help.summary),
    renderSection('SYNOPSIS', `${bold('svc')} ${italic('command')} [${italic('flags')}]`),
    renderSection(
      'DESCRIPTION',
      renderProse(
        `${endSentence(help.summary)}\nEach command has a page of its own, such as \`svc-pay\`(1), and \`svc COMMAND --help\`. \`svc docs\` shows guides by task. To try it on the built-in sandbox: \`svc customers list -p sandbox\`.`,
      ),
    ),
    renderSection('COMMANDS', renderCommandList(visible)),
    renderSection('OPTIONS', `Every command has these:\n${renderFlags(globalFlags ?? [])}`),
    renderSection('OUTPUT', `${renderProse(output?.intro ?? '')}\n${renderSubsections(output)}`),
    renderSection('ENVIRONMENT', `${renderProse(environment?.intro ?? '')}\n${renderSubsections(environment)}`),
    renderSection('EXIT STATUS', renderExitCodes(undefined)),
    renderSection('FILES', renderRows(files)),
    renderSection('EXAMPLES', joinParagraphs(mainExamples.map(renderExample))),
    renderSection('SEE ALSO', renderTopicReferences(help)),
  ].join('')
}

const toTitle = (text: string) => `${text.slice(0, 1)}${text.slice(1).toLowerCase()}`

const mainExamples: readonly Command.Example[] = [
  {description: 'List customers of the built-in sandbox', command: 'svc customers list -p sandbox'},
  {description: 'Take the tour of two minutes', command: 'svc tour'},
  {description: 'Read how svc pays once', command: 'svc docs paying-once'},
]

const renderTopicReferences = ({topics, commands}: HelpSource) =>
  [...new Set([...Object.keys(topics), ...commands.flatMap(({id, isHidden}) => (isHidden ? [] : [id]))])]
    .filter((id) => !id.includes(':'))
    .toSorted()
    .map(renderReference)
    .join(',\n')

// Every page, by the name of its file.
export function renderManual(source: ManualSource): Map<string, string> {
  const {topics, commands, readCommand} = source.help
  const visible = commands.filter(({isHidden}) => !isHidden)
  const topicsAlone = Object.keys(topics).filter((topic) => visible.every(({id}) => id !== topic))
  return new Map([
    ['svc.1', renderMainPage(source)],
    ...topicsAlone.map((topic) => [`${toPageName(topic)}.1`, renderTopicPage(topic, source)] as const),
    ...visible.map(({id}) => [`${toPageName(id)}.1`, renderCommandPage(readCommand(id), source)] as const),
  ])
}
