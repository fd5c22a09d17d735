// Customers as the database keeps them, and as the interface shows them.
import type {z} from 'zod'
import {
  type Customer,
  type CustomerStatus,
  statusesWithIssues,
  type verificationIssue,
} from '../../contract/customers.ts'
import type {kybData, kycData} from '../../contract/verification-data.ts'
import {createFormLink} from '../forms/links.ts'
import {toTimestamp} from '../time/clock.ts'
import type {Database} from '../store/database.ts'
import {type PagePosition, paginate} from '../http/paging.ts'
import {ServiceError} from '../http/service-error.ts'
import type {RequestContext} from '../request-context.ts'

export type CustomerType = Customer['customerType']
export type Issue = z.infer<typeof verificationIssue>
export type KycData = z.infer<typeof kycData>
export type KybData = z.infer<typeof kybData>

// What an individual submits is KYC data, what a business submits is KYB data; the type of the customer says which.
export type VerificationData = KycData | KybData

export interface CustomerRow extends PagePosition {
  customerId: string
  organizationId: string
  customerType: CustomerType
  customerStatus: CustomerStatus
  name: string
  // The name given at creation, which no later submission overrides.
  statedName: string | null
  email: string
  updatedAt: number
  formToken: string
  // How often a review has begun: a decision is about one review and no other.
  reviewCount: number
  issues: string
}

export type NewCustomer = Omit<CustomerRow, 'seq' | 'reviewCount' | 'issues'> & {
  issues: readonly Issue[]
  data: VerificationData
}

// The data may hold megabytes of images, so it is read only where it is needed.
const columns =
  'seq, customerId, organizationId, customerType, customerStatus, name, statedName, email, createdAt, updatedAt, ' +
  'formToken, reviewCount, issues'

const insertStatement = `
  insert into customers
    (seq, customerId, organizationId, customerType, customerStatus, name, statedName, email, createdAt, updatedAt,
     formToken, issues, data)
  values ((select coalesce(max(seq), 0) + 1 from customers), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export function insertCustomer(database: Database, row: NewCustomer) {
  database.run(
    insertStatement,
    row.customerId,
    row.organizationId,
    row.customerType,
    row.customerStatus,
    row.name,
    row.statedName,
    row.email,
    row.createdAt,
    row.updatedAt,
    row.formToken,
    JSON.stringify(row.issues),
    JSON.stringify(row.data),
  )
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
  return JSON.parse(row?.data ?? '{}') as VerificationData
}

export function writeVerificationData(
  database: Database,
  {customerId}: CustomerRow,
  name: string,
  data: VerificationData,
) {
  database.run('update customers set name = ?, data = ? where customerId = ?', name, JSON.stringify(data), customerId)
}

const belowPosition = '(createdAt, seq) < (?, ?) order by createdAt desc, seq desc limit ?'
const selectAll = `select ${columns} from customers where ${belowPosition}`
const selectByOrganization = `select ${columns} from customers where organizationId = ? and ${belowPosition}`

interface CustomersQuery {
  pageToken?: string | undefined
  pageSize?: number | undefined
  organizationId?: string | undefined
}

export function readCustomerPage(database: Database, query: CustomersQuery) {
  return paginate('customers', query, ({createdAt, seq}, count) =>
    query.organizationId === undefined
      ? database.all<CustomerRow>(selectAll, createdAt, seq, count)
      : database.all<CustomerRow>(selectByOrganization, query.organizationId, createdAt, seq, count),
  )
}

// A link to a form is kept as a token and gets its address here, since a database may be served at many addresses.
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
    ...(statusesWithIssues.includes(row.customerStatus) && {verificationIssues: JSON.parse(row.issues) as Issue[]}),
  }
}

export function countCustomersByStatus(database: Database): Partial<Record<CustomerStatus, number>> {
  const rows = database.all<{customerStatus: CustomerStatus; count: number}>(
    'select customerStatus, count(*) as count from customers group by customerStatus',
  )
  return Object.fromEntries(rows.map(({customerStatus, count}) => [customerStatus, count]))
}
