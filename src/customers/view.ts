// The columns of customers in tables and records.
import {type View, describeUnservedLink, formatMinute, isUnservedLink, toText} from '../cli/output/view.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../contract/loose.ts'

export const formatIssue = (issue: LooseVerificationIssue) =>
  [issue?.code, issue?.message]
    .map(toText)
    .filter((text) => text !== '')
    .join(': ')

const formatIssues = (_: unknown, {verificationIssues: issues}: LooseCustomer) =>
  Array.isArray(issues) ? issues.map(formatIssue) : issues

export const customerView: View<LooseCustomer> = {
  singular: 'customer',
  plural: 'customers',
  columns: [
    {name: 'customerId', short: 'id', header: 'ID', value: (c) => c.customerId, rank: 0, kind: 'id'},
    {
      name: 'customerStatus',
      short: 'status',
      header: 'STATUS',
      value: (c) => c.customerStatus,
      rank: 1,
      kind: 'status',
    },
    {name: 'customerType', short: 'type', header: 'TYPE', value: (c) => c.customerType, rank: 3},
    {name: 'name', header: 'NAME', value: (c) => c.name, rank: 2, kind: 'text'},
    {name: 'email', header: 'EMAIL', value: (c) => c.email, rank: 5, kind: 'text'},
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (c) => c.updatedAt,
      format: formatMinute,
      rank: 4,
    },
    {
      name: 'organizationId',
      short: 'organization',
      header: 'ORGANIZATION',
      value: (c) => c.organizationId,
      rank: 6,
      shown: 'onRequest',
    },
    {
      name: 'verificationLink',
      short: 'link',
      header: 'VERIFICATION LINK',
      value: (c) => c.verificationLink,
      rank: 7,
      shown: 'onRequest',
    },
    {
      name: 'availablePaymentMethods',
      short: 'methods',
      header: 'PAYMENT METHODS',
      value: (c) => c.availablePaymentMethods,
      rank: 8,
      shown: 'onRequest',
    },
    {
      name: 'verificationIssues',
      short: 'issues',
      header: 'ISSUES',
      value: (c) => c.verificationIssues,
      format: formatIssues,
      rank: 9,
      shown: 'onRequest',
    },
  ],
}

// The same in a list. Its links are a column on request, so only a table that has it says that they lead nowhere.
export function createCustomerListView(): View<LooseCustomer> {
  let hasLinks = false
  return {
    ...customerView,
    prepareTable: async (_, columns) => {
      hasLinks = columns.some(({name}) => name === 'verificationLink')
    },
    remarks: (customers) =>
      hasLinks && customers.some(({verificationLink}) => isUnservedLink(verificationLink))
        ? [describeUnservedLink('open ID')]
        : [],
  }
}

// What customers are searched by.
export const customerSearch = {names: 'name, email or id', fields: ['name', 'email', 'customerId']} as const

// The columns of a sample document that was written.
export const sampleDocumentView: View<{file: string; bytes: number}> = {
  singular: 'document',
  plural: 'documents',
  columns: [
    {name: 'file', header: 'FILE', value: (written) => written.file, rank: 0},
    {name: 'bytes', header: 'BYTES', value: (written) => written.bytes, rank: 1, kind: 'number'},
  ],
}
