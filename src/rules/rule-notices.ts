// A rule in a few words, for whoever is asked whether to arm or delete it.
import {cleanText} from '../cli/output/clean.ts'
import {formatRuleAmount, formatEnd, formatTrigger} from './view.ts'
import {toText} from '../cli/output/view.ts'
import {describeSchedule} from './describe-schedule.ts'
import type {Created} from './writes.ts'

type Fields = Readonly<Record<string, unknown>>

function describeWhen(rule: Fields): string {
  const trigger = toText(formatTrigger(rule))
  const type = (rule['trigger'] as {type?: unknown} | null | undefined)?.type
  if (type === 'TIME_BASED') return describeSchedule(trigger).replace(/^\p{Lu}/u, (first) => first.toLowerCase())
  return type === 'THRESHOLD_BASED' ? `when the balance is ${trigger}` : `by ${trigger}`
}

// Rules come in the form of requests and of replies, and from services that may leave anything out. Each line is cleaned by
// itself, so that no name can write a line of its own.
export function outlineRule(rule: object): string {
  const fields = rule as Fields
  const amount = toText(formatRuleAmount(fields)).replace(/ %$/, ' % of the balance')
  return [
    `  "${toText(fields['name'])}" moves ${amount} ${describeWhen(fields)}`,
    `  from ${toText(formatEnd(fields, 'source'))}`,
    `  to   ${toText(formatEnd(fields, 'destination'))}`,
  ]
    .map(cleanText)
    .join('\n')
}

export const lostReplyNotice = 'The answer was lost; looking at what the service has.'

// What a person should know about how a rule came to be, beyond the rule itself.
export function listCreationNotices({rule, adopted, sent, twins}: Created): string[] {
  const existed = adopted && !sent ? [`An equal rule was there already, ${rule.id}; nothing was created.`] : []
  const found = adopted && sent ? [`The rule was created: it is ${rule.id}.`] : []
  const ids = twins.map(({id}) => id).join(', ')
  const alike =
    twins.length > 0 ? [`Warning: ${ids} ${twins.length === 1 ? 'is' : 'are'} equal to it and will pay as well.`] : []
  return [...existed, ...found, ...alike]
}
