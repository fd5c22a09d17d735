// The columns of customers in tables and records.
import {
  type Column,
  type View,
  createColumn,
  describeUnservedLink,
  formatMinute,
  isUnservedLink,
  toText,
} from '../cli/output/view.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../contract/loose.ts'
import {svc} from '../values/text.ts'

export const formatIssue = (issue: LooseVerificationIssue) =>
  [issue?.code, issue?.message]
    .map(toText)
    .filter((text) => text !== '')
    .join(': ')

const formatIssues = (_: unknown, {verificationIssues: issues}: LooseCustomer) =>
  Array.isArray(issues) ? issues.map(formatIssue) : issues

const linkName = 'verificationLink'

type CustomerColumn = Column<LooseCustomer>

const createRare = (name: string, rank: number, short: string, header: string, more: Partial<CustomerColumn> = {}) =>
  createColumn<LooseCustomer>(name, rank, {short, header, shown: 'onRequest', ...more})

export const customerView: View<LooseCustomer> = {
  singular: 'customer',
  plural: 'customers',
  columns: [
    createColumn('customerId', 0, {short: 'id', header: 'ID', kind: 'id'}),
    createColumn('customerStatus', 1, {short: 'status', header: 'STATUS', kind: 'status'}),
    createColumn('customerType', 3, {short: 'type', header: 'TYPE'}),
    createColumn('name', 2, {kind: 'text'}),
    createColumn('email', 5, {kind: 'text'}),
    createColumn('updatedAt', 4, {short: 'updated', header: 'UPDATED (UTC)', format: formatMinute}),
    createRare('organizationId', 6, 'organization', 'ORGANIZATION'),
    createRare(linkName, 7, 'link', 'VERIFICATION LINK'),
    createRare('availablePaymentMethods', 8, 'methods', 'PAYMENT METHODS'),
    createRare('verificationIssues', 9, 'issues', 'ISSUES', {format: formatIssues}),
  ],
  remarks: (customers, columns) =>
    columns.some(({name}) => name === linkName) && customers.some((customer) => isUnservedLink(customer[linkName]))
      ? [describeUnservedLink(svc`sandbox start`)]
      : [],
}

export const customerColumn = 'customer'

// The columns of the customer that something belongs to: its name, which is its id while the name is not known, and the id, which
// has the short name in CSV, where there are no names.
export const createCustomerColumns = <T extends {readonly customerId?: unknown}>(
  rank: number,
  shown: 'screen' | 'record' = 'screen',
): Array<Column<T>> => [
  createColumn(customerColumn, rank, {value: ({customerId}) => customerId, kind: 'name', shown}),
  createColumn('customerId', rank, {short: customerColumn, header: 'CUSTOMER ID', kind: 'id', shown: 'onRequest'}),
]

// What customers are searched by.
export const customerSearch = {names: 'name, email or id', fields: ['name', 'email', 'customerId']} as const

// The columns of a sample document that was written.
export const sampleDocumentView: View<{file: string; bytes: number}> = {
  singular: 'document',
  plural: 'documents',
  columns: [createColumn('file', 0), createColumn('bytes', 1, {kind: 'number'})],
}
