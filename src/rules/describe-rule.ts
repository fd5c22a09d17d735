// Describes an automation rule in one sentence: when it fires, what it moves, from where to where, and for which fee.
import {readParty} from '../accounts/parties.ts'
import type {Box, BoxRow} from '../cli/output/box.ts'
import {type View, createColumn, toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import type {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {describeLivePlace, describePlace} from '../profiles/write-gate.ts'
import {buildRow, buildRouteRows} from '../quotes/price-box.ts'
import {isZeroAmount} from '../values/money.ts'
import {describeSchedule} from '../values/describe-schedule.ts'
import {listNextFirings} from '../values/schedules.ts'
import {svc} from '../values/text.ts'
import {formatUtcTime} from '../values/time.ts'
import {readServiceState} from '../transport.ts'
import {
  formatDestination,
  formatDeveloperFee,
  formatRuleAmount,
  formatSource,
  getSourceCurrency,
  joinWords,
  ruleView,
} from './view.ts'
import type {CreatedRule} from './writes.ts'

const unknown = '(not named)'

// Starts with a capital and has no full stop, such as: At 09:00, Monday through Friday (0 9 * * 1-5, UTC)
function describeTrigger(rule: LooseRule): string {
  const {type, cronSchedule, thresholdAmount} = rule.trigger ?? {}
  if (readCode(type) === 'TIME_BASED') return describeSchedule(toText(cronSchedule))
  if (readCode(type) !== 'THRESHOLD_BASED') return `On a trigger of the type ${toText(type) || unknown}`
  return `When the wallet holds ${joinWords(thresholdAmount, getSourceCurrency(rule))} or more`
}

function describeRuleAmount(rule: LooseRule): string {
  const amount = formatRuleAmount(rule) ?? unknown
  return readCode(rule.transactionTemplate?.amount?.type) === 'PCT' ? `${amount} of the balance` : amount
}

// Such as: At 09:00 (0 9 * * *, UTC), moves 100.00 USDC from W BASE USDC to B ACH USD; developer fee 1 USDC. Never throws,
// whatever the rule lacks.
export function describeRule(rule: LooseRule): string {
  const fee = isZeroAmount(toText(rule.transactionTemplate?.developerFee?.developerFeeAmount))
    ? undefined
    : formatDeveloperFee(rule)
  const [from, to] = [formatSource(rule) ?? unknown, formatDestination(rule) ?? unknown]
  const moves = `moves ${describeRuleAmount(rule)} from ${from} to ${to}`
  return `${describeTrigger(rule)}, ${moves}${fee === undefined ? '' : `; developer fee ${fee}`}.`
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
    createColumn('does', 9, {value: describeRule, shown: 'screen'}),
    createColumn('firings', 9, {header: 'FIRES NEXT', value: (rule) => listFirings(rule, nowMs), shown: 'screen'}),
  ],
})

function buildAmountRows(rule: LooseRule): BoxRow[] {
  const fee = toText(formatDeveloperFee(rule))
  const currency = toText(getCurrencyLabel(rule.transactionTemplate?.destination?.destinationCurrency))
  return [
    buildRow('Amount', `${describeRuleAmount(rule)} each time it fires`, 'bold'),
    buildRow('Fee', `the service’s${fee && `, and your own of ${fee}`}, at the price of each firing`),
    buildRow('Arrives', [currency, 'at the price of each firing'].filter(Boolean).join(', ')),
  ]
}

// What a person sees before a rule is created, changed or deleted: when it fires, who pays whom, and how much. `changes` are what
// changes, one line each.
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
  const ruleId = toText(id)
  return [`Next: ${svc`rules get ${ruleId}`} shows when it pays; ${svc`rules delete ${ruleId}`} ends it.`]
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
