// The status as a page, and the same data as a record.
import type {Painter} from '../cli/output/colour.ts'
import {cleanText} from '../cli/output/clean.ts'
import {type View, createColumn} from '../cli/output/view.ts'
import {wrapText} from '../cli/output/wrap-text.ts'
import {type CallerOverview, describeOrganization} from '../profiles/organization.ts'
import {capitalize} from '../values/text.ts'
import type {AttentionGroup, NextCommand, PartlyRead, Status} from './status.ts'

export const statusView: View<Status> = {
  singular: 'status',
  plural: 'statuses',
  covers: ['caller'],
  columns: [
    createColumn('version', 0),
    createColumn('profile', 0, {value: ({caller}) => caller.profile}),
    createColumn('environment', 0, {value: ({caller}) => caller.environment, kind: 'status'}),
    createColumn('baseUrl', 0, {short: 'address', header: 'ADDRESS', value: ({caller}) => caller.baseUrl}),
    createColumn('organization', 0, {
      value: ({caller}) => caller.organization,
      format: (_, {caller}) => describeOrganization(caller),
    }),
    createColumn('may', 0, {value: ({caller}) => caller.may}),
    createColumn('service', 0, {format: (_, status) => describeService(status)}),
    createColumn('attention', 0, {format: (_, {attention}) => attention.map(({text}) => text)}),
    createColumn('unread', 0),
    createColumn('partlyRead', 0, {
      header: 'PARTLY READ',
      format: (_, {partlyRead}) => partlyRead.map(describePartlyRead),
    }),
    createColumn('next', 0, {format: (_, {next}) => next.map(({command}) => command)}),
  ],
}

const describeService = ({service}: Status) =>
  service.reachable ? 'reachable' : `not reachable: ${service.message ?? ''}`

const widthMax = 100
const indent = '  '

type Lines = string[]

const indentLines = (text: string, width: number, margin: string): Lines =>
  wrapText(cleanText(text), width - margin.length).map((line) => `${margin}${line}`)

function renderCaller(caller: CallerOverview, version: string, painter: Painter, width: number): Lines {
  const who = caller.profile === undefined ? 'the environment' : `profile "${cleanText(caller.profile)}"`
  const isUsual = caller.chosenBy === undefined || caller.chosenBy === 'current profile'
  const organization = describeOrganization(caller)
  const {may} = caller
  const more = [
    `You may ${may}.`,
    ...(organization ? [`Organization ${organization}.`] : []),
    ...(isUsual ? [] : [`Chosen by ${caller.chosenBy}.`]),
  ]
  // The sandbox's own profile says it all.
  const isSandboxItself =
    caller.profile === 'sandbox' && caller.environment === 'sandbox' && caller.baseUrl === 'sandbox:'
  const where = isSandboxItself
    ? [painter.status('sandbox')]
    : [who, painter.status(caller.environment), cleanText(caller.baseUrl)]
  return [
    [painter.bold(`svc ${version}`), ...where].join('  '),
    ...more.flatMap((line) => wrapText(cleanText(line), width)).map((line) => painter.dim(line)),
  ]
}

const partialNote = ' (the list goes on)'

const describePartlyRead = ({list, count}: PartlyRead) =>
  `Of the ${list}, only the first ${count} ${count === 1 ? 'was' : 'were'} read; there may be more`

const itemsMax = 3

function renderAttention({text, isPartial, items}: AttentionGroup, painter: Painter, width: number): Lines {
  const more = items.length - itemsMax
  return [
    ...indentLines(`${text}${isPartial ? partialNote : ''}`, width, indent).map((line, index) =>
      index === 0 ? `${painter.alarm('!')}${line.slice(1)}` : line,
    ),
    ...items
      .slice(0, itemsMax)
      .flatMap(({id, name, detail}) =>
        indentLines([name, id, detail].filter(Boolean).join('  '), width, indent.repeat(2)).map((line) =>
          painter.dim(line),
        ),
      ),
    ...(more > 0 ? [painter.dim(`${indent.repeat(2)}… and ${more} more`)] : []),
  ]
}

const commandWidthMax = 44

// A long command gets a line of its own.
function renderNext(next: readonly NextCommand[], painter: Painter, width: number): Lines {
  const left = Math.max(...next.map(({command}) => command.length).filter((length) => length <= commandWidthMax), 0)
  const margin = ' '.repeat(indent.length + left + 2)
  return next.flatMap(({command, why}) => {
    const shown = cleanText(command)
    const [first = '', ...rest] = wrapText(why, Math.max(width - margin.length, 20))
    const head =
      shown.length > left
        ? [`${indent}${painter.bold(shown)}`, `${margin}${first}`]
        : [`${indent}${painter.bold(shown)}${' '.repeat(left - shown.length + 2)}${first}`]
    return [...head, ...rest.map((line) => `${margin}${line}`)]
  })
}

const renderSection = (title: string, lines: Lines, painter: Painter): Lines =>
  lines.length === 0 ? [] : ['', painter.bold(title), ...lines]

function renderState({service, attention, unread, partlyRead}: Status, painter: Painter, width: number): Lines {
  const lines = attention.flatMap((each) => renderAttention(each, painter, width))
  const problems = [
    ...(!service.reachable ? [`The service could not be asked: ${service.message ?? ''}.`] : []),
    ...unread.map((text) => `${capitalize(text)}.`),
    ...partlyRead.map((part) => `${describePartlyRead(part)}.`),
  ].flatMap((text) => indentLines(text, width, indent))
  const isAllRight = lines.length === 0 && problems.length === 0
  return [
    ...(isAllRight ? ['', 'Nothing needs attention.'] : []),
    ...renderSection('Needs attention', lines, painter),
    ...renderSection('Not known', problems, painter),
  ]
}

export function renderStatus(status: Status, painter: Painter, terminalWidth: number | undefined): string {
  const width = terminalWidth === undefined ? Infinity : Math.min(terminalWidth, widthMax)
  const {caller, version, next} = status
  return [
    ...renderCaller(caller, version, painter, width),
    ...renderState(status, painter, width),
    ...renderSection('Next', renderNext(next, painter, width), painter),
  ]
    .map((line) => `${line}\n`)
    .join('')
}
