// What a person sees before a rule is created, changed or deleted: when it fires, who pays whom, and how much.
import {type RouteParties, readParties} from '../accounts/route-parties.ts'
import type {Client} from '../client/client.ts'
import type {Box, BoxRow} from '../cli/output/box.ts'
import {toText} from '../cli/output/view.ts'
import {type LooseQuote, type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {buildPriceRows, buildRouteRows} from '../quotes/price-box.ts'
import type {Caller} from '../profiles/caller.ts'
import {describePlace} from '../profiles/write-policy.ts'
import {describeWhen} from './rule-notices.ts'
import {formatDeveloperFee, formatRuleAmount} from './view.ts'

// An estimate is a courtesy: the confirmation does not wait longer for it.
const estimateMaxMs = 4_000

const isFlat = ({transactionTemplate}: LooseRule) => readCode(transactionTemplate?.amount?.type) === 'FLAT'

// The quote that one firing would get now.
const toQuoteBody = ({customerId, transactionTemplate}: LooseRule) => {
  const {source, destination, amount, developerFee} = transactionTemplate ?? {}
  return {
    customerId,
    source: {...source, sourceCurrency: getCurrencyLabel(source?.sourceCurrency), sourceAmount: amount?.value},
    destination: {...destination, destinationCurrency: getCurrencyLabel(destination?.destinationCurrency)},
    ...(developerFee && {developerFee}),
  }
}

// Asks for the present price of one firing. A quote moves no money. A percentage has no amount to ask for.
async function estimateFiring(client: Client, rule: LooseRule): Promise<LooseQuote | undefined> {
  if (!isFlat(rule)) return undefined
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, estimateMaxMs, undefined)
  })
  const quote = client.quotes.create({body: toQuoteBody(rule) as never}).catch(() => undefined)
  return Promise.race([quote, late]).finally(() => clearTimeout(timer))
}

const buildRow = (label: string, text: string, tone?: 'bold' | 'dim'): BoxRow => ({label, lines: [{text, tone}]})

function buildAmountRows(rule: LooseRule, estimate: LooseQuote | undefined): BoxRow[] {
  if (estimate) {
    const rows = buildPriceRows({body: toQuoteBody(rule), quote: estimate})
    return [...rows, buildRow('', 'each time it fires, at the present price', 'dim')]
  }
  const amount = toText(formatRuleAmount(rule)).replace(/ %$/, ' % of the balance')
  const fee = toText(formatDeveloperFee(rule))
  const currency = toText(getCurrencyLabel(rule.transactionTemplate?.destination?.destinationCurrency))
  return [
    buildRow('Amount', `${amount} each time it fires`, 'bold'),
    buildRow('Fee', `the service’s${fee && `, and your own of ${fee}`}, at the price of each firing`),
    buildRow('Arrives', [currency, 'at the price of each firing'].filter(Boolean).join(', ')),
  ]
}

interface RuleBoxContent {
  parties: RouteParties
  rule: LooseRule
  estimate: LooseQuote | undefined
  changes: readonly string[]
}

function buildGroups({parties, rule, estimate, changes}: RuleBoxContent): Box['groups'] {
  return [
    [
      {
        label: 'Rule',
        lines: [
          {text: toText(rule.name), tone: 'bold'},
          {text: toText(rule.id), tone: 'dim'},
        ],
      },
      buildRow('Fires', `by itself, ${describeWhen(rule)}`),
    ],
    buildRouteRows(parties, rule.transactionTemplate ?? {}),
    buildAmountRows(rule, estimate),
    changes.length > 0 ? [{label: 'Changes', lines: changes.map((text) => ({text}))}] : [],
  ]
}

export interface RuleBoxOptions {
  // Whether the present price of one firing is asked for.
  isEstimated?: boolean
  // What changes, and what else is to be known, one line each.
  changes?: readonly string[]
}

export async function describeRuleWrite(
  caller: Caller,
  client: Client,
  action: string,
  rule: LooseRule,
  {isEstimated = false, changes = []}: RuleBoxOptions = {},
): Promise<Box> {
  const [parties, estimate] = await Promise.all([
    readParties(client, toText(rule.customerId)),
    isEstimated ? estimateFiring(client, rule) : undefined,
  ])
  return {
    title: `${action} ${describePlace(caller)}`,
    isLive: caller.environment === 'live',
    groups: buildGroups({parties, rule, estimate, changes}),
  }
}
