// The columns of a customer's verification issues, with the meaning of their codes.
import {type Column, type View, createColumn, formatMinute} from '../cli/output/view.ts'
import {type IssueCodeEntry, issueCodes} from '../contract/issue-codes.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../contract/loose.ts'

const resolverLabels: Record<IssueCodeEntry['resolver'], string> = {
  CUSTOMER: 'customer',
  CUSTOMER_THEN_SUPPORT: 'customer, then support',
  SUPPORT: 'support',
}

// What the contract says about a code. The columns stay empty for a code that it does not list.
function createCodeColumns<T>(find: (item: T) => IssueCodeEntry | undefined) {
  return (name: keyof IssueCodeEntry, rank: number, more: Partial<Column<T>> = {}): Column<T> =>
    createColumn(name, rank, {
      value: (item) => find(item)?.[name],
      ...(name === 'resolver' && {
        short: 'who',
        header: 'WHO',
        format: (resolver) => resolverLabels[resolver as IssueCodeEntry['resolver']],
      }),
      ...(['resolver', 'meaning', 'resolution'].includes(name) && {kind: 'sentence'}),
      ...more,
    })
}

const ofCode = createCodeColumns((entry: IssueCodeEntry) => entry)

export const issueCodeView: View<IssueCodeEntry> = {
  singular: 'issue code',
  plural: 'issue codes',
  columns: [
    ofCode('code', 0),
    ofCode('resolver', 0),
    ofCode('group', 0),
    ofCode('meaning', 0),
    ofCode('resolution', 0),
    ofCode('fields', 5, {shown: 'onRequest'}),
  ],
}

const ofIssue = createCodeColumns((issue: LooseVerificationIssue) => issueCodes.find(({code}) => code === issue?.code))

// The service does not repeat the customer in each issue, so the view knows whose issues they are.
export const createIssueView = ({name, customerId}: LooseCustomer): View<LooseVerificationIssue> => ({
  singular: 'verification issue',
  plural: 'verification issues',
  columns: [
    createColumn('name', 6, {
      short: 'customer',
      header: 'CUSTOMER',
      value: () => name,
      kind: 'text',
      shown: 'onRequest',
    }),
    createColumn('customerId', 7, {header: 'CUSTOMER ID', value: () => customerId, kind: 'id', shown: 'onRequest'}),
    createColumn('code', 0, {value: (issue) => issue?.code}),
    createColumn('message', 0, {value: (issue) => issue?.message, kind: 'sentence'}),
    ofIssue('resolver', 1),
    ofIssue('meaning', 4),
    createColumn('timestamp', 2, {
      short: 'when',
      header: 'WHEN (UTC)',
      value: (issue) => issue?.timestamp,
      format: formatMinute,
    }),
    ofIssue('group', 5, {shown: 'onRequest'}),
    ofIssue('resolution', 6, {shown: 'onRequest'}),
    ofIssue('fields', 3),
  ],
})
