// The rules that the service has, as far as a file of rules is concerned.
import type {Client} from '../../client/client.ts'
import {SvcError} from '../../errors.ts'
import {toText} from '../../cli/output/view.ts'
import type {WantedRule} from '../rule-file.ts'
import type {LooseRule} from '../../contract/loose.ts'

// A rule that can be referred to: its id is known.
export type ExistingRule = LooseRule & {readonly id: string}

export interface ExistingRules {
  byId: ReadonlyMap<string, ExistingRule>
  // Every rule of the customers that the file names.
  ofCustomers: readonly ExistingRule[]
  // Ids in the file that the service does not have.
  idsUnknown: readonly string[]
}

// Reads under way at a time: quick with many customers, and no flood.
const readsAtOnceMax = 6

async function readEach<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += readsAtOnceMax) {
    results.push(...(await Promise.all(items.slice(start, start + readsAtOnceMax).map(read))))
  }
  return results
}

const hasId = (rule: LooseRule): rule is ExistingRule => typeof rule.id === 'string' && rule.id !== ''

async function findRule(client: Client, ruleId: string): Promise<LooseRule | undefined> {
  try {
    return await client.rules.get({ruleId})
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'notFound') return undefined
    throw error
  }
}

const missingIdError = (customerId: string) =>
  new SvcError({
    error: 'RULE_WITHOUT_ID',
    kind: 'unreachable',
    message: `The service lists a rule of customer ${customerId} without an id, so rules cannot be told apart`,
    hint: 'Nothing was changed; tell whoever runs the service',
  })

// A service that does not know the filter would list everyone's rules, so that each is looked at here again
// (docs/assumptions.md, R12).
async function listRulesOfCustomer(client: Client, customerId: string): Promise<ExistingRule[]> {
  const {automationRules} = await client.rules.list({customerId})
  const own = automationRules.filter((rule) => toText(rule.customerId).toLowerCase() === customerId)
  if (!own.every(hasId)) throw missingIdError(customerId)
  return own
}

export async function readExistingRules(client: Client, wanted: readonly WantedRule[]): Promise<ExistingRules> {
  const customers = [...new Set(wanted.map(({configuration}) => configuration.customerId.toLowerCase()))]
  const listed = (await readEach(customers, (customerId) => listRulesOfCustomer(client, customerId))).flat()
  const byId = new Map(listed.map((rule) => [rule.id, rule]))
  const ofCustomers = [...byId.values()]
  const others = wanted.flatMap(({id}) => (id === undefined || byId.has(id) ? [] : [id]))
  const read = await readEach(others, (id) => findRule(client, id))
  for (const [index, id] of others.entries()) {
    const rule = read[index]
    // Whatever the service calls it in its reply, this is the id under which it answers.
    if (rule) byId.set(id, {...rule, id})
  }
  return {byId, ofCustomers, idsUnknown: others.filter((_, index) => !read[index])}
}
