// The verification issues of a customer, read from the service's reply and printed.
import {formatMinute, toText} from '../../cli/output/view.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type IssueCodeEntry, issueCodes} from '../../contract/issue-codes.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../../contract/loose.ts'
import {isContainer} from '../../values/records.ts'
import {countNoun, endSentence} from '../../values/text.ts'

export interface Issue {
  code: string
  // The service's own text; may be empty.
  message: string
  timestamp: string
  // The meaning of the code, if the contract lists it.
  entry: IssueCodeEntry | undefined
}

// An item that is not an object is shown as the message of an issue without a code.
function readIssue(item: LooseVerificationIssue): Issue {
  const {code, message, timestamp} = isContainer(item) ? item : {message: item}
  return {
    code: toText(code) || '(no code)',
    message: toText(message),
    timestamp: toText(timestamp),
    entry: issueCodes.find((entry) => entry.code === code),
  }
}

export const readIssues = (issues: LooseCustomer['verificationIssues']): Issue[] =>
  Array.isArray(issues) ? issues.map(readIssue) : []

export const isForSupport = ({entry}: Issue) => entry?.resolver === 'SUPPORT'

export const joinCodes = (issues: readonly Issue[]) => [...new Set(issues.map(({code}) => code))].join(', ')

// What the service and the contract say. Support needs to find the issue, without personal data.
function describeIssue(issue: Issue, customerId: string): string {
  const {code, message, timestamp, entry} = issue
  const found = timestamp && ` (${toText(formatMinute(timestamp))} UTC)`
  const known = entry ? `${entry.meaning}. ${entry.resolution}.` : ''
  const said = message === known ? known : [message && endSentence(message), known].filter(Boolean).join(' ')
  const reference = [`customer ${customerId}`, `code ${code}`, ...(timestamp ? [`found ${timestamp}`] : [])].join(', ')
  const support = isForSupport(issue) ? `Only support can resolve it; tell them: ${reference}.` : ''
  return [`${code}${found}${said && ':'}`, said, support].filter(Boolean).join(' ')
}

export function printIssues({customerId, name}: LooseCustomer, issues: readonly Issue[]): void {
  const whose = toText(name) || toText(customerId)
  printText(
    issues.length > 0
      ? `Verification found ${countNoun(issues.length, 'issue')} with ${whose}:`
      : `Verification needs more information about ${whose}, but the service does not say what.`,
  )
  for (const issue of issues) printText(`- ${describeIssue(issue, toText(customerId))}`)
  printText('')
}
