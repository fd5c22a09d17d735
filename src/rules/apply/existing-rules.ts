// Reads the rules of the service that a file may refer to.
import type {Client} from '../../client/client.ts'
import {rejectCutList} from '../../client/list-end.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {isIdBeginning} from '../../cli/ids/reference.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {toText} from '../../cli/output/view.ts'
import type {WantedRule} from '../rule-file.ts'

// A rule that can be referred to: its id is known.
export type ExistingRule = LooseRule & {readonly id: string}

export interface ExistingRules {
  // The rules of the file, with whole ids.
  wanted: readonly WantedRule[]
  byId: ReadonlyMap<string, ExistingRule>
  // All rules of the customers that the file names.
  ofCustomers: readonly ExistingRule[]
  // Ids in the file that the service does not have.
  unknownIds: readonly string[]
}

// Limits how many requests run at the same time.
const concurrentReadsMax = 6

async function readEach<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += concurrentReadsMax) {
    results.push(...(await Promise.all(items.slice(start, start + concurrentReadsMax).map(read))))
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
    message: `The service lists a rule of customer ${customerId} without an id, so its rules cannot be told apart`,
    hint: 'Nothing was changed; report this to the operator of the service',
  })

// A service that ignores the filter would list the rules of all customers, so the customer is checked here again
// (docs/assumptions.md, R12).
async function listRulesOfCustomer(client: Client, customerId: string): Promise<ExistingRule[]> {
  const list = await client.rules.list({customerId})
  rejectCutList(list)
  const isOwn = (rule: LooseRule) => toText(rule.customerId).toLowerCase() === customerId.toLowerCase()
  const own = list.automationRules.filter(isOwn)
  if (!own.every(hasId)) throw missingIdError(customerId)
  return own
}

// The rules that are listed are those of the customers that the file names, so an id is shortened among these.
function completeRuleIds(written: readonly WantedRule[], listed: ReadonlyMap<string, ExistingRule>): WantedRule[] {
  const found = new Map<string, string>()
  return written.map((rule) => {
    const {id} = rule
    if (id === undefined) return rule
    const matches = listed.has(id) ? [id] : [...listed.keys()].filter((each) => isIdBeginning(id, each))
    const whole = matches.length === 1 ? (matches[0] ?? id) : id
    const other = found.get(whole)
    const problem = matches.length > 1 ? `matches ${matches.join(' and ')}` : other && `means the same rule as ${other}`
    if (problem) throw badUsage(`The id ${id} in the file ${problem}`, 'Write whole ids; nothing was changed')
    found.set(whole, id)
    return {...rule, id: whole}
  })
}

export async function readExistingRules(client: Client, written: readonly WantedRule[]): Promise<ExistingRules> {
  // As the file spells them: a service may compare ids as text, and a rule that is not found would be created again.
  const customers = [...new Set(written.map(({configuration}) => configuration.customerId))]
  const listed = (await readEach(customers, (customerId) => listRulesOfCustomer(client, customerId))).flat()
  const byId = new Map(listed.map((rule) => [rule.id, rule]))
  const ofCustomers = [...byId.values()]
  const wanted = completeRuleIds(written, byId)
  const others = wanted.flatMap(({id}) => (id === undefined || byId.has(id) ? [] : [id]))
  const read = await readEach(others, (id) => findRule(client, id))
  for (const [index, id] of others.entries()) {
    const rule = read[index]
    // The reply may carry another id, but the service answers to this one.
    if (rule) byId.set(id, {...rule, id})
  }
  return {wanted, byId, ofCustomers, unknownIds: others.filter((_, index) => !read[index])}
}
