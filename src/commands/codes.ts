// Explains the verification issue codes: what each means, what resolves it, and who can resolve it.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../cli/command.ts'
import {issueCodes} from '../contract/issue-codes.ts'
import {SvcError, getExitCodes} from '../errors.ts'
import {findNearest} from '../cli/help/find-nearest.ts'
import {itemResult, listResult} from '../cli/output/result.ts'
import {issueCodeView} from '../customers/issues-view.ts'

export default class Codes extends SvcCommand {
  static override view = issueCodeView
  static override summary = 'Explain verification issue codes'
  static override description =
    '`svc customers issues` explains those of one customer; this lists all codes that can appear in a customer’s verificationIssues. The service may send other codes; the message of the issue then says what to correct.'
  static override examples = [
    {description: 'List all codes', command: 'svc codes'},
    {description: 'Show what a code means and which fields it affects', command: 'svc codes DOC_QUALITY_POOR'},
  ]
  static override exits = getExitCodes('notFound')
  static override args = {
    code: Args.string({description: 'Code to explain; all codes by default'}),
  }

  async run() {
    const {args} = await this.parse(Codes)
    if (args.code === undefined) return listResult([...issueCodes], 'codes', issueCodeView)
    const wanted = args.code.toUpperCase()
    const entry = issueCodes.find(({code}) => code === wanted)
    if (entry) return itemResult(entry, issueCodeView)
    const near = findNearest(
      wanted,
      issueCodes.map(({code}) => code),
    )
    throw new SvcError({
      error: 'NOT_FOUND',
      kind: 'notFound',
      message: `There is no issue code "${args.code}" in the interface`,
      hint: near
        ? `Did you mean ${near}?`
        : '`svc codes` lists all; for other codes, the message of the issue says what to correct',
    })
  }
}
