// The columns of a customer's verification issues, with the meaning of their codes.
import {type Column, type View, formatMinute} from '../cli/output/view.ts'
import {type IssueCodeEntry, issueCodes} from '../contract/issue-codes.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../contract/loose.ts'

const resolverLabels: Record<IssueCodeEntry['resolver'], string> = {
  CUSTOMER: 'customer',
  CUSTOMER_THEN_SUPPORT: 'customer, then support',
  SUPPORT: 'support',
}

// What the contract says about a code. The columns stay empty for a code that it does not list.
const createCodeColumns = <T>(find: (item: T) => IssueCodeEntry | undefined) => ({
  resolver: {
    name: 'resolver',
    short: 'who',
    header: 'WHO',
    value: (item) => find(item)?.resolver,
    format: (_, item) => {
      const entry = find(item)
      return entry && resolverLabels[entry.resolver]
    },
    rank: 0,
    kind: 'sentence',
  } satisfies Column<T>,
  group: {name: 'group', header: 'GROUP', value: (item) => find(item)?.group, rank: 0} satisfies Column<T>,
  meaning: {
    name: 'meaning',
    header: 'MEANING',
    value: (item) => find(item)?.meaning,
    rank: 0,
    kind: 'sentence',
  } satisfies Column<T>,
  resolution: {
    name: 'resolution',
    header: 'RESOLUTION',
    value: (item) => find(item)?.resolution,
    rank: 0,
    kind: 'sentence',
  } satisfies Column<T>,
  fields: {name: 'fields', header: 'FIELDS', value: (item) => find(item)?.fields, rank: 5} satisfies Column<T>,
})

const ofCode = createCodeColumns((entry: IssueCodeEntry) => entry)

export const issueCodeView: View<IssueCodeEntry> = {
  singular: 'issue code',
  plural: 'issue codes',
  columns: [
    {name: 'code', header: 'CODE', value: (c) => c.code, rank: 0},
    ofCode.resolver,
    ofCode.group,
    ofCode.meaning,
    ofCode.resolution,
    {...ofCode.fields, shown: 'onRequest'},
  ],
}

const ofIssue = createCodeColumns((issue: LooseVerificationIssue) => issueCodes.find(({code}) => code === issue?.code))

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
      kind: 'text',
      shown: 'onRequest',
    },
    {
      name: 'customerId',
      header: 'CUSTOMER ID',
      value: () => customer.customerId,
      rank: 7,
      kind: 'id',
      shown: 'onRequest',
    },
    {name: 'code', header: 'CODE', value: (i) => i?.code, rank: 0},
    {name: 'message', header: 'MESSAGE', value: (i) => i?.message, rank: 0, kind: 'sentence'},
    {...ofIssue.resolver, rank: 1},
    {...ofIssue.meaning, rank: 4},
    {name: 'timestamp', short: 'when', header: 'WHEN (UTC)', value: (i) => i?.timestamp, format: formatMinute, rank: 2},
    {...ofIssue.group, rank: 5, shown: 'onRequest'},
    {...ofIssue.resolution, rank: 6, shown: 'onRequest'},
    {...ofIssue.fields, rank: 3},
  ],
})
