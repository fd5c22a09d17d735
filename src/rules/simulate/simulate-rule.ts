// Simulates a rule: its next firings and, with a known balance, what each of them would move.
import {Big} from 'big.js'
import {parseDecimal} from '../../values/money.ts'
import {findCurrencyDecimals, formatAmount} from '../../values/currencies.ts'
import {toText} from '../../cli/output/view.ts'
import type {LooseQuote, LooseRule} from '../../contract/loose.ts'
import {type Firing, toFiring, listFirings, getLocalTimeZone, toTimestamp} from '../firings.ts'
import {type RuleConfiguration, toConfiguration} from '../rule-configuration.ts'
import {describeRule, describeAmount} from '../describe-rule.ts'

// For a currency that neither the rule nor ISO 4217 defines (docs/assumptions.md, R14).
const decimalsDefault = 6
const decimalsMax = 30
// How many firings are searched for the one that finds too little.
const firingsSearchedMax = 1000

export interface Balance {
  amount: string
  from: 'given' | 'sandbox'
}

export interface SimulationSettings {
  // Firings after this instant are simulated.
  atMs: number
  count: number
  balance?: Balance | undefined
}

interface Move {
  // The number and time of the firing. Threshold rules have neither.
  firing?: number
  utc?: string
  balanceBefore: string
  amount: string
  // Either what remains, or why nothing would move.
  balanceAfter?: string
  refused?: string
}

export interface Simulation {
  // In the form of requests, with its id if it has one. All amounts here are in its source currency.
  rule: RuleConfiguration & {id?: unknown}
  words: string
  // The start of the simulation, and the time zone of the local times.
  after: string
  timeZone: string
  firings: Firing[]
  balance?: Balance
  threshold?: {amount: string; reached?: boolean; missing?: string}
  moves: Move[]
  // The first firing that would find too little, without deposits.
  runsOut?: {firing: number; utc: string}
  // The service's quote for the first move, or why there is none.
  quote?: LooseQuote
  noQuote?: string
  notes: string[]
}

// What the simulation needs to know about the rule. Any of it may be missing in a rule from the service.
interface Terms {
  configuration: RuleConfiguration
  label: string
  account: string
  decimals: number
  amountType: unknown
  value: Big | undefined
  trigger: LooseRule['trigger']
}

function findDecimals({transactionTemplate}: LooseRule, label: string): number {
  const currency = transactionTemplate?.source?.sourceCurrency
  const decimals = typeof currency === 'object' ? currency?.currencyDecimals : undefined
  const isValid = typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= decimalsMax
  return isValid ? decimals : (findCurrencyDecimals(label) ?? decimalsDefault)
}

function readTerms(rule: LooseRule): Terms {
  const configuration = toConfiguration(rule)
  const {source, amount} = configuration.transactionTemplate
  const label = toText(source.sourceCurrency)
  return {
    configuration,
    label,
    account: toText(source.sourcePaymentAccountId),
    decimals: findDecimals(rule, label),
    amountType: amount.type,
    value: parseDecimal(toText(amount.value)),
    trigger: configuration.trigger,
  }
}

export function getSourceWallet(rule: LooseRule): {account: string; currency: string} {
  const {account, label} = readTerms(rule)
  return {account, currency: label}
}

const oneHundredth = '0.01'

// A percentage is rounded down to the decimals of the currency.
function simulateMove(balance: Big, {amountType, value = new Big('0'), decimals, label}: Terms): Move {
  const format = (amount: Big) => formatAmount(amount.toFixed(), decimals)
  const amount = amountType === 'PCT' ? balance.times(value).times(oneHundredth).round(decimals, Big.roundDown) : value
  const move = {balanceBefore: format(balance), amount: format(amount)}
  if (amount.lte('0')) return {...move, refused: 'nothing to move'}
  if (balance.lt(amount)) return {...move, refused: `too little: ${move.balanceBefore} of ${move.amount} ${label}`}
  return {...move, balanceAfter: format(balance.minus(amount))}
}

// Simulates one firing after the other, without deposits in between, until one finds too little.
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

// A percentage of the balance never empties the wallet, so only a fixed amount runs out.
function findRunOut(balance: Big, {amountType, value, trigger}: Terms, atMs: number): Simulation['runsOut'] {
  if (amountType !== 'FLAT' || !value?.gt('0')) return undefined
  // Subtracting the remainder first makes the division exact.
  const firing = Number(balance.minus(balance.mod(value)).div(value).toFixed()) + 1
  if (firing > firingsSearchedMax) return undefined
  const instant = listFirings(trigger?.cronSchedule, atMs, firing)?.[firing - 1]
  return instant && {firing, utc: toTimestamp(instant)}
}

function simulateSchedule(terms: Terms, {atMs, count}: SimulationSettings, balance: Big | undefined) {
  const instants = listFirings(terms.trigger?.cronSchedule, atMs, count)
  const firings = instants?.map(toFiring) ?? []
  const runsOut = balance && findRunOut(balance, terms, atMs)
  return {
    firings,
    moves: balance ? simulateMoves(firings, balance, terms) : [],
    ...(runsOut && {runsOut}),
    notes: [
      ...(instants === undefined ? ['svc cannot read this schedule, so it shows no firings'] : []),
      ...(instants?.length === 0 ? ['It never fires again'] : []),
      ...(balance && firings.length > 1 ? ['Deposits between the firings are not considered'] : []),
    ],
  }
}

function simulateThreshold(terms: Terms, balance: Big | undefined) {
  const {trigger, decimals, value, amountType, label} = terms
  const limit = parseDecimal(toText(trigger?.thresholdAmount))
  const format = (amount: Big) => formatAmount(amount.toFixed(), decimals)
  if (!limit) return {firings: [], moves: [], notes: ['svc cannot read the threshold of this rule']}
  const isReached = balance?.gte(limit)
  const threshold = {
    amount: format(limit),
    ...(isReached !== undefined && {reached: isReached}),
    ...(balance && isReached === false && {missing: format(limit.minus(balance))}),
  }
  const isTooMuch = amountType === 'FLAT' && value?.gt(limit)
  return {
    firings: [],
    threshold,
    moves: balance && isReached ? [simulateMove(balance, terms)] : [],
    notes: isTooMuch
      ? [
          `A wallet that holds exactly ${describeAmount(format(limit), label, decimals)} would hold too little for the amount`,
        ]
      : [],
  }
}

const describeUnknownBalance = ({amountType, account}: Terms) =>
  `${amountType === 'FLAT' ? 'Whether there is enough' : 'How much would move'}, and what it would cost, depends on the balance of wallet ${account}: give it with --balance AMOUNT`

export function simulateRule(reply: LooseRule | null | undefined, settings: SimulationSettings): Simulation {
  const rule = reply ?? {}
  const terms = readTerms(rule)
  const {configuration, trigger, decimals} = terms
  const balance = settings.balance && parseDecimal(settings.balance.amount)
  const {notes, firings, ...rest} =
    trigger?.type === 'THRESHOLD_BASED' ? simulateThreshold(terms, balance) : simulateSchedule(terms, settings, balance)
  const {id} = rule
  return {
    rule: {...(id !== undefined && {id}), ...configuration},
    words: describeRule(configuration),
    after: toTimestamp(new Date(settings.atMs)),
    timeZone: getLocalTimeZone(),
    firings,
    ...(balance &&
      settings.balance && {balance: {...settings.balance, amount: formatAmount(balance.toFixed(), decimals)}}),
    ...rest,
    notes: balance ? notes : [...notes, describeUnknownBalance(terms)],
  }
}
