// Forces the outcome of a customer's verification in the sandbox.
import {getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import type {ForcedOutcome} from '../../sandbox/service/customers/controls.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgument} from '../../customers/flags.ts'
import {itemResult} from '../../cli/output/result.ts'
import {customerView} from '../../customers/view.ts'
import {openControl} from '../../sandbox-control.ts'

const outcomes = [
  'approved',
  'needs-information',
  'rejected',
  'deactivated',
  'manual-review',
] as const satisfies readonly ForcedOutcome[]

const someone = 'f80a5001-be2d-4368-9726-a4523bfb5e71'

export default class SandboxVerify extends SvcCommand {
  static override view = customerView
  static override summary = 'Force the outcome of a customer’s verification'
  static override description =
    'Starts a review if none is in progress. Only an ACTIVE customer can be deactivated; REJECTED and DEACTIVATED are final. A manual review ends with approval after three days.'
  static override examples = [
    {description: 'Approve a customer', command: `svc sandbox verify ${someone} --outcome approved`},
    {
      description: 'Request corrections, with two issues',
      command: `svc sandbox verify ${someone} --outcome needs-information --code DOC_QUALITY_POOR --code DOCUMENT_EXPIRED`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    customer: customerArgument,
  }
  static override flags = {
    outcome: Flags.option({summary: 'Outcome of the verification', options: outcomes, required: true})(),
    code: Flags.string({
      summary: 'Issue code for needs-information or rejected; repeatable (VERIFICATION_ISSUE)',
      helpValue: 'CODE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    message: Flags.string({summary: 'Message of the issues, instead of the meaning of their codes', helpValue: 'TEXT'}),
    ...controlFlags,
  }

  async run() {
    const {args, flags} = await this.parse(SandboxVerify)
    const {outcome, code: codes, message} = flags
    const {call, caller} = await openControl(flags)
    const reference = {what: 'The customer', name: 'CUSTOMER', text: args.customer}
    const customerId = await findCustomerId(this.finder(caller), reference)
    const customer = await call('verify', {customerId, outcome, message, codes})
    return this.finishWrite(itemResult({...customer}, customerView))
  }
}
