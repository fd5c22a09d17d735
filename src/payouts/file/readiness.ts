// Finds the rows that the service would refuse: their customer cannot pay, or an account does not fit the route.
import type {Client} from '../../client/client.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {readCode} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {ReadAccounts} from './account-lists.ts'
import {findRouteProblem} from './check-accounts.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import {type JournalState, isOpen} from '../run/journal-state.ts'
import type {PayoutRow} from './rows.ts'

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

// A person who is about to be asked waits for these reads. For more customers, a rehearsal is the right tool.
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
