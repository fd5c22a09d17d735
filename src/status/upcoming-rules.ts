// Finds the rules that fire within a day and, where balances are known, those that will find too little in their wallet.
import {Big} from 'big.js'
import {toText} from '../cli/output/view.ts'
import {type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {describeAmount} from '../rules/describe-rule.ts'
import {listFirings, toTimestamp} from '../rules/firings.ts'
import type {ServiceState} from '../transport.ts'
import {parsePositiveDecimal} from '../values/money.ts'
import {quoteForShell} from '../values/text.ts'
import type {Attention, AttentionItem, UpcomingFiring} from './status.ts'

const horizonMs = 24 * 60 * 60 * 1000
// A rule that fires every minute must not fill the page.
const firingsPerRuleMax = 24
const oneHundredth = '0.01'

interface Terms {
  id: string
  name: string
  account: string
  currency: string
  type: string
  value: Big | undefined
}

function readTerms({id, name, transactionTemplate}: LooseRule): Terms {
  const {source, amount} = transactionTemplate ?? {}
  return {
    id: toText(id),
    name: toText(name),
    account: toText(source?.sourcePaymentAccountId),
    currency: toText(getCurrencyLabel(source?.sourceCurrency)),
    type: readCode(amount?.type),
    value: parsePositiveDecimal(toText(amount?.value)),
  }
}

interface DueFiring {
  terms: Terms
  atMs: number
}

const listDueFirings = (rules: readonly LooseRule[], nowMs: number): DueFiring[] =>
  rules
    .filter(({trigger}) => readCode(trigger?.type) === 'TIME_BASED')
    .flatMap((rule) =>
      (listFirings(rule.trigger?.cronSchedule, nowMs, firingsPerRuleMax) ?? [])
        .map((date) => ({terms: readTerms(rule), atMs: date.getTime()}))
        .filter(({atMs}) => atMs <= nowMs + horizonMs),
    )
    .toSorted((one, other) => one.atMs - other.atMs)

// A threshold that is lower than the amount lets the rule fire before the wallet holds enough.
function findLowThreshold(rule: LooseRule): AttentionItem | undefined {
  const {id, name, type, value, currency} = readTerms(rule)
  const threshold = parsePositiveDecimal(toText(rule.trigger?.thresholdAmount))
  if (readCode(rule.trigger?.type) !== 'THRESHOLD_BASED' || type !== 'FLAT' || !value || !threshold?.lt(value)) {
    return undefined
  }
  const [moves, reaches] = [value, threshold].map((amount) => describeAmount(amount.toFixed(), currency))
  return {id, ...(name && {name}), detail: `moves ${moves} as soon as its wallet holds ${reaches}`}
}

export interface RuleOutlook {
  upcoming: UpcomingFiring[]
  short: Attention[]
}

// Each firing is simulated after the earlier ones from the same wallet, without deposits in between.
export function foreseeRules(rules: readonly LooseRule[], {nowMs, findBalance}: ServiceState): RuleOutlook {
  const left = new Map<string, Big | undefined>()
  const upcoming = new Map<string, UpcomingFiring>()
  const short = new Map<string, AttentionItem>()
  for (const {terms, atMs} of listDueFirings(rules, nowMs)) {
    const {id, name, account, currency, type, value} = terms
    const wallet = `${account} ${currency}`
    if (!left.has(wallet)) left.set(wallet, parsePositiveDecimal(findBalance?.(account, currency) ?? ''))
    const balance = left.get(wallet)
    const share = type === 'PCT' && value ? balance?.times(value).times(oneHundredth) : undefined
    const amount = type === 'FLAT' ? value : share
    const at = toTimestamp(new Date(atMs))
    if (!upcoming.has(id)) {
      upcoming.set(id, {
        rule: id,
        ...(name && {name}),
        at,
        account,
        currency,
        ...(type === 'FLAT' && value && {amount: value.toFixed()}),
        ...(balance && {balance: balance.toFixed()}),
      })
    }
    if (!balance || !amount) continue
    if (balance.gte(amount) && amount.gt('0')) left.set(wallet, balance.minus(amount))
    else if (!short.has(id)) {
      const detail = `fires at ${at.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')} UTC with ${describeAmount(balance.toFixed(), currency)} of ${describeAmount(amount.toFixed(), currency)}`
      short.set(id, {id, ...(name && {name}), detail})
    }
  }
  return {
    upcoming: [...upcoming.values()],
    short: describeShort([...short.values(), ...rules.flatMap((rule) => findLowThreshold(rule) ?? [])]),
  }
}

const itemsMax = 3

function describeShort(items: readonly AttentionItem[]): Attention[] {
  const [first] = items
  if (!first) return []
  const text = `${items.length} ${items.length === 1 ? 'rule fires' : 'rules fire'} with too little money`
  const next = `svc rules simulate ${quoteForShell(first.id)}`
  return [{kind: 'shortRules', count: items.length, text, items: items.slice(0, itemsMax), next}]
}
