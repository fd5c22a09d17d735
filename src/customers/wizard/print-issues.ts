// Prints the verification issues of a customer, grouped by who can resolve them.
import type {Resolver} from '../../contract/issue-codes.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import {formatMinute} from '../../cli/output/format-values.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {toText} from '../../cli/output/view.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import {type Issue, isForSupport} from './issues.ts'

// What support needs to find the issue, without personal data.
const toSupportReference = (customerId: string, {code, timestamp}: Issue) =>
  [`customer ${customerId}`, `code ${code}`, ...(timestamp ? [`found ${timestamp}`] : [])].join(', ')

const groups: ReadonlyArray<{resolver: Resolver | undefined; title: string; note?: string}> = [
  {resolver: 'CUSTOMER', title: 'To be corrected'},
  {
    resolver: 'CUSTOMER_THEN_SUPPORT',
    title: 'To be reviewed',
    note: 'If the data is already correct, contact support with the customer id, the code and the time.',
  },
  {resolver: undefined, title: 'Unknown to svc'},
  {resolver: 'SUPPORT', title: 'Only support can resolve'},
]

const indentWidth = 4

// Leaves out what the service's message says already.
function describeIssue({message, entry}: Issue): string[] {
  const isNew = (text: string) => !message.toLowerCase().includes(text.toLowerCase())
  const {meaning = '', resolution = ''} = entry ?? {}
  return [
    message,
    ...(entry && isNew(meaning) ? [`Meaning: ${meaning}.`] : []),
    ...(entry && isNew(resolution) ? [`Resolution: ${resolution}.`] : []),
  ].filter((text) => text !== '')
}

function renderIssues(customerId: string, issues: readonly Issue[], painter: Painter, width: number): string[] {
  const indent = (text: string) =>
    wrapText(text, width - indentWidth).map((line) => `${' '.repeat(indentWidth)}${line}`)
  return groups.flatMap(({resolver, title, note}) => {
    const members = issues.filter(({entry}) => entry?.resolver === resolver)
    if (members.length === 0) return []
    const lines = members.flatMap((issue) => [
      `  ${issue.code}${issue.timestamp && painter.dim(` (${toText(formatMinute(issue.timestamp))} UTC)`)}`,
      ...describeIssue(issue).flatMap(indent),
      ...(isForSupport(issue) ? indent(`Tell support: ${toSupportReference(customerId, issue)}.`) : []),
    ])
    const noteLines = note ? wrapText(note, width - 2).map((line) => `  ${line}`) : []
    return ['', painter.bold(`${title}:`), ...lines, ...noteLines]
  })
}

export async function printIssues({customerId, name}: LooseCustomer, issues: readonly Issue[]): Promise<void> {
  const painter = await createPainter(process.stderr)
  const width = lineWidth()
  const id = cleanText(toText(customerId))
  const displayName = cleanText(toText(name) || id)
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`
  const summary =
    issues.length > 0
      ? `Verification found ${count} with ${displayName}.`
      : `Verification needs more information about ${displayName}, but the service does not say what.`
  const lines = [...wrapText(summary, width), ...renderIssues(id, issues, painter, width)]
  writeErrUncleaned(`${lines.join('\n')}\n\n`)
}
