// What people read about a rule when svc asks for confirmation, or after a write.
import {type LooseRule, readCode} from '../contract/loose.ts'
import type {SvcError} from '../errors.ts'
import {toText} from '../cli/output/view.ts'
import {describeSchedule} from './describe-schedule.ts'
import {formatTrigger} from './view.ts'
import type {CreatedRule} from './writes.ts'

// Such as: every weekday at 09:00 UTC
export function describeWhen(rule: LooseRule): string {
  const trigger = toText(formatTrigger(rule))
  const type = readCode(rule.trigger?.type)
  if (type === 'TIME_BASED') return describeSchedule(trigger).replace(/^\p{Lu}/u, (first) => first.toLowerCase())
  return type === 'THRESHOLD_BASED' ? `when the balance is ${trigger}` : `by ${trigger}`
}

// Says why svc reads the rules again after a write: no reply came, or one without the rule.
export function describeLostReply({statusCode}: SvcError, name?: string): string {
  const about = name === undefined ? '' : ` about "${name}"`
  if (statusCode === undefined) return `The reply${about} was lost; checking what the service has.`
  return `The service answered ${statusCode}${about}, without the rule; checking what it has.`
}

export function listCreationNotices({rule, adopted, sent, twins}: CreatedRule): string[] {
  const id = toText(rule.id)
  const existed = adopted && !sent ? [`An equal rule already exists, ${id}; nothing was created.`] : []
  const found = adopted && sent ? [`The rule was created: it is ${id}.`] : []
  const twinIds = twins.map((twin) => toText(twin.id)).join(', ')
  const duplicates =
    twins.length > 0 ? [`Warning: ${twinIds} ${twins.length === 1 ? 'is' : 'are'} equal to it and will also pay.`] : []
  return [...existed, ...found, ...duplicates]
}
