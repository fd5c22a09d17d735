// Collects what the start page says, with at most three requests and without a retry, so that it is quick whatever happens.
import type {Client} from '../client/client.ts'
import {createDraftScope, listProfileDrafts} from '../cli/wizard/draft-store.ts'
import {toText} from '../cli/output/view.ts'
import {SvcError} from '../errors.ts'
import {listEntries} from '../payments/journal/entries.ts'
import {splitPaidDrafts} from '../payments/plan/paid-drafts.ts'
import {unsettledStates} from '../payments/protocol/payment.ts'
import type {LooseCustomer, LooseRule, LooseTransaction} from '../contract/loose.ts'
import type {Caller} from '../profiles/caller.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {findOrganization} from '../profiles/organization.ts'
import {describePermissions} from '../profiles/permissions.ts'
import {getServiceId, readServiceState} from '../transport.ts'
import {
  type ReadPage,
  createIdShortener,
  failuresShownMs,
  findCorrections,
  findDrafts,
  findFailedPayments,
  findFailedTransactions,
  findUnknownPayments,
  readPage,
} from './find-attention.ts'
import {addProfile, listNextCommands} from './next-commands.ts'
import type {Attention, Status, StatusCaller, UpcomingFiring} from './status.ts'

const pageSize = 100

type Outcome<T> = {value: T} | {failure: SvcError}

async function attempt<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return {value: await work()}
  } catch (error) {
    if (error instanceof SvcError) return {failure: error}
    throw error
  }
}

const getValue = <T>(outcome: Outcome<T>): T | undefined => ('value' in outcome ? outcome.value : undefined)

const describeCaller = (caller: Caller, customers: unknown): StatusCaller => ({
  ...(caller.profileName && {profile: caller.profileName}),
  source: caller.profileName ? 'profile' : 'environment',
  ...(caller.chosenBy && {chosenBy: caller.chosenBy}),
  environment: caller.environment,
  baseUrl: caller.baseUrl,
  ...findOrganization(caller, customers),
  readOnly: caller.readOnly,
  may: describePermissions(caller),
  ...(caller.spending && {limits: caller.spending}),
})

const describeJournal = async (caller: Caller) => ({
  serviceId: await getServiceId(caller),
  formerIds: caller.serviceIdentity.formerIds,
  journal: getJournalAddress(caller),
})

async function readDrafts(caller: Caller): Promise<Attention[]> {
  const drafts = listProfileDrafts(createDraftScope(caller))
  if (drafts.length === 0) return []
  return findDrafts((await splitPaidDrafts(drafts, await describeJournal(caller))).open)
}

async function readJournal(caller: Caller): Promise<Attention[]> {
  const service = await describeJournal(caller)
  const failed = {states: ['REJECTED', 'STOPPED'] as const, sinceMs: Date.now() - failuresShownMs}
  return [
    ...findUnknownPayments(await listEntries({...service, states: unsettledStates})),
    ...findFailedPayments(await listEntries({...service, ...failed})),
  ]
}

// The rules and their schedules are loaded only if there are any.
async function readRules(
  caller: Caller,
  page: ReadPage<LooseRule>,
): Promise<{upcoming: UpcomingFiring[]; short: Attention[]; nowMs: number}> {
  const {items} = page
  const state = await readServiceState(caller)
  if (items.length === 0) return {upcoming: [], short: [], nowMs: state.nowMs}
  const {foreseeRules} = await import('./upcoming-rules.ts')
  return {...foreseeRules(items, state), nowMs: state.nowMs}
}

export interface CollectedStatus {
  status: Status
  // Why the service could not be asked, so that a script ends with the code of it.
  failure?: SvcError
}

// Nobody is logged in: nothing is asked, and no sandbox is made.
export const describeNoCaller = (version: string): Status => ({
  version,
  attention: [],
  upcoming: [],
  unread: [],
  partlyRead: [],
  next: listNextCommands(undefined, []),
})

export async function collectStatus(version: string, caller: Caller, client: Client): Promise<CollectedStatus> {
  const {organization: organizationId} = caller
  const query = {...(organizationId && {organizationId}), pageSize}
  const [customers, transactions, rules, journal] = await Promise.all([
    attempt(() => client.customers.list(query)),
    attempt(() => client.transactions.list(query)),
    attempt(() => client.rules.list({})),
    attempt(() => readJournal(caller)),
  ])
  const pages = {
    customers: readPage<LooseCustomer>(getValue(customers) ?? {}, 'customers'),
    transactions: readPage<LooseTransaction>(getValue(transactions) ?? {}, 'transactions'),
    'automation rules': readPage<LooseRule>(getValue(rules) ?? {}, 'automationRules'),
  }
  const outlook = await attempt(() => readRules(caller, pages['automation rules']))
  const {upcoming = [], short = [], nowMs = Date.now()} = getValue(outlook) ?? {}
  // Commands look for the beginning of an id in all organizations.
  const shortenIds = <T extends object>({items, isPartial}: ReadPage<T>, field: keyof T) =>
    createIdShortener({ids: items.map((item) => toText(item[field])), isWhole: !isPartial && !organizationId})
  const attention = [
    ...(getValue(journal) ?? []),
    ...findCorrections(pages.customers, shortenIds(pages.customers, 'customerId')),
    ...(await readDrafts(caller)),
    ...short,
    ...findFailedTransactions(pages.transactions, shortenIds(pages.transactions, 'transactionId'), nowMs),
  ].map((each) => ({...each, next: addProfile(each.next, caller)}))
  const parts = {customers, transactions, 'automation rules': rules, 'the journal': journal}
  const failures = [customers, transactions, rules].flatMap((part) => ('failure' in part ? [part.failure] : []))
  const failure = 'failure' in customers ? customers.failure : failures[0]
  const status: Status = {
    version,
    caller: describeCaller(caller, getValue(customers)?.customers),
    service: 'failure' in customers ? describeFailure(customers.failure) : {reachable: true},
    attention,
    upcoming,
    // One sentence about the service is enough if it answers nothing.
    unread: Object.entries(parts).flatMap(([name, part]) =>
      'failure' in part && (part === journal || !('failure' in customers))
        ? [`${name} could not be read: ${part.failure.reason ?? part.failure.sentence}`]
        : [],
    ),
    partlyRead: Object.entries(pages).flatMap(([list, {items, isPartial}]) =>
      isPartial ? [{list, count: items.length}] : [],
    ),
    next: listNextCommands(caller, attention, failure),
  }
  return {status, ...(failure && {failure})}
}

const describeFailure = ({error, sentence}: SvcError) => ({reachable: false, error, message: sentence})
