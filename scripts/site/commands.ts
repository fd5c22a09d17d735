// Describes every command as Markdown, from the same data as help: usage, flags, exit codes and examples.
import type {Command} from '@oclif/core'
import {breakCommand, isGlobalFlag} from '../../src/cli/help/command-help.ts'
import {type CommandGroup, commandGroups} from '../../src/cli/help/groups.ts'
import type {HelpSource} from '../../src/cli/help/help-source.ts'
import {helpTopics} from '../../src/cli/help/help-topics.ts'
import {exitCodeMeanings} from '../../src/errors.ts'
import type {SitePage} from './page.ts'

type CachedCommand = Command.Cached & {exits?: readonly number[]}

const toWords = (id: string) => id.replaceAll(':', ' ')
export const toCommandPath = (id: string) => `commands/${id.replaceAll(':', '-')}.html`
const toLink = (id: string) =>
  `[svc ${toWords(id)}](${toCommandPath(id).replace('commands/', '').replace('.html', '.md')})`

const endSentence = (text: string) => (text === '' || /[.!?:]$/.test(text) ? text : `${text}.`)
const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const renderTable = (header: readonly string[], rows: ReadonlyArray<readonly string[]>) =>
  rows.length === 0
    ? ''
    : [header, header.map(() => '---'), ...rows.map((cells) => cells.map(escapeCell))]
        .map((cells) => `| ${cells.join(' | ')} |`)
        .join('\n')

const renderSection = (title: string, body: string) => (body === '' ? '' : `\n## ${title}\n\n${body}\n`)

const listVisible = (flags: Command.Cached['flags']) => Object.values(flags).filter(({hidden}) => !hidden)

function readValueName(flag: Command.Flag.Cached): string {
  if (flag.type !== 'option') return ''
  return ` ${'helpValue' in flag && typeof flag.helpValue === 'string' ? flag.helpValue : 'VALUE'}`
}

function describeFlag(flag: Command.Flag.Cached): string {
  const options = 'options' in flag ? (flag.options ?? []) : []
  const env = 'env' in flag ? flag.env : undefined
  return [
    endSentence(flag.summary ?? flag.description ?? ''),
    ...(options.length > 0 ? [`One of ${options.map((option) => `\`${option}\``).join(', ')}.`] : []),
    ...(flag.required ? ['Required.'] : []),
    ...(env ? [`Variable: \`${env}\`.`] : []),
  ].join(' ')
}

const toFlagRow = (flag: Command.Flag.Cached) => [
  `\`${flag.char ? `-${flag.char}, ` : ''}--${flag.name}${readValueName(flag)}\``,
  describeFlag(flag),
]

const renderFlags = (flags: readonly Command.Flag.Cached[]) => renderTable(['Flag', 'Meaning'], flags.map(toFlagRow))

function renderUsage({id, args}: Command.Cached): string {
  const words = Object.values(args)
    .filter(({hidden}) => !hidden)
    .map(({name, required}) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  return `    ${['svc', toWords(id), ...words, '[flags]'].join(' ')}`
}

const renderArguments = ({args}: Command.Cached) =>
  renderTable(
    ['Argument', 'Meaning'],
    Object.values(args)
      .filter(({hidden}) => !hidden)
      .map(({name, description, options}) => [
        `\`${name.toUpperCase()}\``,
        [endSentence(description ?? ''), ...(options ? [`One of ${options.join(', ')}.`] : [])].join(' '),
      ]),
  )

// Lines of an example fit into the page without moving it.
const exampleWidth = 84

function renderExample(example: Command.Example): string {
  if (typeof example === 'string') return `    ${example}`
  const lines = breakCommand(example.command, exampleWidth).map((line) => `    ${line}`)
  return `${endSentence(example.description).replace(/\.$/, ':')}\n\n${lines.join('\n')}`
}

const renderExitCodes = ({exits}: CachedCommand) =>
  renderTable(
    ['Code', 'Meaning'],
    exitCodeMeanings
      .filter(({code}) => code === 0 || (exits ?? []).includes(code))
      .map(({code, meaning}) => [String(code), meaning]),
  )

const renderCommandList = (ids: readonly string[], {commands}: HelpSource) =>
  commands
    .filter(({id, isHidden}) => !isHidden && ids.includes(id))
    .map(({id, summary}) => `- ${toLink(id)}: ${endSentence(summary)}`)
    .join('\n')

const listBelow = (id: string, {commands}: HelpSource) =>
  commands.filter((other) => !other.isHidden && other.id.startsWith(`${id}:`)).map((other) => other.id)

// Guides that name the command most often.
function renderGuides(id: string, guides: readonly SitePage[]): string {
  const name = new RegExp(`\\bsvc ${toWords(id)}(?![\\w-])`, 'g')
  const guidesMax = 4
  return guides
    .filter(({group, source}) => group !== undefined && source.startsWith('docs/'))
    .map((page) => ({page, count: page.markdown.match(name)?.length ?? 0}))
    .filter(({count}) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, guidesMax)
    .map(({page}) => `- [${page.title}](../${page.source.replace('docs/', '')}): ${page.summary}`)
    .join('\n')
}

function createCommandPage(command: CachedCommand, help: HelpSource, guides: readonly SitePage[]): SitePage {
  const flags = listVisible(command.flags)
  const own = flags.filter((flag) => !isGlobalFlag(flag))
  const hasGlobal = flags.some(isGlobalFlag)
  const globalNote = hasGlobal ? '\nThe flags that every command has are on [one page](flags.md).\n' : ''
  const summary = endSentence(command.summary ?? '')
  const description = (command.description ?? '').split('\n').join('\n\n')
  const markdown = [
    `# svc ${toWords(command.id)}\n\n${summary}\n\n${renderUsage(command)}\n`,
    description === '' ? '' : `\n${description}\n`,
    renderSection('Examples', (command.examples ?? []).map(renderExample).join('\n\n')),
    renderSection('Arguments', renderArguments(command)),
    renderSection('Flags', renderFlags(own)),
    globalNote,
    renderSection('Exit codes', command.exits ? renderExitCodes(command) : ''),
    renderSection('Commands', renderCommandList(listBelow(command.id, help), help)),
    renderSection('Guides', renderGuides(command.id, guides)),
  ].join('')
  return createPage(command.id, `svc ${toWords(command.id)}`, summary, markdown)
}

const createPage = (id: string, title: string, summary: string, markdown: string): SitePage => ({
  path: toCommandPath(id),
  title,
  summary,
  markdown,
  source: `docs/${toCommandPath(id).replace('.html', '.md')}`,
  parents: listParents(id),
  kind: 'Command',
})

// The list of commands, and the topics that the command is in.
function listParents(id: string): Array<{title: string; path: string}> {
  if (id === 'index') return []
  const words = id.split(':')
  const topics = words.slice(0, -1).map((title, index) => ({
    title,
    path: toCommandPath(words.slice(0, index + 1).join(':')),
  }))
  return [{title: 'Commands', path: toCommandPath('index')}, ...topics]
}

function createTopicPage(topic: string, help: HelpSource): SitePage {
  const summary = endSentence(help.topics[topic]?.description ?? '')
  const list = renderCommandList(listBelow(topic, help), help)
  return createPage(topic, `svc ${toWords(topic)}`, summary, `# svc ${toWords(topic)}\n\n${summary}\n\n${list}\n`)
}

// The flags that every command has, and the variables that svc reads.
function createFlagsPage(help: HelpSource): SitePage {
  const flags = help.commands
    .map(({id}) => listVisible(help.readCommand(id).flags).filter(isGlobalFlag))
    .find((found) => found.length > 0)
  const {environment} = helpTopics
  const variables = (environment?.sections ?? []).map(
    ({title, rows}) =>
      `### ${title.slice(0, 1)}${title.slice(1).toLowerCase()}\n\n${renderTable(
        ['Variable', 'Meaning'],
        rows.map(([name, text]) => [`\`${name}\``, endSentence(text)]),
      )}`,
  )
  const summary = 'The flags that every command has, and the environment variables that svc reads.'
  const markdown = `# Flags and variables\n\n${summary}\n\n## Flags\n\n${renderFlags(flags ?? [])}\n\n## Variables\n\n${environment?.intro ?? ''}\n\n${variables.join('\n\n')}\n`
  return createPage('flags', 'Flags and variables', summary, markdown)
}

// In the groups of `svc help`: first what is one command, then the topics with theirs.
function renderGroup({title, commands, also = []}: CommandGroup, help: HelpSource): string {
  const names = [...commands, ...also]
  const single = names.filter((name) => !Object.hasOwn(help.topics, name))
  const topics = names
    .filter((name) => Object.hasOwn(help.topics, name))
    .map(
      (topic) =>
        `\n### ${topic}\n\n${endSentence(help.topics[topic]?.description ?? '')}\n\n${renderCommandList([...help.commands.map(({id}) => id).filter((id) => id === topic), ...listBelow(topic, help)], help)}\n`,
    )
  return `\n## ${title}\n\n${single.length > 0 ? `${renderCommandList(single, help)}\n` : ''}${topics.join('')}`
}

function createIndexPage(help: HelpSource): SitePage {
  const summary = 'Every command of svc, with its flags, exit codes and examples.'
  const groups = commandGroups.map((group) => renderGroup(group, help))
  const markdown = `# Commands\n\n${summary} [Flags and variables](flags.md) has what all commands share.\n${groups.join('')}`
  return createPage('index', 'Commands', summary, markdown)
}

export function createCommandPages(help: HelpSource, guides: readonly SitePage[]): SitePage[] {
  const visible = help.commands.filter(({isHidden}) => !isHidden).map(({id}) => id)
  const topics = Object.keys(help.topics).filter((topic) => !visible.includes(topic))
  return [
    createIndexPage(help),
    createFlagsPage(help),
    ...topics.map((topic) => createTopicPage(topic, help)),
    ...visible.map((id) => createCommandPage(help.readCommand(id), help, guides)),
  ]
}
