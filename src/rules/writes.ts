// Writes of rules that never happen twice: a lost answer is settled by looking at what the service has.
import {quoteForShell} from '../validation/shell-quote.ts'
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import type {LooseRule} from '../contract/loose.ts'
import {type RuleConfiguration, toConfiguration, isSameRule} from './rule-configuration.ts'

// What the service shows may lag behind what it did, so it is looked at more than once: after each of these waits.
const recheckPausesMs = [0, 1000, 3000] as const

export interface Recheck {
  // Told when an answer was lost and the looking begins, which takes some seconds.
  onLostReply?: (() => void) | undefined
  // The waits before each look.
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

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type RecheckResult<T> = {found: T} | {failure?: SvcError}

// Looks until there is something to be seen. A look that fails says nothing about the write, so it settles nothing.
async function recheckUntilFound<T>(
  check: () => Promise<T | undefined>,
  {onLostReply, pausesMs = recheckPausesMs}: Recheck,
): Promise<RecheckResult<T>> {
  onLostReply?.()
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs)
    try {
      const found = await check()
      if (found !== undefined) return {found}
    } catch (error) {
      if (error instanceof SvcError) return {failure: error}
      throw error
    }
  }
  return {}
}

export interface Creation extends Recheck {
  // The customer's rules, where the caller has just read them.
  existing?: readonly LooseRule[] | undefined
}

export interface Created {
  rule: LooseRule
  // Whether the rule was found instead of being the answer to the request: it was there before, or the answer was lost.
  adopted: boolean
  // Whether a request to create it was sent.
  sent: boolean
  // Other rules that are equal to it, which therefore pay as well.
  twins: LooseRule[]
}

const listRules = async (client: Client, customerId: string): Promise<readonly LooseRule[]> =>
  (await client.rules.list({customerId})).automationRules

// A second equal rule would pay twice: one that is there already is adopted, and nothing is sent.
export async function createRuleOnce(
  client: Client,
  configuration: RuleConfiguration,
  {existing, ...recheck}: Creation = {},
): Promise<Created> {
  const {customerId} = configuration
  const isEqual = (rule: LooseRule) => isSameRule(toConfiguration(rule), configuration)
  const before = existing ?? (await listRules(client, customerId))
  const [known, ...twins] = before.filter(isEqual)
  if (known) return {rule: known, adopted: true, sent: false, twins}
  try {
    const rule = await client.rules.create({body: configuration})
    return {rule, adopted: false, sent: true, twins: []}
  } catch (error) {
    if (!isReplyLost(error)) throw error
    const ids = new Set(before.map(({id}) => id))
    const isNew = (rule: LooseRule) => !ids.has(rule.id) && isEqual(rule)
    const rule = await findCreatedRule(error, async () => (await listRules(client, customerId)).filter(isNew), recheck)
    return {rule, adopted: true, sent: true, twins: []}
  }
}

const rerunHint = 'Run it again in a minute: it looks for the rule first, and makes none twice'

async function findCreatedRule(
  lost: SvcError,
  check: () => Promise<LooseRule[]>,
  recheck: Recheck,
): Promise<LooseRule> {
  const checked = await recheckUntilFound(async () => {
    const rules = await check()
    return rules.length > 0 ? rules : undefined
  }, recheck)
  if (!('found' in checked)) {
    const why = checked.failure ? 'the rules could not be listed either' : 'no such rule is listed so far'
    throw toUnknownOutcome(lost, why, rerunHint, checked.failure)
  }
  const [rule, ...others] = checked.found
  if (rule && others.length === 0) return rule
  const ids = checked.found.map(({id}) => id).join(', ')
  throw toUnknownOutcome(
    lost,
    `${checked.found.length} new rules are equal to it and each will pay: ${ids}`,
    'Delete those that are too many with `svc rules delete ID`',
  )
}

// Sends the complete configuration of the rule, as the service wants it.
export async function updateRule(
  client: Client,
  id: string,
  configuration: RuleConfiguration,
  recheck: Recheck = {},
): Promise<LooseRule> {
  try {
    return await client.rules.update({ruleId: id, body: {id, ...configuration}})
  } catch (error) {
    if (!isReplyLost(error)) throw error
    const checked = await recheckUntilFound(async () => {
      const rule = await client.rules.get({ruleId: id})
      return isSameRule(toConfiguration(rule), configuration) ? rule : undefined
    }, recheck)
    if ('found' in checked) return checked.found
    const why = checked.failure ? 'the rule could not be read either' : 'the rule is not changed so far'
    const hint = `See what it is with \`svc rules get ${quoteForShell(id)}\`; to run it again is safe, since it sets the same values`
    throw toUnknownOutcome(error, why, hint, checked.failure)
  }
}

export interface Deletion extends Recheck {
  // The rule, where the caller has just read it.
  before?: LooseRule | undefined
}

// Returns the rule that is no more, as it was.
export async function deleteRule(client: Client, id: string, {before, ...recheck}: Deletion = {}): Promise<LooseRule> {
  const known = before ?? (await client.rules.get({ruleId: id}))
  try {
    return await client.rules.delete({ruleId: id})
  } catch (error) {
    if (!isReplyLost(error)) throw error
    const checked = await recheckUntilFound(() => findDeletedRule(client, id, known), recheck)
    if ('found' in checked) return checked.found
    const why = checked.failure ? 'the rule could not be read either' : 'the rule is still there'
    const hint = `See whether it is there with \`svc rules get ${quoteForShell(id)}\`, and run it again if so`
    throw toUnknownOutcome(error, why, hint, checked.failure)
  }
}

async function findDeletedRule(client: Client, id: string, known: LooseRule): Promise<LooseRule | undefined> {
  try {
    await client.rules.get({ruleId: id})
    return undefined
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'notFound') return known
    throw error
  }
}
