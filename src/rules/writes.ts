// Writes of rules that never happen twice: a lost answer is settled by looking at what the service has.
import {quoteForShell} from '../validation/shell-quote.ts'
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import {type RuleConfiguration, configurationOf, isSameRule} from './rule-form.ts'

// A rule as the service sent it.
export type Rule = Awaited<ReturnType<Client['rules']['get']>>

// What the service shows may lag behind what it did, so it is looked at more than once: after each of these waits.
const settlingPausesMs = [0, 1000, 3000] as const

export interface Settling {
  // Told when an answer was lost and the looking begins, which takes some seconds.
  onSettling?: (() => void) | undefined
  // The waits before each look.
  pausesMs?: readonly number[] | undefined
}

const isLost = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'unknownOutcome'

const stillUnknown = (lost: SvcError, finding: string, hint: string, cause: unknown = lost) =>
  new SvcError({
    error: lost.error,
    kind: 'unknownOutcome',
    message: `${lost.message}; ${finding}`,
    hint,
    statusCode: lost.statusCode,
    cause,
  })

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Looked<T> = {found: T} | {failure?: SvcError}

// Looks until there is something to be seen. A look that fails says nothing about the write, so it settles nothing.
async function settle<T>(
  look: () => Promise<T | undefined>,
  {onSettling, pausesMs = settlingPausesMs}: Settling,
): Promise<Looked<T>> {
  onSettling?.()
  for (const pauseMs of pausesMs) {
    await pause(pauseMs)
    try {
      const found = await look()
      if (found !== undefined) return {found}
    } catch (error) {
      if (error instanceof SvcError) return {failure: error}
      throw error
    }
  }
  return {}
}

export interface Creation extends Settling {
  // The customer's rules, where the caller has just read them.
  existing?: readonly Rule[] | undefined
}

export interface Created {
  rule: Rule
  // Whether the rule was found instead of being the answer to the request: it was there before, or the answer was lost.
  adopted: boolean
  // Whether a request to create it was sent.
  sent: boolean
  // Other rules that are equal to it, which therefore pay as well.
  twins: Rule[]
}

const rulesOf = async (client: Client, customerId: string): Promise<readonly Rule[]> =>
  (await client.rules.list({customerId})).automationRules

// A second equal rule would pay twice: one that is there already is adopted, and nothing is sent.
export async function createOnce(
  client: Client,
  configuration: RuleConfiguration,
  {existing, ...settling}: Creation = {},
): Promise<Created> {
  const {customerId} = configuration
  const isEqual = (rule: Rule) => isSameRule(configurationOf(rule), configuration)
  const before = existing ?? (await rulesOf(client, customerId))
  const [known, ...twins] = before.filter(isEqual)
  if (known) return {rule: known, adopted: true, sent: false, twins}
  try {
    const rule = await client.rules.create({body: configuration})
    return {rule, adopted: false, sent: true, twins: []}
  } catch (error) {
    if (!isLost(error)) throw error
    const ids = new Set(before.map(({id}) => id))
    const isNew = (rule: Rule) => !ids.has(rule.id) && isEqual(rule)
    const rule = await newRule(error, async () => (await rulesOf(client, customerId)).filter(isNew), settling)
    return {rule, adopted: true, sent: true, twins: []}
  }
}

const againLater = 'Run it again in a minute: it looks for the rule first, and makes none twice'

async function newRule(lost: SvcError, look: () => Promise<Rule[]>, settling: Settling): Promise<Rule> {
  const looked = await settle(async () => {
    const rules = await look()
    return rules.length > 0 ? rules : undefined
  }, settling)
  if (!('found' in looked)) {
    const why = looked.failure ? 'the rules could not be listed either' : 'no such rule is listed so far'
    throw stillUnknown(lost, why, againLater, looked.failure)
  }
  const [rule, ...others] = looked.found
  if (rule && others.length === 0) return rule
  const ids = looked.found.map(({id}) => id).join(', ')
  throw stillUnknown(
    lost,
    `${looked.found.length} new rules are equal to it and each will pay: ${ids}`,
    'Delete those that are too many with `svc rules delete ID`',
  )
}

// Sends the complete configuration of the rule, as the service wants it.
export async function updateSettled(
  client: Client,
  id: string,
  configuration: RuleConfiguration,
  settling: Settling = {},
): Promise<Rule> {
  try {
    return await client.rules.update({ruleId: id, body: {id, ...configuration}})
  } catch (error) {
    if (!isLost(error)) throw error
    const looked = await settle(async () => {
      const rule = await client.rules.get({ruleId: id})
      return isSameRule(configurationOf(rule), configuration) ? rule : undefined
    }, settling)
    if ('found' in looked) return looked.found
    const why = looked.failure ? 'the rule could not be read either' : 'the rule is not changed so far'
    const hint = `See what it is with \`svc rules get ${quoteForShell(id)}\`; to run it again is safe, since it sets the same values`
    throw stillUnknown(error, why, hint, looked.failure)
  }
}

export interface Deletion extends Settling {
  // The rule, where the caller has just read it.
  before?: Rule | undefined
}

// Returns the rule that is no more, as it was.
export async function deleteSettled(client: Client, id: string, {before, ...settling}: Deletion = {}): Promise<Rule> {
  const known = before ?? (await client.rules.get({ruleId: id}))
  try {
    return await client.rules.delete({ruleId: id})
  } catch (error) {
    if (!isLost(error)) throw error
    const looked = await settle(() => goneOrNot(client, id, known), settling)
    if ('found' in looked) return looked.found
    const why = looked.failure ? 'the rule could not be read either' : 'the rule is still there'
    const hint = `See whether it is there with \`svc rules get ${quoteForShell(id)}\`, and run it again if so`
    throw stillUnknown(error, why, hint, looked.failure)
  }
}

async function goneOrNot(client: Client, id: string, known: Rule): Promise<Rule | undefined> {
  try {
    await client.rules.get({ruleId: id})
    return undefined
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'notFound') return known
    throw error
  }
}
