// The verification issues of a customer, read from the service's reply and printed.
import {cleanText} from '../../cli/output/clean.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import {formatMinute, toText} from '../../cli/output/view.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import {type IssueCodeEntry, type Resolver, issueCodes} from '../../contract/issue-codes.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../../contract/loose.ts'
import {isContainer} from '../../values/records.ts'

export interface Issue {
  code: string
  // The service's own text; may be empty.
  message: string
  timestamp: string
  // The meaning of the code, if the contract lists it.
  entry: IssueCodeEntry | undefined
}

const toCleanText = (value: unknown) => cleanText(toText(value))

// An item that is not an object is shown as the message of an issue without a code.
function readIssue(item: LooseVerificationIssue): Issue {
  const {code: rawCode, message, timestamp} = isContainer(item) ? item : {message: item}
  const code = toCleanText(rawCode)
  return {
    code: code || '(no code)',
    message: toCleanText(message),
    timestamp: toCleanText(timestamp),
    entry: issueCodes.find((entry) => entry.code === code),
  }
}

export const readIssues = (issues: LooseCustomer['verificationIssues']): Issue[] =>
  Array.isArray(issues) ? issues.map(readIssue) : []

export const isForSupport = ({entry}: Issue) => entry?.resolver === 'SUPPORT'

export const joinCodes = (issues: readonly Issue[]) => [...new Set(issues.map(({code}) => code))].join(', ')

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

// Prints the verification issues of a customer, grouped by who can resolve them.
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
