// Describes an automation rule in one sentence: when it fires, what it moves, from where to where, and for which fee.
import {readParty} from '../accounts/parties.ts'
import type {Box, BoxRow} from '../cli/output/box.ts'
import {type View, toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {fiatMethods} from '../contract/vocabulary.ts'
import type {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {describeLivePlace, describePlace} from '../profiles/write-gate.ts'
import {buildRow, buildRouteRows} from '../quotes/price-box.ts'
import {findCurrencyDecimals, formatAmount} from '../values/currencies.ts'
import {isZeroAmount} from '../values/money.ts'
import {describeSchedule} from '../values/describe-schedule.ts'
import {listNextFirings} from '../values/schedules.ts'
import {formatUtcTime} from '../values/time.ts'
import {readServiceState} from '../transport.ts'
import {getSourceCurrency, formatDeveloperFee, ruleView} from './view.ts'
import type {CreatedRule} from './writes.ts'
import {quoteForShell} from '../values/text.ts'

const toTextOr = (value: unknown, fallback: string) => toText(value).trim() || fallback

// An amount with its currency, such as 100.00 USDC.
function describeAmount(amount: unknown, currency: unknown): string {
  const label = toTextOr(currency, '')
  const text = formatAmount(toTextOr(amount, 'an unknown amount'), findCurrencyDecimals(label))
  return label === '' ? text : `${text} ${label}`
}

const isFiat = (method: unknown) => fiatMethods.some((fiat) => fiat === readCode(method))

const describeWallet = ({transactionTemplate}: LooseRule) =>
  `wallet ${toTextOr(transactionTemplate?.source?.sourcePaymentAccountId, '(not named)')}`

// Starts with a capital and has no full stop, such as: At 09:00, Monday through Friday (0 9 * * 1-5, UTC)
function describeTrigger(rule: LooseRule): string {
  const {cronSchedule, thresholdAmount} = rule.trigger ?? {}
  const type = readCode(rule.trigger?.type)
  if (type === 'TIME_BASED') return typeof cronSchedule === 'string' ? describeSchedule(cronSchedule) : 'On no schedule'
  if (type === 'THRESHOLD_BASED') {
    return `When ${describeWallet(rule)} holds ${describeAmount(thresholdAmount, getSourceCurrency(rule))} or more`
  }
  return `On a trigger of the type ${toTextOr(rule.trigger?.type, '(not named)')}`
}

function describeRuleAmount(rule: LooseRule): string {
  const {type: statedType, value} = rule.transactionTemplate?.amount ?? {}
  const type = readCode(statedType)
  const currency = getSourceCurrency(rule)
  if (type === 'FLAT') return describeAmount(value, currency)
  const label = toTextOr(currency, '')
  if (type === 'PCT') return `${toTextOr(value, 'an unknown')} % of the ${label === '' ? '' : `${label} `}balance`
  return `an amount of the type ${toTextOr(statedType, '(not named)')}`
}

const describeMethod = (method: unknown) =>
  isFiat(method) ? ` by ${toTextOr(method, '')}` : ` on ${toTextOr(method, 'no network')}`

function describeFee(rule: LooseRule): string {
  const {developerFeeType, developerFeeAmount} = rule.transactionTemplate?.developerFee ?? {}
  if (developerFeeAmount === undefined || isZeroAmount(toText(developerFeeAmount))) return ''
  const currency = readCode(developerFeeType) === 'SOURCE_CURRENCY' ? getSourceCurrency(rule) : developerFeeType
  return `; developer fee ${describeAmount(developerFeeAmount, currency)}`
}

// Such as: moves 100.00 USDC on BASE from wallet W to bank account B, arriving as USD by ACH
function describeMovement(rule: LooseRule, from: string): string {
  const {source, destination} = rule.transactionTemplate ?? {}
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} = destination ?? {}
  const to = isFiat(destinationPaymentMethod) ? 'bank account' : 'wallet'
  const currency = toTextOr(getCurrencyLabel(destinationCurrency), 'an unknown currency')
  return [
    `moves ${describeRuleAmount(rule)}${describeMethod(source?.sourcePaymentMethod)} from ${from}`,
    ` to ${to} ${toTextOr(destinationPaymentAccountId, '(not named)')}`,
    `, arriving as ${currency}${describeMethod(destinationPaymentMethod)}`,
    describeFee(rule),
  ].join('')
}

// Never throws, whatever the rule lacks. A threshold trigger already names the wallet.
export function describeRule(rule: LooseRule): string {
  const from = readCode(rule.trigger?.type) === 'THRESHOLD_BASED' ? 'it' : describeWallet(rule)
  return `${describeTrigger(rule)}, ${describeMovement(rule, from)}.`
}

const firingsShown = 5

const weekday = new Intl.DateTimeFormat('en-GB', {weekday: 'short', timeZone: 'UTC'})

// Such as: Mon 2026-03-30 09:00 UTC. None if the schedule cannot be parsed, which can happen only with a rule from the service.
function listFirings({trigger}: LooseRule, nowMs: number): string[] {
  const schedule = trigger?.cronSchedule
  if (typeof schedule !== 'string') return []
  try {
    return listNextFirings(schedule, nowMs, firingsShown).map(
      (instant) => `${weekday.format(instant)} ${formatUtcTime(instant.getTime())}`,
    )
  } catch {
    return []
  }
}

// One rule with what it does in a sentence, and when it fires next.
export const createRuleRecordView = (nowMs: number): View<LooseRule> => ({
  ...ruleView,
  columns: [
    ...ruleView.columns,
    {name: 'does', header: 'DOES', value: describeRule, rank: 9, shown: 'screen'},
    {
      name: 'firings',
      header: 'FIRES NEXT',
      value: (rule) => listFirings(rule, nowMs),
      rank: 9,
      shown: 'screen',
    },
  ],
})

// What a person sees before a rule is created, changed or deleted: when it fires, who pays whom, and how much.

function buildAmountRows(rule: LooseRule): BoxRow[] {
  const fee = toText(formatDeveloperFee(rule))
  const currency = toText(getCurrencyLabel(rule.transactionTemplate?.destination?.destinationCurrency))
  return [
    buildRow('Amount', `${describeRuleAmount(rule)} each time it fires`, 'bold'),
    buildRow('Fee', `the service’s${fee && `, and your own of ${fee}`}, at the price of each firing`),
    buildRow('Arrives', [currency, 'at the price of each firing'].filter(Boolean).join(', ')),
  ]
}

// `changes` are what changes, one line each.
export async function describeRuleWrite(
  caller: Caller,
  client: Client,
  action: string,
  rule: LooseRule,
  changes: readonly string[] = [],
): Promise<Box> {
  const party = await readParty(client, toText(rule.customerId))
  const firings = listFirings(rule, (await readServiceState(caller)).nowMs)
  return {
    title: `${action} ${describePlace(caller)}`,
    isLive: caller.environment === 'live',
    groups: [
      [
        {
          label: 'Rule',
          lines: [
            {text: toText(rule.name), tone: 'bold'},
            {text: toText(rule.id), tone: 'dim'},
          ],
        },
        buildRow('Fires', `by itself, ${describeWhen(rule)}`),
        ...(firings.length > 0 ? [{label: 'Next', lines: firings.map((text) => ({text, tone: 'dim' as const}))}] : []),
      ],
      buildRouteRows(party, rule.transactionTemplate ?? {}),
      buildAmountRows(rule),
      changes.length > 0 ? [{label: 'Changes', lines: changes.map((text) => ({text}))}] : [],
    ],
  }
}

// What people read about a rule when svc asks for confirmation, or after a write.

// Such as: at 09:00, Monday through Friday (0 9 * * 1-5, UTC)
const describeWhen = (rule: LooseRule) => describeTrigger(rule).replace(/^\p{Lu}/u, (first) => first.toLowerCase())

function describeName({id, name}: LooseRule): string {
  const text = toText(name).trim()
  return text === '' ? toText(id) : `“${text}”`
}

export const buildRuleQuestion = (action: 'Create' | 'Change' | 'Delete', caller: Caller, rule: LooseRule): string => {
  const place = describeLivePlace(caller)
  return `${action} the rule ${describeName(rule)}${place && `,${place}`}?`
}

export function describeNextStep({id}: LooseRule): string[] {
  const name = quoteForShell(toText(id))
  return [`Next: \`svc rules get ${name}\` shows when it pays; \`svc rules delete ${name}\` ends it.`]
}

export const describeDeletedRule = (rule: LooseRule): string =>
  `Deleted the rule ${describeName(rule)}. It pays nothing any more.`

// Says why svc reads the rules again after a write: no reply came, or one without the rule.
export function describeLostReply({statusCode}: SvcError, name?: string): string {
  const about = name === undefined ? '' : ` about "${name}"`
  if (statusCode === undefined) return `The reply${about} was lost; checking what the service has.`
  return `The service answered ${statusCode}${about}, without the rule; checking what it has.`
}

export function listCreationNotices({rule, adopted, sent, twins}: CreatedRule): string[] {
  const id = toText(rule.id)
  const found = sent
    ? `The rule was created: it is ${id}.`
    : `An equal rule already exists, ${id}; nothing was created.`
  const twinIds = twins.map((twin) => toText(twin.id)).join(', ')
  const warning = `Warning: ${twinIds} ${twins.length === 1 ? 'is' : 'are'} equal to it and will also pay.`
  return [...(adopted ? [found] : []), ...(twins.length > 0 ? [warning] : [])]
}
