// A rule in one sentence, for whoever is asked whether to arm or delete it.
import {amountText, endText, triggerText} from '../terminal/views/rules.ts'
import {textOf} from '../terminal/view.ts'
import type {Created} from './writes.ts'

// Rules come in the form of requests and of replies, and from services that may leave anything out.
export function ruleInWords(rule: object): string {
  const fields = rule as Readonly<Record<string, unknown>>
  const isTimed = (fields['trigger'] as {type?: unknown} | undefined)?.type === 'TIME_BASED'
  const when = `${isTimed ? 'at' : 'when the balance is'} ${textOf(triggerText(fields))}${isTimed ? ' (UTC)' : ''}`
  const [from, to] = [endText(fields, 'source'), endText(fields, 'destination')]
  return `"${textOf(fields['name'])}" moves ${amountText(fields)} from ${from} to ${to}, ${when}`
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
