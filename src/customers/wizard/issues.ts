// The verification issues of a customer, read from the service's reply.
import {type IssueCodeEntry, issueCodes} from '../../contract/issue-codes.ts'
import type {LooseCustomer, LooseVerificationIssue} from '../../contract/loose.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {toText} from '../../cli/output/view.ts'

export interface Issue {
  code: string
  // The service's own text; may be empty.
  message: string
  timestamp: string
  // The meaning of the code, if the contract lists it.
  entry: IssueCodeEntry | undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const toCleanText = (value: unknown) => cleanText(toText(value))

// An item that is not an object is shown as the message of an issue without a code.
function readIssue(item: LooseVerificationIssue): Issue {
  const {code: rawCode, message, timestamp} = isObject(item) ? item : {message: item}
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
