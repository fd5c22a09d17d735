// The columns of verification issue codes.
import type {IssueCodeEntry} from '../contract/issue-codes.ts'
import type {View} from '../cli/output/view.ts'

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
