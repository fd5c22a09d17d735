// Why the service refused the data of a customer.
import {issueCodes} from '../../contract/issue-codes.ts'
import {readCode} from '../../contract/loose.ts'
import {toText, toWords} from '../format.ts'
import {type Content, html} from '../html.ts'
import type {LooseIssues} from './source.ts'

export const listIssues = (issues: LooseIssues) => (Array.isArray(issues) ? issues : [])

// What an issue means: as the service says it, or else what its code means.
function describeIssue(issue: {code?: unknown; message?: unknown} | null): string {
  const code = readCode(issue?.code)
  return toText(issue?.message) || (issueCodes.find((each) => each.code === code)?.meaning ?? toWords(issue?.code))
}

export const renderReasons = (issues: LooseIssues): Content =>
  listIssues(issues).length > 0 &&
  html`<ul>
    ${listIssues(issues).map(
      (issue) =>
        html`<li>${describeIssue(issue)} <code title="The code of the service">${toText(issue?.code)}</code></li>`,
    )}
  </ul>`
