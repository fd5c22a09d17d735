// What a rule would do: its next firings, and with a known balance what each of them would move.
import {Big} from 'big.js'
import {findCurrencyDecimals, formatAmount} from '../../validation/currencies.ts'
import {toText} from '../../cli/output/view.ts'
import {type Firing, toFiring, listFirings, getLocalTimeZone, toTimestamp} from '../firings.ts'
import {type RuleConfiguration, toConfiguration} from '../rule-configuration.ts'
import {describeRule, describeAmount} from '../describe-rule.ts'

// What a currency has that neither the rule nor ISO 4217 knows (docs/assumptions.md, R14).
const decimalsDefault = 6
const decimalsMax = 30
// How far ahead the firing is looked for that finds too little.
const firingsSearchedMax = 1000

export interface Balance {
  amount: string
  from: 'given' | 'sandbox'
}

export interface SimulationSettings {
  // The instant after which firings count.
  atMs: number
  count: number
  balance?: Balance | undefined
}

interface Move {
  // Which of the firings it belongs to, and when; a threshold has no such instant.
  firing?: number
  utc?: string
  balanceBefore: string
  amount: string
  // Either what stays, or why nothing would move.
  balanceAfter?: string
  refused?: string
}

export interface Simulation {
  // In request form, with its id if it has one. Every amount here is in its source currency.
  rule: RuleConfiguration & {id?: unknown}
  words: string
  // Firings count from here on; their local times are in this zone.
  after: string
  timeZone: string
  firings: Firing[]
  balance?: Balance
  threshold?: {amount: string; reached?: boolean; missing?: string}
  moves: Move[]
  // The first firing that would find too little, if nothing comes in.
  runsOut?: {firing: number; utc: string}
  // The price of the first move, as the service said it; or why there is none.
  quote?: object
  noQuote?: string
  notes: string[]
}

type Fields = Readonly<Record<string, unknown>>

const parseDecimal = (value: unknown): Big | undefined => {
  try {
    return new Big(toText(value))
  } catch {
    return undefined
  }
}

// Everything about the rule that the simulation counts with, read as tolerantly as the service deserves.
interface Terms {
  configuration: RuleConfiguration
  label: string
  account: string
  decimals: number
  kind: unknown
  value: Big | undefined
  trigger: Fields
}

function findDecimals(rule: unknown, label: string): number {
  const template = (rule as {transactionTemplate?: {source?: {sourceCurrency?: unknown} | null} | null} | null)
    ?.transactionTemplate
  const sent = (template?.source?.sourceCurrency as Fields | null | undefined)?.['currencyDecimals']
  const isSent = Number.isInteger(sent) && Number(sent) >= 0 && Number(sent) <= decimalsMax
  return isSent ? Number(sent) : (findCurrencyDecimals(label) ?? decimalsDefault)
}

function readTerms(rule: unknown): Terms {
  const configuration = toConfiguration(rule)
  const {source, amount} = configuration.transactionTemplate
  const label = toText(source.sourceCurrency)
  return {
    configuration,
    label,
    account: toText(source.sourcePaymentAccountId),
    decimals: findDecimals(rule, label),
    kind: amount.type,
    value: parseDecimal(amount.value),
    trigger: configuration.trigger,
  }
}

// The wallet that the rule draws on, and the currency it takes from it.
export function getSourceWallet(rule: unknown): {account: string; currency: string} {
  const {account, label} = readTerms(rule)
  return {account, currency: label}
}

const oneHundredth = '0.01'

// What would move of a balance, and why not if it would not. A share is rounded down to what the currency can carry.
function simulateMove(balance: Big, {kind, value = new Big('0'), decimals, label}: Terms): Move {
  const shown = (amount: Big) => formatAmount(amount.toFixed(), decimals)
  const amount = kind === 'PCT' ? balance.times(value).times(oneHundredth).round(decimals, Big.roundDown) : value
  const found = {balanceBefore: shown(balance), amount: shown(amount)}
  if (amount.lte('0')) return {...found, refused: 'nothing to move'}
  if (balance.lt(amount)) return {...found, refused: `too little: ${found.balanceBefore} of ${found.amount} ${label}`}
  return {...found, balanceAfter: shown(balance.minus(amount))}
}

// One firing after the other, with nothing coming in between, until one finds too little.
function simulateMoves(firings: readonly Firing[], balance: Big, terms: Terms): Move[] {
  const moves: Move[] = []
  let left = balance
  for (const [index, {utc}] of firings.entries()) {
    const move = {firing: index + 1, utc, ...simulateMove(left, terms)}
    moves.push(move)
    if (move.balanceAfter === undefined) break
    left = new Big(move.balanceAfter)
  }
  return moves
}

// A share of what is left never takes the last of it, so only a fixed amount runs out.
function findRunOut(balance: Big, {kind, value, trigger}: Terms, atMs: number): Simulation['runsOut'] {
  if (kind !== 'FLAT' || !value?.gt('0')) return undefined
  // Without the remainder the division is exact.
  const firing = Number(balance.minus(balance.mod(value)).div(value).toFixed()) + 1
  if (firing > firingsSearchedMax) return undefined
  const instant = listFirings(trigger['cronSchedule'], atMs, firing)?.[firing - 1]
  return instant && {firing, utc: toTimestamp(instant)}
}

function simulateSchedule(terms: Terms, {atMs, count}: SimulationSettings, balance: Big | undefined) {
  const instants = listFirings(terms.trigger['cronSchedule'], atMs, count)
  const firings = instants?.map(toFiring) ?? []
  const runsOut = balance && findRunOut(balance, terms, atMs)
  return {
    firings,
    moves: balance ? simulateMoves(firings, balance, terms) : [],
    ...(runsOut && {runsOut}),
    notes: [
      ...(instants === undefined ? ['svc cannot read this schedule, so it shows no firings'] : []),
      ...(instants?.length === 0 ? ['It never fires again'] : []),
      ...(balance && firings.length > 1 ? ['Nothing is assumed to come in between the firings'] : []),
    ],
  }
}

function simulateThreshold(terms: Terms, balance: Big | undefined) {
  const {trigger, decimals, value, kind, label} = terms
  const limit = parseDecimal(trigger['thresholdAmount'])
  const shown = (amount: Big) => formatAmount(amount.toFixed(), decimals)
  if (!limit) return {firings: [], moves: [], notes: ['svc cannot read the threshold of this rule']}
  const isReached = balance?.gte(limit)
  const threshold = {
    amount: shown(limit),
    ...(isReached !== undefined && {reached: isReached}),
    ...(balance && isReached === false && {missing: shown(limit.minus(balance))}),
  }
  const isTooMuch = kind === 'FLAT' && value?.gt(limit)
  return {
    firings: [],
    threshold,
    moves: balance && isReached ? [simulateMove(balance, terms)] : [],
    notes: isTooMuch
      ? [
          `A wallet that holds just ${describeAmount(shown(limit), label, decimals)} would hold too little for the amount`,
        ]
      : [],
  }
}

const describeUnknownBalance = ({kind, account}: Terms) =>
  `${kind === 'FLAT' ? 'Whether there is enough' : 'How much would move'}, and what it would cost, depends on what wallet ${account} holds: say it with --balance AMOUNT`

export function simulateRule(rule: unknown, settings: SimulationSettings): Simulation {
  const terms = readTerms(rule)
  const {configuration, trigger, decimals} = terms
  const balance = settings.balance && parseDecimal(settings.balance.amount)
  const {notes, firings, ...course} =
    trigger['type'] === 'THRESHOLD_BASED'
      ? simulateThreshold(terms, balance)
      : simulateSchedule(terms, settings, balance)
  const id = (rule as Fields | null)?.['id']
  return {
    rule: {...(id !== undefined && {id}), ...configuration},
    words: describeRule(configuration),
    after: toTimestamp(new Date(settings.atMs)),
    timeZone: getLocalTimeZone(),
    firings,
    ...(balance &&
      settings.balance && {balance: {...settings.balance, amount: formatAmount(balance.toFixed(), decimals)}}),
    ...course,
    notes: balance ? notes : [...notes, describeUnknownBalance(terms)],
  }
}
