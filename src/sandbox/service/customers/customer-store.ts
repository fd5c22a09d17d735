// Stores customers, and converts them to replies.
import type {z} from 'zod'
import {type CustomerStatus, statusesWithIssues} from '../../../contract/vocabulary.ts'
import type {Customer, kybData, kycData, verificationIssue} from '../../../contract/customers.ts'
import {createFormLink} from '../../forms/links.ts'
import {
  type ListContext,
  type PagePosition,
  type Paging,
  createListQuery,
  everyRow,
  readPage,
} from '../../http/paging.ts'
import {ServiceError} from '../../http/service-error.ts'
import {type Database, parseStored} from '../../store/database.ts'
import {toTimestamp} from '../../time/clock.ts'
import type {RequestContext} from '../request-context.ts'

export type CustomerType = Customer['customerType']
export type Issue = z.infer<typeof verificationIssue>
export type KycData = z.infer<typeof kycData>
export type KybData = z.infer<typeof kybData>

// KYC data for an individual, KYB data for a business.
export type VerificationData = KycData | KybData

// An issue with the parts of the data that it is about, as paths within the data. The hosted form shows the issue
// beside them; the interface does not have these fields.
export interface StoredIssue extends Issue {
  // A list item, such as associatedPersons[0].documents[1].
  item?: string
  paths?: readonly string[]
}

export interface CustomerRow extends PagePosition {
  customerId: string
  organizationId: string
  customerType: CustomerType
  customerStatus: CustomerStatus
  name: string
  // The name given when the customer was created. Later submissions do not override it.
  statedName: string | null
  email: string
  updatedAt: number
  formToken: string
  // The number of reviews started so far. A decision applies to one of them only.
  reviewCount: number
  issues: string
}

type NewCustomer = Omit<CustomerRow, 'seq' | 'reviewCount' | 'issues'> & {
  issues: readonly StoredIssue[]
  data: VerificationData
}

// Without the data, which may contain megabytes of images and is read only where it is needed.
const columns =
  'seq, customerId, organizationId, customerType, customerStatus, name, statedName, email, createdAt, updatedAt, ' +
  'formToken, reviewCount, issues'

export function insertCustomer(database: Database, {issues, data, ...row}: NewCustomer) {
  const texts = {issues: JSON.stringify(issues), data: JSON.stringify(data)}
  database.insertRow('customers', {...row, ...texts}, true)
}

export const findCustomerRow = (database: Database, customerId: string): CustomerRow | undefined =>
  database.one<CustomerRow>(`select ${columns} from customers where customerId = ?`, customerId)

export function getCustomerRow(database: Database, customerId: string): CustomerRow {
  const row = findCustomerRow(database, customerId)
  if (row) return row
  throw new ServiceError('NOT_FOUND', `There is no customer ${customerId}`)
}

export const findCustomerRowByForm = (database: Database, formToken: string): CustomerRow | undefined =>
  database.one<CustomerRow>(`select ${columns} from customers where formToken = ?`, formToken)

export function readVerificationData(database: Database, customerId: string): VerificationData {
  const row = database.one<{data: string}>('select data from customers where customerId = ?', customerId)
  return parseStored<VerificationData>(row?.data ?? '{}')
}

export function writeVerificationData(
  database: Database,
  {customerId}: CustomerRow,
  name: string,
  data: VerificationData,
) {
  database.run('update customers set name = ?, data = ? where customerId = ?', name, JSON.stringify(data), customerId)
}

const selectColumns = `select ${columns} from customers`
const listAll = createListQuery('customers', selectColumns, everyRow)
const listByOrganization = createListQuery('customers', selectColumns, 'organizationId = ?1')

interface CustomersQuery extends Paging {
  organizationId?: string | undefined
}

export function readCustomerPage(context: ListContext, query: CustomersQuery) {
  const {organizationId = null} = query
  return readPage<CustomerRow>(context, organizationId === null ? listAll : listByOrganization, organizationId, query)
}

export const readIssues = ({issues}: CustomerRow) => parseStored<StoredIssue[]>(issues)

export const toIssue = ({code, message, timestamp}: StoredIssue): Issue => ({code, message, timestamp})

// The database stores the token of a form link. The address is added here, because one database can be served at
// several addresses.
export function toCustomer(context: RequestContext, row: CustomerRow): Customer {
  return {
    customerId: row.customerId,
    customerStatus: row.customerStatus,
    customerType: row.customerType,
    name: row.name,
    email: row.email,
    verificationLink: createFormLink(context, 'verify', row.formToken),
    updatedAt: toTimestamp(row.updatedAt),
    organizationId: row.organizationId,
    ...(statusesWithIssues.includes(row.customerStatus) && {verificationIssues: readIssues(row).map(toIssue)}),
  }
}

export function countCustomersByStatus(database: Database): Partial<Record<CustomerStatus, number>> {
  const rows = database.all<{customerStatus: CustomerStatus; count: number}>(
    'select customerStatus, count(*) as count from customers group by customerStatus',
  )
  return Object.fromEntries(rows.map(({customerStatus, count}) => [customerStatus, count]))
}

// When a customer changed its status. The interface has no history; the console shows this one.
export interface StatusChangeRow {
  changedAt: number
  fromStatus: string
  toStatus: string
  note: ChangeNote
}

// What else is known of a change. No values of the data, only the names of its fields.
export interface ChangeNote {
  issues?: Issue[]
  // The fields that a correction changed, such as address.city.
  changed?: readonly string[]
  // Whether an operator made it with a control.
  isMadeUp?: true
}

export function recordStatusChange(
  {database, now}: RequestContext,
  customerId: string,
  {note, ...statuses}: Omit<StatusChangeRow, 'changedAt'>,
) {
  const row = {customerId: customerId.toLowerCase(), changedAt: now, ...statuses, note: JSON.stringify(note)}
  database.insertRow('statusChanges', row)
}

// Oldest first.
export const listStatusChanges = (database: Database, customerId: string): StatusChangeRow[] =>
  database
    .all<Omit<StatusChangeRow, 'note'> & {note: string}>(
      'select changedAt, fromStatus, toStatus, note from statusChanges where customerId = ? order by seq',
      customerId.toLowerCase(),
    )
    .map((row) => ({...row, note: parseStored<ChangeNote>(row.note)}))
