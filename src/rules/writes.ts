// Creates, updates and deletes rules so that nothing happens twice: if a reply is lost, svc checks what the service has.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Client} from '../client/client.ts'
import {rejectCutList} from '../client/paging.ts'
import type {LooseRule} from '../contract/loose.ts'
import {SvcError, findOrUndefined} from '../errors.ts'
import {toText} from '../cli/output/view.ts'
import {type SentNotes, withSentNotes} from '../storage/sent-notes.ts'
import {svc} from '../values/text.ts'
import {
  type RuleConfiguration,
  hasChangeableFields,
  isSameRule,
  normalizeRule,
  toConfiguration,
} from './rule-configuration.ts'

// The service may show a write with a delay (docs/assumptions.md, R9), so svc checks several times,
// after each of these pauses.
const recheckPausesMs = [0, 1000, 3000] as const

export interface Recheck {
  // Called when a reply was lost or does not tell the outcome, before the checks, which take some seconds.
  onLostReply?: ((lost: SvcError) => void) | undefined
  // The pause before each check.
  pausesMs?: readonly number[] | undefined
}

const isReplyLost = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'unknownOutcome'

const toUnknownOutcome = (lost: SvcError, finding: string, hint: string, cause: unknown = lost) =>
  new SvcError({
    error: lost.error,
    kind: 'unknownOutcome',
    message: `${lost.message}; ${finding}`,
    hint,
    statusCode: lost.statusCode,
    cause,
  })

interface Settlement<T> {
  // Undefined while the service does not show the write.
  check: () => Promise<T | undefined>
  // What is said if it never does.
  finding: string
  // What could not be done, if a check fails: "the rule could not be read".
  failing: string
  hint: string
  pausesMs?: readonly number[] | undefined
}

// Checks until the write shows. A failed check tells nothing about it, so it ends the checks.
async function settle<T>(lost: SvcError, settlement: Settlement<T>): Promise<T> {
  const {check, finding, failing, hint, pausesMs = recheckPausesMs} = settlement
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs)
    try {
      const found = await check()
      if (found !== undefined) return found
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      throw toUnknownOutcome(lost, `${failing} either`, hint, error)
    }
  }
  throw toUnknownOutcome(lost, finding, hint)
}

export interface CreatedRule {
  rule: LooseRule
  // Whether the rule was found in the list: it existed before, or the reply was lost.
  adopted: boolean
  // Whether a request to create it was sent.
  sent: boolean
  // Other rules that are equal to it, which therefore also pay.
  twins: LooseRule[]
}

// A rule that is missing from a list which may go on could exist all the same.
async function listRules(client: Client, customerId: string): Promise<readonly LooseRule[]> {
  const list = await client.rules.list({customerId})
  rejectCutList(list)
  return list.automationRules
}

export interface RuleCreation extends Recheck {
  // The service that the client calls, as notes name it.
  service: string
}

// A second equal rule would pay twice, so an existing equal rule is adopted and nothing is sent.
// The note of a request that was sent just now is waited for.
export function createRuleOnce(
  client: Client,
  configuration: RuleConfiguration,
  creation: RuleCreation,
): Promise<CreatedRule> {
  const {service, pausesMs = recheckPausesMs} = creation
  const meaning = Object.entries(normalizeRule(configuration)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const listedWithinMs = pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0)
  return withSentNotes('rules', [service, meaning], listedWithinMs, (notes) =>
    createIfMissing(client, configuration, notes, creation),
  )
}

async function createIfMissing(
  client: Client,
  configuration: RuleConfiguration,
  notes: SentNotes,
  recheck: Recheck,
): Promise<CreatedRule> {
  const {customerId} = configuration
  const listEqual = async () =>
    (await listRules(client, customerId)).filter((rule) => isSameRule(toConfiguration(rule), configuration))
  let [equal, ...twins] = await listEqual()
  if (!equal && notes.unlistedForMs > 0) {
    await sleep(notes.unlistedForMs)
    ;[equal, ...twins] = await listEqual()
  }
  if (equal) return {rule: equal, adopted: true, sent: false, twins}

  try {
    const send = () => client.rules.create({body: configuration})
    const rule = await notes.send({content: '', knownIds: []}, send, ({id}) => toText(id))
    return {rule, adopted: false, sent: true, twins: []}
  } catch (error) {
    if (!isReplyLost(error)) throw error
    recheck.onLostReply?.(error)
    const [rule, ...others] = await settle(error, {
      check: async () => {
        const made = await listEqual()
        return made.length > 0 ? made : undefined
      },
      finding: 'no such rule is listed so far',
      failing: 'the rules could not be listed',
      hint: 'Run the command again in a minute: it looks for the rule first, and creates none twice',
      pausesMs: recheck.pausesMs,
    })
    if (rule && others.length === 0) return {rule, adopted: true, sent: true, twins: []}
    const ids = [rule, ...others].map((each) => toText(each?.id)).join(', ')
    throw toUnknownOutcome(
      error,
      `${others.length + 1} new rules are equal to it and each will pay: ${ids}`,
      `Delete the ones you do not want with ${svc`rules delete ID`}`,
    )
  }
}

// Sends the complete configuration, which PUT requires.
export async function updateRule(
  client: Client,
  id: string,
  configuration: RuleConfiguration,
  recheck: Recheck = {},
): Promise<LooseRule> {
  const isUpdated = (rule: LooseRule) => hasChangeableFields(toConfiguration(rule), configuration)
  let lost: SvcError
  try {
    const reply = await client.rules.update({ruleId: id, body: {id, ...configuration}})
    if (isUpdated(reply)) return reply
    // The reply may only be out of date.
    const message = `The service answered that it updated the rule ${id}, without the new values`
    lost = new SvcError({error: 'RULE_UNCHANGED', kind: 'unknownOutcome', message})
  } catch (error) {
    if (!isReplyLost(error)) throw error
    recheck.onLostReply?.(error)
    lost = error
  }
  return settle(lost, {
    check: async () => {
      const rule = await client.rules.get({ruleId: id})
      return isUpdated(rule) ? rule : undefined
    },
    finding: 'the rule has not changed so far',
    failing: 'the rule could not be read',
    hint: `Check it with ${svc`rules get ${id}`}; running the command again is safe, because it sets the same values`,
    pausesMs: recheck.pausesMs,
  })
}

// Returns the deleted rule, which the caller has just read.
export async function deleteRule(
  client: Client,
  id: string,
  before: LooseRule,
  recheck: Recheck = {},
): Promise<LooseRule> {
  try {
    return await client.rules.delete({ruleId: id})
  } catch (error) {
    if (!isReplyLost(error)) throw error
    recheck.onLostReply?.(error)
    return settle(error, {
      check: async () => ((await findOrUndefined(client.rules.get({ruleId: id}))) ? undefined : before),
      finding: 'the rule still exists',
      failing: 'the rule could not be read',
      hint: `Check whether it exists with ${svc`rules get ${id}`}, and run the command again if it does`,
      pausesMs: recheck.pausesMs,
    })
  }
}
