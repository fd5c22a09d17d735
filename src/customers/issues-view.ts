// The columns of a customer's verification issues, with the meaning of their codes.
import {type Column, type View, formatMinute} from '../cli/output/view.ts'
import {type IssueCodeEntry, issueCodes} from '../contract/issue-codes.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../contract/loose.ts'

// A code that the contract does not list has no entry; the columns below stay empty then.
const findEntry = (issue: LooseVerificationIssue) => issueCodes.find(({code}) => code === issue?.code)

type ColumnChanges = Pick<Column<LooseVerificationIssue>, 'rank' | 'widthGood' | 'onRequest'>

// Shows a column of `svc codes` for the code of an issue.
function explainCode(name: string, changes: ColumnChanges): Column<LooseVerificationIssue> {
  const column = issueCodeView.columns.find((each) => each.name === name)
  if (!column) throw new Error(`issue codes have no column ${name}`)
  const {onRequest: _, value, format, ...rest} = column
  return {
    ...rest,
    value: (issue) => {
      const entry = findEntry(issue)
      return entry && value(entry)
    },
    ...(format && {
      format: (shown: unknown, issue: LooseVerificationIssue) => {
        const entry = findEntry(issue)
        return entry && format(shown, entry)
      },
    }),
    ...changes,
  }
}

// The service does not repeat the customer in each issue, so the view knows whose issues they are.
export const createIssueView = (customer: LooseCustomer): View<LooseVerificationIssue> => ({
  singular: 'verification issue',
  plural: 'verification issues',
  columns: [
    {
      name: 'name',
      short: 'customer',
      header: 'CUSTOMER',
      value: () => customer.name,
      rank: 6,
      widthGood: 18,
      widthMin: 10,
    },
    {name: 'customerId', header: 'CUSTOMER ID', value: () => customer.customerId, rank: 7, isId: true, onRequest: true},
    {name: 'code', header: 'CODE', value: (i) => i?.code, rank: 0},
    {name: 'message', header: 'MESSAGE', value: (i) => i?.message, rank: 0, widthGood: 32, widthMin: 16, wraps: true},
    explainCode('resolver', {rank: 1}),
    explainCode('meaning', {rank: 4, widthGood: 24}),
    {
      name: 'timestamp',
      short: 'when',
      header: 'WHEN (UTC)',
      value: (i) => i?.timestamp,
      format: formatMinute,
      rank: 2,
    },
    explainCode('group', {rank: 5, onRequest: true}),
    explainCode('resolution', {rank: 6, onRequest: true}),
    explainCode('fields', {rank: 3}),
  ],
})

// The columns of verification issue codes.
const resolverLabels: Record<IssueCodeEntry['resolver'], string> = {
  CUSTOMER: 'customer',
  CUSTOMER_THEN_SUPPORT: 'customer, then support',
  SUPPORT: 'support',
}

export const issueCodeView: View<IssueCodeEntry> = {
  singular: 'issue code',
  plural: 'issue codes',
  columns: [
    {name: 'code', header: 'CODE', value: (c) => c.code, rank: 0},
    {
      name: 'resolver',
      short: 'who',
      header: 'WHO',
      value: (c) => c.resolver,
      format: (_, c) => resolverLabels[c.resolver],
      rank: 0,
      widthMin: 8,
      wraps: true,
    },
    {name: 'group', header: 'GROUP', value: (c) => c.group, rank: 0},
    {name: 'meaning', header: 'MEANING', value: (c) => c.meaning, rank: 0, widthMin: 20, wraps: true},
    {name: 'resolution', header: 'RESOLUTION', value: (c) => c.resolution, rank: 0, widthMin: 16, wraps: true},
    {name: 'fields', header: 'FIELDS', value: (c) => c.fields, rank: 5, onRequest: true},
  ],
}
