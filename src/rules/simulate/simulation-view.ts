// Shows one simulation as a record, or several as a table of what comes next.
import {formatFiring, formatUtc} from '../firings.ts'
import type {Simulation} from './simulate-rule.ts'
import {type Column, type View, toText} from '../../cli/output/view.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {getCurrencyLabel} from '../../contract/loose.ts'
import {describeArrival} from '../../values/money.ts'

// Leaves room for the labels of a record on a terminal of eighty columns.
const lineLengthMax = 66

const formatFirings = ({firings}: Simulation) => firings.map(formatFiring)

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
    const moved = `${formatSourceAmount(simulation, amount)}, leaving ${formatSourceAmount(simulation, balanceAfter)}`
    return `${firing === undefined ? '' : `${firing}. `}${refused ?? moved}`
  })

function formatNextMove(simulation: Simulation): string {
  const [next] = simulation.moves
  return next ? (next.refused ?? formatSourceAmount(simulation, next.amount)) : ''
}

const endings: Readonly<Record<string, string>> = {one: 'st', two: 'nd', few: 'rd', other: 'th'}
const formatOrdinal = (position: number) =>
  `${position}${endings[new Intl.PluralRules('en', {type: 'ordinal'}).select(position)] ?? ''}`

const formatRunOut = ({runsOut}: Simulation) =>
  runsOut && `the ${formatOrdinal(runsOut.firing)} firing, ${formatUtc(runsOut.utc)}, would find too little`

function formatCost({quote, rule}: Simulation): string[] | undefined {
  if (!quote) return undefined
  const {fees, estimatedExchangeRate, destinationAmount} = quote
  const label = getCurrencyLabel(fees?.feeCurrency)
  const {destinationCurrency} = rule.transactionTemplate.destination
  const arrives = joinAmount(destinationAmount, destinationCurrency)
  const lines = [
    ['service fee', joinAmount(fees?.svcFee?.feeAmount, label)],
    ['developer fee', joinAmount(fees?.developerFee?.feeAmount, label)],
    ['rate', toText(estimatedExchangeRate)],
    // A rule pays without a guarantee.
    ['arrives', toText(destinationAmount) === '' ? arrives : describeArrival(arrives, false)],
  ]
  return lines.map(([what, amount]) => `${what} ${amount}`)
}

// Rules with a threshold trigger have no times.
const ifScheduled = (simulation: Simulation, value: string) => (simulation.firings.length > 0 ? value : undefined)

const wrapIfText = (value: unknown) => (typeof value === 'string' ? wrapText(value, lineLengthMax) : value)
const formatNotes = (notes: unknown) => (notes as string[]).flatMap((note) => wrapText(`${note}.`, lineLengthMax))

const columns: ReadonlyArray<Column<Simulation>> = [
  {name: 'rule', short: 'name', header: 'RULE', value: (s) => s.rule.name, rank: 0, widthGood: 24, widthMin: 12},
  {name: 'id', header: 'ID', value: (s) => s.rule.id, rank: 6, isId: true, onRequest: true},
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

// A table has one line per rule, so it shows only the next firing and the next move.
const tableOverrides: Readonly<Record<string, Partial<Column<Simulation>>>> = {
  firings: {header: 'NEXT FIRING', format: (_, {firings: [next]}) => (next ? formatUtc(next.utc) : '')},
  moves: {header: 'NEXT MOVE', format: (_, simulation) => formatNextMove(simulation)},
  quote: {format: toText},
}

export const simulationsView: View<Simulation> = {
  ...simulationView,
  columns: columns.map((column) => ({...column, format: getFirst, ...tableOverrides[column.name]})),
}
