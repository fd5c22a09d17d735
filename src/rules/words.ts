// A rule in a few words, for whoever is asked whether to arm or delete it.
import {cleanText} from '../cli/output/clean.ts'
import {amountText, endText, triggerText} from './view.ts'
import {toText} from '../cli/output/view.ts'
import {scheduleWords} from './schedule-words.ts'
import type {Created} from './writes.ts'

type Fields = Readonly<Record<string, unknown>>

function whenText(rule: Fields): string {
  const trigger = toText(triggerText(rule))
  const type = (rule['trigger'] as {type?: unknown} | null | undefined)?.type
  if (type === 'TIME_BASED') return scheduleWords(trigger).replace(/^\p{Lu}/u, (first) => first.toLowerCase())
  return type === 'THRESHOLD_BASED' ? `when the balance is ${trigger}` : `by ${trigger}`
}

// Rules come in the form of requests and of replies, and from services that may leave anything out. Each line is cleaned by
// itself, so that no name can write a line of its own.
export function ruleInWords(rule: object): string {
  const fields = rule as Fields
  const amount = toText(amountText(fields)).replace(/ %$/, ' % of the balance')
  return [
    `  "${toText(fields['name'])}" moves ${amount} ${whenText(fields)}`,
    `  from ${toText(endText(fields, 'source'))}`,
    `  to   ${toText(endText(fields, 'destination'))}`,
  ]
    .map(cleanText)
    .join('\n')
}

export const settlingNotice = 'The answer was lost; looking at what the service has.'

// What a person should know about how a rule came to be, beyond the rule itself.
export function creationNotices({rule, adopted, sent, twins}: Created): string[] {
  const existed = adopted && !sent ? [`An equal rule was there already, ${rule.id}; nothing was created.`] : []
  const found = adopted && sent ? [`The rule was created: it is ${rule.id}.`] : []
  const ids = twins.map(({id}) => id).join(', ')
  const alike =
    twins.length > 0 ? [`Warning: ${ids} ${twins.length === 1 ? 'is' : 'are'} equal to it and will pay as well.`] : []
  return [...existed, ...found, ...alike]
}
