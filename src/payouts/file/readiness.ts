// Finds the rows that the service would refuse: their customer cannot pay, or an account does not fit the route.
import {
  acceptsRoute,
  canReceive,
  describeAccount,
  getAcceptedRoutes,
  getAccountId,
  isPending,
} from '../../accounts/describe-account.ts'
import {accountsReadMax} from '../../accounts/directory.ts'
import type {Client} from '../../client/client.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {type LoosePaymentAccount, readCode} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {type PaymentContextSettings, withPaymentContext} from '../../payments/pay/open-context.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {joinWithOr} from '../../values/text.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import {type JournalState, isOpen, readJournalState} from '../run/journal-state.ts'
import type {OpenBatch} from '../run/run.ts'
import {type ReadAccounts, completeRows, createAccountReader} from './complete-rows.ts'
import type {FileSlot} from './file-slot.ts'
import type {FileProblem} from './records.ts'
import {type PayoutFile, type PayoutRow, readPayoutFile, rejectFile} from './rows.ts'

export interface ReadinessCheck {
  client: Client
  rows: readonly PayoutRow[]
  journalState: JournalState
  concurrency: number
  readAccounts: ReadAccounts
}

// Nothing would keep svc from sending the row, but the service would refuse it.
export class NotReady extends SvcError {}

const notFoundStatus = 'NOT_FOUND'

type Statuses = ReadonlyMap<string, string>

const listCustomers = (rows: readonly PayoutRow[]) => [...new Set(rows.map(({content}) => content.customerId))]

// A customer that does not exist is reported as NOT_FOUND. Any other failure is thrown.
export async function fetchCustomerStatuses({client, rows, concurrency}: ReadinessCheck): Promise<Statuses> {
  const statuses = new Map<string, string>()
  await forEachConcurrently(listCustomers(rows), concurrency, async (customerId) => {
    try {
      const {customerStatus} = await client.customers.get({customerId})
      statuses.set(customerId, typeof customerStatus === 'string' ? customerStatus : '')
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
      statuses.set(customerId, notFoundStatus)
    }
  })
  return statuses
}

const unableStatuses = new Set(listEnumValues('Customer', 'customerStatus').filter((status) => status !== 'ACTIVE'))

const isUnable = (status: string | undefined) =>
  readCode(status) === notFoundStatus || unableStatuses.has(readCode(status))

// Reads them several at a time. A list that cannot be read is reported by the rows that need it.
export async function readAllAccounts(check: ReadinessCheck, statuses: Statuses): Promise<void> {
  const {rows, journalState, concurrency, readAccounts} = check
  const customers = listCustomers(rows.filter((row) => isOpen(row, journalState)))
  const able = customers.filter((customerId) => !isUnable(statuses.get(customerId)))
  await forEachConcurrently(able, concurrency, async (customerId) => {
    await readAccounts(customerId).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
  })
}

// Nothing is concluded from a status that the interface does not define (docs/assumptions.md, P21).
function rejectUnableCustomer({content: {customerId}}: PayoutRow, status: string | undefined): void {
  const code = readCode(status)
  if (code === notFoundStatus) {
    throw new NotReady({error: 'NOT_FOUND', kind: 'notFound', message: `There is no customer ${customerId}`})
  }
  if (!unableStatuses.has(code)) return
  throw new NotReady({
    error: 'CUSTOMER_NOT_ACTIVE',
    kind: 'refused',
    message: `The customer ${customerId} is ${code}, and can pay only once it is ACTIVE`,
  })
}

// The accounts are those of the customer (docs/assumptions.md, P21).
export async function rejectUnready(
  {readAccounts}: Pick<ReadinessCheck, 'readAccounts'>,
  row: PayoutRow,
  status: string | undefined,
): Promise<void> {
  rejectUnableCustomer(row, status)
  const message = findRouteProblem(row, await readAccounts(row.content.customerId))
  if (message !== undefined) throw new NotReady({error: 'ACCOUNT_NOT_USABLE', kind: 'refused', message})
}

export interface UnreadyRow {
  row: PayoutRow
  reason: string
}

// A person who is about to be asked waits for these reads. For more customers, a dry run is the right tool.
export const customersCheckedMax = 100

// The open rows that would be refused, for a person who is about to pay. What cannot be read speaks against no row. Undefined
// if the file has too many customers.
export async function findUnreadyRows(check: ReadinessCheck): Promise<UnreadyRow[] | undefined> {
  const rows = check.rows.filter((row) => isOpen(row, check.journalState))
  if (listCustomers(rows).length > customersCheckedMax) return undefined
  const open = {...check, rows}
  const statuses = await fetchCustomerStatuses(open).catch(ignoreFailure)
  if (!statuses) return []
  await readAllAccounts(open, statuses)
  const unready: UnreadyRow[] = []
  for (const row of rows) {
    try {
      await rejectUnready(open, row, statuses.get(row.content.customerId))
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      if (error instanceof NotReady) unready.push({row, reason: error.message})
    }
  }
  return unready
}

function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof SvcError)) throw error
}

// Checks whether the accounts of a row exist, belong to its customer, and can take its currencies and methods.
interface UsedAccount {
  accountId: string
  currency: string
  method: string
}

function describeWrongRoute(column: 'from' | 'to', account: LoosePaymentAccount, used: UsedAccount): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  const isCurrency = !acceptsRoute(account, used.currency, undefined)
  const [name, given, {values}] = isCurrency
    ? (['currency', used.currency, currencies] as const)
    : (['method', used.method, methods] as const)
  return `${column}-${name} is ${given}, but ${describeAccount(account)} takes ${joinWithOr(values)}`
}

const fittingShownMax = 3

// What the row may have meant.
function describeFitting(accounts: readonly LoosePaymentAccount[], column: 'from' | 'to', used: UsedAccount): string {
  const fitting = accounts.filter(
    (account) =>
      !isPending(account) &&
      (column === 'from' || canReceive(account)) &&
      acceptsRoute(account, used.currency, used.method),
  )
  if (fitting.length === 0) return ''
  const names = fitting
    .slice(0, fittingShownMax)
    .map((account) => `${describeAccount(account)} (${getAccountId(account)})`)
  const more = fitting.length - names.length
  return `; it has ${joinWithOr(more > 0 ? [...names, `${more} more`] : names)}`
}

function findAccountProblem(
  accounts: readonly LoosePaymentAccount[],
  column: 'from' | 'to',
  used: UsedAccount,
  customerId: string,
): string | undefined {
  const account = accounts.find((each) => getAccountId(each) === used.accountId)
  if (!account) {
    // The list of a customer with very many accounts is not read to its end.
    if (accounts.length >= accountsReadMax) return undefined
    return `The customer ${customerId} has no payment account ${used.accountId} (${column})${describeFitting(accounts, column, used)}`
  }
  if (isPending(account)) return `The payment account ${used.accountId} (${column}) is PENDING`
  if (column === 'to' && !canReceive(account)) return `${describeAccount(account)} (to) only takes deposits`
  return acceptsRoute(account, used.currency, used.method) ? undefined : describeWrongRoute(column, account, used)
}

// Undefined if nothing is known to speak against the row.
function findRouteProblem(
  {content: {customerId, source, destination}}: PayoutRow,
  accounts: readonly LoosePaymentAccount[],
): string | undefined {
  const from = {
    accountId: source.sourcePaymentAccountId,
    currency: source.sourceCurrency,
    method: source.sourcePaymentMethod,
  }
  const to = {
    accountId: destination.destinationPaymentAccountId,
    currency: destination.destinationCurrency,
    method: destination.destinationPaymentMethod,
  }
  return findAccountProblem(accounts, 'from', from, customerId) ?? findAccountProblem(accounts, 'to', to, customerId)
}

// Rejects a payout file with everything that is wrong with it at once: what svc sees in the file itself, and what the service says
// about its customers and accounts. So nobody has to correct a file twice.
export interface ServiceAccess {
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
}

const concurrentReads = 4

async function listUnready(check: ReadinessCheck): Promise<FileProblem[]> {
  const unready = (await findUnreadyRows(check)) ?? []
  return unready.map(({row: {line}, reason}) => ({line, message: reason}))
}

async function listServiceProblems(access: ServiceAccess, rows: readonly PayoutRow[]): Promise<FileProblem[]> {
  const {serviceId} = access.traits
  return withPaymentContext(access, async (context) => {
    const {client, journal} = context
    const file = {rows, readAccounts: createAccountReader(client), concurrency: concurrentReads}
    const completed = await completeRows({...file, context, serviceId})
    const journalState = await readJournalState(journal, serviceId, completed.rows)
    return [...completed.problems, ...(await listUnready({...file, client, rows: completed.rows, journalState}))]
  })
}

// A service that cannot be asked speaks against no row: the file is wrong in any case.
async function listMore(rows: readonly PayoutRow[], openAccess: () => Promise<ServiceAccess>): Promise<FileProblem[]> {
  const customers = new Set(rows.map(({content}) => content.customerId))
  if (customers.size === 0 || customers.size > customersCheckedMax) return []
  try {
    return await listServiceProblems(await openAccess(), rows)
  } catch (error) {
    if (error instanceof SvcError && error.kind !== 'interrupted') return []
    throw error
  }
}

// Reads a file without problems of its own.
export async function readValidPayouts(
  file: string,
  slot: FileSlot | undefined,
  openAccess: () => Promise<ServiceAccess>,
): Promise<PayoutFile> {
  const {rows, remarks, problems, routedRows} = await readPayoutFile(file, slot)
  if (problems.length > 0) rejectFile(file, [...problems, ...(await listMore(routedRows, openAccess))], remarks)
  return {rows, remarks}
}

// Throws if ids or routes of the file cannot be completed, or if keys of it belong to other payments.
export async function rejectWrongRows(file: string, batch: OpenBatch, others = batch.journalState.problems) {
  const problems = [...batch.routeProblems, ...others]
  if (problems.length === 0) return
  rejectFile(file, [...problems, ...(await listUnready({...batch, client: batch.context.client}))])
}
