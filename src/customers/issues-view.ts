// The verification issues of a customer, with what the interface says of their codes.
import {type IssueCodeEntry, issueCodes} from '../contract/issue-codes.ts'
import type {Column, View} from '../cli/output/view.ts'
import {issueCodeView} from './issue-codes-view.ts'
import {type Item, formatMinute} from '../cli/output/format-values.ts'

// Whatever the service has put into its list.
type Issue = Item | null | undefined

// A code that the interface does not list is shown as it is, and nothing is said of it.
const findEntry = (issue: Issue) => issueCodes.find(({code}) => code === issue?.['code'])

// A column of `svc codes`, about the code of an issue.
function explainColumn(name: string, changes: Pick<Column<Issue>, 'rank' | 'widthGood' | 'onRequest'>): Column<Issue> {
  const column = issueCodeView.columns.find((each) => each.name === name)
  if (!column) throw new Error(`issue codes have no column ${name}`)
  const about = (issue: Issue, say: (entry: IssueCodeEntry) => unknown) => {
    const entry = findEntry(issue)
    return entry && say(entry)
  }
  const {onRequest: _, format: brief, value, ...rest} = column
  return {
    ...rest,
    value: (issue) => about(issue, value),
    ...(brief && {format: (shown: unknown, issue: Issue) => about(issue, (entry) => brief(shown, entry))}),
    ...changes,
  }
}

export const verificationIssueView: View<Issue> = {
  singular: 'verification issue',
  plural: 'verification issues',
  columns: [
    {name: 'code', header: 'CODE', value: (i) => i?.['code'], rank: 0, widthGood: 28, widthMin: 16},
    {name: 'message', header: 'MESSAGE', value: (i) => i?.['message'], rank: 0, widthGood: 44, widthMin: 16},
    explainColumn('resolver', {rank: 1}),
    explainColumn('meaning', {rank: 4, widthGood: 32}),
    {
      name: 'timestamp',
      short: 'when',
      header: 'WHEN (UTC)',
      value: (i) => i?.['timestamp'],
      format: formatMinute,
      rank: 2,
    },
    explainColumn('group', {rank: 5, onRequest: true}),
    explainColumn('resolution', {rank: 6, onRequest: true}),
    explainColumn('fields', {rank: 3}),
  ],
}
