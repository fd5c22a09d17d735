// The verification issues of a customer as a person reads them: what was said, what it means, and who can resolve it.
import {type IssueCodeEntry, type Resolver, issueCodes} from '../../contract/issue-codes.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {toText} from '../../cli/output/view.ts'
import {type Item, formatMinute} from '../../cli/output/format-values.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {lineWidth} from '../../cli/wizard/print.ts'

export interface Issue {
  code: string
  // What the service says of it; may be empty.
  message: string
  timestamp: string
  // What the interface says of the code, where it lists it.
  entry: IssueCodeEntry | undefined
}

// Whatever the service has put into its list.
export function readIssues(listed: unknown): Issue[] {
  const all: unknown[] = Array.isArray(listed) ? listed : []
  return all.map((each) => {
    const issue = (typeof each === 'object' && each !== null ? each : {message: each}) as Item
    const [code = '', message = '', timestamp = ''] = ['code', 'message', 'timestamp'].map((field) =>
      cleanText(toText(issue[field])),
    )
    return {code: code || '(no code)', message, timestamp, entry: issueCodes.find((entry) => entry.code === code)}
  })
}

export const isForSupport = ({entry}: Issue) => entry?.resolver === 'SUPPORT'

// What support needs to find it, and nothing of the person it is about.
const toSupportReference = (customerId: string, {code, timestamp}: Issue) =>
  [`customer ${customerId}`, `code ${code}`, ...(timestamp ? [`found ${timestamp}`] : [])].join(', ')

// By who can resolve them, in the order in which they are told.
const groups: ReadonlyArray<{resolver: Resolver | undefined; title: string; ending?: string}> = [
  {resolver: 'CUSTOMER', title: 'To be corrected'},
  {
    resolver: 'CUSTOMER_THEN_SUPPORT',
    title: 'To be reviewed',
    ending: 'If everything is right already, take these to support: the id of the customer, the code and the time.',
  },
  {resolver: undefined, title: 'Not known to svc'},
  {resolver: 'SUPPORT', title: 'Only support can resolve'},
]

const indent = 4

// What the service has said itself is not said again.
function describeIssue({message, entry}: Issue): string[] {
  const said = message.toLowerCase()
  const isNew = (text: string) => !said.includes(text.toLowerCase())
  const {meaning = '', resolution = ''} = entry ?? {}
  return [
    message,
    ...(entry && isNew(meaning) ? [`It means: ${meaning}.`] : []),
    ...(entry && isNew(resolution) ? [`What resolves it: ${resolution}.`] : []),
  ].filter((words) => words !== '')
}

function renderIssues(customerId: string, issues: readonly Issue[], painter: Painter, width: number): string[] {
  const inner = (text: string) => wrapText(text, width - indent).map((line) => `${' '.repeat(indent)}${line}`)
  return groups.flatMap(({resolver, title, ending}) => {
    const own = issues.filter(({entry}) => entry?.resolver === resolver)
    if (own.length === 0) return []
    const told = own.flatMap((issue) => [
      `  ${issue.code}${issue.timestamp && painter.dim(` (${toText(formatMinute(issue.timestamp))} UTC)`)}`,
      ...describeIssue(issue).flatMap(inner),
      ...(isForSupport(issue) ? inner(`Tell them: ${toSupportReference(customerId, issue)}.`) : []),
    ])
    const last = ending ? wrapText(ending, width - 2).map((line) => `  ${line}`) : []
    return ['', painter.bold(`${title}:`), ...told, ...last]
  })
}

export async function printIssues({customerId, name}: Item, issues: readonly Issue[]): Promise<void> {
  const painter = await createPainter(process.stderr)
  const width = lineWidth()
  const who = cleanText(toText(name) || toText(customerId))
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`
  const found =
    issues.length > 0
      ? `Verification has found ${count} with ${who}.`
      : `Verification wants more of ${who}, and the service does not say what.`
  const lines = [...wrapText(found, width), ...renderIssues(toText(customerId), issues, painter, width)]
  writeErrUncleaned(`${lines.join('\n')}\n\n`)
}
