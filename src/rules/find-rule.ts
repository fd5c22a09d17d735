// Finds an automation rule by its id or the beginning of its id; in a terminal also by its name, or in a list.
import * as Args from '@oclif/core/args'
import type {FindableKind} from '../cli/ids/findable.ts'
import {
  type Finder,
  type Reference,
  createNoMatchError,
  findMeant,
  prefixLengthMin,
  readWholeList,
} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import {joinParts} from '../cli/output/view.ts'
import type {LooseRule} from '../contract/loose.ts'
import {SvcError, badUsage} from '../errors.ts'
import {formatRuleAmount, formatTrigger} from './view.ts'

const ruleKind: FindableKind<LooseRule> = {
  singular: 'automation rule',
  plural: 'automation rules',
  getId: ({id}) => (typeof id === 'string' ? id.trim() : ''),
  describe: (rule) => joinParts(rule.name, formatTrigger(rule), formatRuleAmount(rule)),
  // The name is the integrator's own, and may be that of a person.
  outline: (rule) => joinParts(rule.id, formatTrigger(rule), formatRuleAmount(rule)),
  getSearchText: (rule) => joinParts(rule.name, rule.customerId, formatRuleAmount(rule)),
}

// It is not required, because a person can choose from a list. `findRule` rejects a script without one.
export const ruleArgs = {id: Args.string({description: 'ID of the rule, or its first 8 or more characters'})}

interface FoundRule {
  ruleId: string
  rule: LooseRule
}

// The interface leaves the format of these ids open, so only an empty one is wrong. Call this before anything is sent.
export function checkRuleReference({what, text, name}: Reference, finder: Finder): void {
  if (text === undefined && !finder.isInteractive) finder.rejectMissing(name)
  if (text === undefined || text.trim() !== '') return
  throw badUsage(`${what} is empty`, 'Use the id that the service shows, or its first 8 or more characters')
}

// The interface leaves the format of these ids open, so the text is first tried as a whole id. If the service does not know
// it, svc looks for it in the list.
export async function findRule(finder: Finder, reference: Reference): Promise<FoundRule> {
  checkRuleReference(reference, finder)
  const {text} = reference
  const client = await finder.connect()
  const read = async (ruleId: string): Promise<FoundRule> => ({ruleId, rule: await client.rules.get({ruleId})})
  // Names have several words more often than ids do.
  if (text === undefined || (finder.isInteractive && /\s/.test(text.trim())))
    return read(await searchRuleId(finder, reference))
  try {
    return await read(text)
  } catch (error) {
    if (!isUnknownId(error) || !maySearch(text, finder)) throw error
    const found = await searchRuleId(finder, reference, error)
    return read(found)
  }
}

const isUnknownId = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'notFound'

const maySearch = (text: string, {isInteractive}: Finder) =>
  !isUuid(text) && (isInteractive || text.length >= prefixLengthMin)

// `unknown` is what the service said about the text as a whole id. It stands for a script if nothing matches.
async function searchRuleId(finder: Finder, reference: Reference, unknown?: SvcError): Promise<string> {
  const client = await finder.connect()
  const rules = await readWholeList<LooseRule>((page) => client.rules.list(page), 'automationRules', ruleKind.plural)
  const found = await findMeant(rules, reference, ruleKind, finder)
  if (found) return ruleKind.getId(found)
  throw (!finder.isInteractive && unknown) || createNoMatchError(reference, ruleKind)
}

// The customer and the source account by which rules are listed.
export async function resolveRuleScope(
  finder: Finder,
  {customer, from}: {customer?: string | undefined; from?: string | undefined},
): Promise<{customerId?: string; sourcePaymentAccountId?: string}> {
  if (customer === undefined && from === undefined) return {}
  // Loaded only for a list that is filtered.
  const {findScope} = await import('../accounts/find-account.ts')
  const {customerId, accountId} = await findScope(finder, {customer, account: from}, 'from')
  return {...(customerId && {customerId}), ...(accountId && {sourcePaymentAccountId: accountId})}
}
