// Simulations of rules: one as a record that is read from top to bottom, several as a table of what comes next.
import type {Firing} from './firings.ts'
import type {Simulation} from './simulation.ts'
import {type Column, type View, toText} from '../cli/output/view.ts'

// Records have their labels beside them; this leaves room for those on a terminal of eighty columns.
const lineLengthMax = 66

function inLines(text: string): string[] {
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

const toTheMinute = (timestamp: string) => timestamp.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')
const inUtc = (timestamp: string) => `${days[new Date(timestamp).getUTCDay()]} ${toTheMinute(timestamp)} UTC`

// A local time ends with its distance from UTC, as in 2026-03-27T10:00:00+01:00.
const distanceLength = '+01:00'.length

// One instant twice: in UTC, and by the clock on the wall here.
export const firingText = ({utc, local, weekday}: Firing) =>
  `${inUtc(utc)}   ${weekday.slice(0, dayLength)} ${toTheMinute(local)} ${local.slice(-distanceLength)}`

const firings = ({firings: all}: Simulation) => all.map(firingText)

const sum = (amount: unknown, label: unknown) =>
  [amount, label]
    .map(toText)
    .filter((part) => part !== '')
    .join(' ')

const sourceSum = ({rule}: Simulation, amount: unknown) => sum(amount, rule.transactionTemplate.source.sourceCurrency)

const origins = {given: 'as given', sandbox: 'now, in the sandbox'} as const

const balance = (simulation: Simulation) =>
  simulation.balance && `${sourceSum(simulation, simulation.balance.amount)} (${origins[simulation.balance.from]})`

function threshold(simulation: Simulation): string | undefined {
  if (!simulation.threshold) return undefined
  const {amount, reached, missing} = simulation.threshold
  const state = reached ? ', reached' : missing && `, not reached: ${sourceSum(simulation, missing)} missing`
  return `${sourceSum(simulation, amount)}${state ?? ''}`
}

const moves = (simulation: Simulation) =>
  simulation.moves.map(({firing, amount, balanceAfter, refused}) => {
    const done = `${sourceSum(simulation, amount)}, leaving ${sourceSum(simulation, balanceAfter)}`
    return `${firing === undefined ? '' : `${firing}. `}${refused ?? done}`
  })

const endings: Readonly<Record<string, string>> = {one: 'st', two: 'nd', few: 'rd', other: 'th'}
const ordinal = (place: number) =>
  `${place}${endings[new Intl.PluralRules('en', {type: 'ordinal'}).select(place)] ?? ''}`

const runsOut = ({runsOut: end}: Simulation) =>
  end && `the ${ordinal(end.firing)} firing, ${inUtc(end.utc)}, would find too little`

// The service's own object, of which any part may be missing.
type Loose = {readonly [field: string]: Loose | undefined}

function cost({quote, rule}: Simulation): string[] | undefined {
  if (!quote) return undefined
  const {fees, estimatedExchangeRate, destinationAmount} = quote as Loose
  const label = fees?.['feeCurrency']?.['label']
  const {destinationCurrency} = rule.transactionTemplate.destination
  const lines = [
    ['service fee', sum(fees?.['svcFee']?.['feeAmount'], label)],
    ['developer fee', sum(fees?.['developerFee']?.['feeAmount'], label)],
    ['rate', toText(estimatedExchangeRate)],
    ['arrives', sum(destinationAmount, destinationCurrency)],
  ]
  return lines.map(([what, amount]) => `${what} ${amount}`)
}

// Times say nothing about a rule that waits for a balance.
const ofSchedule = (simulation: Simulation, value: string) => (simulation.firings.length > 0 ? value : undefined)

const wrapped = (value: unknown) => (typeof value === 'string' ? inLines(value) : value)
const sentences = (notes: unknown) => (notes as string[]).flatMap((note) => inLines(`${note}.`))

const columns: ReadonlyArray<Column<Simulation>> = [
  {name: 'rule', short: 'name', header: 'RULE', value: (s) => s.rule.name, rank: 0, widthGood: 24, widthMin: 12},
  {name: 'id', header: 'ID', value: (s) => s.rule.id, rank: 6, onRequest: true},
  {name: 'words', header: 'WORDS', value: (s) => s.words, format: wrapped, rank: 7, onRequest: true},
  {name: 'after', header: 'AFTER', value: (s) => ofSchedule(s, inUtc(s.after)), rank: 8, onRequest: true},
  {
    name: 'timeZone',
    short: 'zone',
    header: 'LOCAL ZONE',
    value: (s) => ofSchedule(s, s.timeZone),
    rank: 9,
    onRequest: true,
  },
  {name: 'firings', header: 'FIRINGS', value: firings, rank: 1, widthMin: 24},
  {name: 'threshold', header: 'THRESHOLD', value: threshold, rank: 4, widthMin: 16},
  {name: 'balance', header: 'BALANCE', value: balance, rank: 5, widthMin: 16, onRequest: true},
  {name: 'moves', header: 'MOVES', value: moves, rank: 2, widthMin: 16},
  {name: 'runsOut', header: 'RUNS OUT', value: runsOut, format: wrapped, rank: 10, onRequest: true},
  {name: 'quote', header: 'COST', value: cost, rank: 11, onRequest: true},
  {name: 'noQuote', header: 'NO QUOTE', value: (s) => s.noQuote, format: wrapped, rank: 12, onRequest: true},
  {name: 'notes', header: 'NOTES', value: (s) => s.notes, format: sentences, rank: 13, onRequest: true},
]

export const simulationView: View<Simulation> = {singular: 'simulation', plural: 'simulations', columns}

const firstOf = (value: unknown) => toText(Array.isArray(value) ? value[0] : value)

// In a table each rule has one line, so only what comes first has room, and of that what matters most.
const inTable: Readonly<Record<string, Partial<Column<Simulation>>>> = {
  firings: {header: 'NEXT FIRING', format: (lines) => firstOf(lines).replace(/ {3}.*/, '')},
  moves: {header: 'NEXT MOVE', format: (lines) => firstOf(lines).replace(/^1\. |, leaving .*/g, '')},
  quote: {format: toText},
}

export const simulationsView: View<Simulation> = {
  ...simulationView,
  columns: columns.map((column) => ({...column, format: firstOf, ...inTable[column.name]})),
}
