// Simulations of rules: one as a record that is read from top to bottom, several as a table of what comes next.
import type {Firing} from '../firings.ts'
import type {Simulation} from './simulate-rule.ts'
import {type Column, type View, toText} from '../../cli/output/view.ts'

// Records have their labels beside them; this leaves room for those on a terminal of eighty columns.
const lineLengthMax = 66

function wrapText(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > lineLengthMax) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const dayLength = 3

const formatMinute = (timestamp: string) => timestamp.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')
const formatUtc = (timestamp: string) => `${days[new Date(timestamp).getUTCDay()]} ${formatMinute(timestamp)} UTC`

// A local time ends with its distance from UTC, as in 2026-03-27T10:00:00+01:00.
const distanceLength = '+01:00'.length

// One instant twice: in UTC, and by the clock on the wall here.
export const formatFiring = ({utc, local, weekday}: Firing) =>
  `${formatUtc(utc)}   ${weekday.slice(0, dayLength)} ${formatMinute(local)} ${local.slice(-distanceLength)}`

const formatFirings = ({firings: all}: Simulation) => all.map(formatFiring)

const joinAmount = (amount: unknown, label: unknown) =>
  [amount, label]
    .map(toText)
    .filter((part) => part !== '')
    .join(' ')

const formatSourceAmount = ({rule}: Simulation, amount: unknown) =>
  joinAmount(amount, rule.transactionTemplate.source.sourceCurrency)

const origins = {given: 'as given', sandbox: 'now, in the sandbox'} as const

const formatBalance = (simulation: Simulation) =>
  simulation.balance &&
  `${formatSourceAmount(simulation, simulation.balance.amount)} (${origins[simulation.balance.from]})`

function formatThreshold(simulation: Simulation): string | undefined {
  if (!simulation.threshold) return undefined
  const {amount, reached, missing} = simulation.threshold
  const state = reached ? ', reached' : missing && `, not reached: ${formatSourceAmount(simulation, missing)} missing`
  return `${formatSourceAmount(simulation, amount)}${state ?? ''}`
}

const formatMoves = (simulation: Simulation) =>
  simulation.moves.map(({firing, amount, balanceAfter, refused}) => {
    const done = `${formatSourceAmount(simulation, amount)}, leaving ${formatSourceAmount(simulation, balanceAfter)}`
    return `${firing === undefined ? '' : `${firing}. `}${refused ?? done}`
  })

const endings: Readonly<Record<string, string>> = {one: 'st', two: 'nd', few: 'rd', other: 'th'}
const formatOrdinal = (place: number) =>
  `${place}${endings[new Intl.PluralRules('en', {type: 'ordinal'}).select(place)] ?? ''}`

const formatRunOut = ({runsOut: end}: Simulation) =>
  end && `the ${formatOrdinal(end.firing)} firing, ${formatUtc(end.utc)}, would find too little`

// The service's own object, of which any part may be missing.
type Loose = {readonly [field: string]: Loose | undefined}

function formatCost({quote, rule}: Simulation): string[] | undefined {
  if (!quote) return undefined
  const {fees, estimatedExchangeRate, destinationAmount} = quote as Loose
  const label = fees?.['feeCurrency']?.['label']
  const {destinationCurrency} = rule.transactionTemplate.destination
  const lines = [
    ['service fee', joinAmount(fees?.['svcFee']?.['feeAmount'], label)],
    ['developer fee', joinAmount(fees?.['developerFee']?.['feeAmount'], label)],
    ['rate', toText(estimatedExchangeRate)],
    ['arrives', joinAmount(destinationAmount, destinationCurrency)],
  ]
  return lines.map(([what, amount]) => `${what} ${amount}`)
}

// Times say nothing about a rule that waits for a balance.
const ifScheduled = (simulation: Simulation, value: string) => (simulation.firings.length > 0 ? value : undefined)

const wrapIfText = (value: unknown) => (typeof value === 'string' ? wrapText(value) : value)
const formatNotes = (notes: unknown) => (notes as string[]).flatMap((note) => wrapText(`${note}.`))

const columns: ReadonlyArray<Column<Simulation>> = [
  {name: 'rule', short: 'name', header: 'RULE', value: (s) => s.rule.name, rank: 0, widthGood: 24, widthMin: 12},
  {name: 'id', header: 'ID', value: (s) => s.rule.id, rank: 6, onRequest: true},
  {name: 'words', header: 'WORDS', value: (s) => s.words, format: wrapIfText, rank: 7, onRequest: true},
  {name: 'after', header: 'AFTER', value: (s) => ifScheduled(s, formatUtc(s.after)), rank: 8, onRequest: true},
  {
    name: 'timeZone',
    short: 'zone',
    header: 'LOCAL ZONE',
    value: (s) => ifScheduled(s, s.timeZone),
    rank: 9,
    onRequest: true,
  },
  {name: 'firings', header: 'FIRINGS', value: formatFirings, rank: 1, widthMin: 24},
  {name: 'threshold', header: 'THRESHOLD', value: formatThreshold, rank: 4, widthMin: 16},
  {name: 'balance', header: 'BALANCE', value: formatBalance, rank: 5, widthMin: 16, onRequest: true},
  {name: 'moves', header: 'MOVES', value: formatMoves, rank: 2, widthMin: 16},
  {name: 'runsOut', header: 'RUNS OUT', value: formatRunOut, format: wrapIfText, rank: 10, onRequest: true},
  {name: 'quote', header: 'COST', value: formatCost, rank: 11, onRequest: true},
  {name: 'noQuote', header: 'NO QUOTE', value: (s) => s.noQuote, format: wrapIfText, rank: 12, onRequest: true},
  {name: 'notes', header: 'NOTES', value: (s) => s.notes, format: formatNotes, rank: 13, onRequest: true},
]

export const simulationView: View<Simulation> = {singular: 'simulation', plural: 'simulations', columns}

const getFirst = (value: unknown) => toText(Array.isArray(value) ? value[0] : value)

// In a table each rule has one line, so only what comes first has room, and of that what matters most.
const tableOverrides: Readonly<Record<string, Partial<Column<Simulation>>>> = {
  firings: {header: 'NEXT FIRING', format: (lines) => getFirst(lines).replace(/ {3}.*/, '')},
  moves: {header: 'NEXT MOVE', format: (lines) => getFirst(lines).replace(/^1\. |, leaving .*/g, '')},
  quote: {format: toText},
}

export const simulationsView: View<Simulation> = {
  ...simulationView,
  columns: columns.map((column) => ({...column, format: getFirst, ...tableOverrides[column.name]})),
}
