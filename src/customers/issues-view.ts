// The columns of verification issues and of their codes.
import {type Column, type View, createColumn, formatMinute} from '../cli/output/view.ts'
import {type IssueCodeEntry, issueCodes} from '../contract/issue-codes.ts'
import type {LooseVerificationIssue} from '../contract/loose.ts'

const resolverLabels: Record<IssueCodeEntry['resolver'], string> = {
  CUSTOMER: 'customer',
  CUSTOMER_THEN_SUPPORT: 'customer, then support',
  SUPPORT: 'support',
}

// What the contract says about a code. The columns stay empty for a code that it does not list.
const ofCode = (name: keyof IssueCodeEntry, rank: number, more: Partial<Column<{code?: unknown} | null>> = {}) =>
  createColumn<{code?: unknown} | null>(name, rank, {
    value: (item) => issueCodes.find(({code}) => code === item?.code)?.[name],
    ...more,
  })

const whoColumn = (rank: number) =>
  ofCode('resolver', rank, {
    short: 'who',
    header: 'WHO',
    kind: 'sentence',
    format: (resolver) => resolverLabels[resolver as IssueCodeEntry['resolver']],
  })

const onRequest = {shown: 'onRequest'} as const

export const issueCodeView: View<IssueCodeEntry> = {
  singular: 'issue code',
  plural: 'issue codes',
  columns: [
    ofCode('code', 0),
    whoColumn(0),
    ofCode('group', 0),
    ofCode('meaning', 0, {kind: 'sentence'}),
    ofCode('resolution', 0, {kind: 'sentence'}),
    ofCode('fields', 5, onRequest),
  ],
}

// In CSV each issue names its customer, so that the issues of several customers can stand in one
// file.
export const createIssueView = (customerId?: string): View<LooseVerificationIssue> => ({
  singular: 'verification issue',
  plural: 'verification issues',
  columns: [
    createColumn('customerId', 7, {short: 'customer', value: () => customerId, shown: 'csv'}),
    createColumn('code', 0, {value: (issue) => issue?.code}),
    createColumn('message', 0, {value: (issue) => issue?.message, kind: 'sentence'}),
    whoColumn(1),
    ofCode('meaning', 4, {kind: 'sentence'}),
    createColumn('timestamp', 2, {
      short: 'when',
      header: 'WHEN (UTC)',
      value: (issue) => issue?.timestamp,
      format: formatMinute,
    }),
    ofCode('group', 5, onRequest),
    ofCode('resolution', 6, {kind: 'sentence', ...onRequest}),
    ofCode('fields', 3),
  ],
})
