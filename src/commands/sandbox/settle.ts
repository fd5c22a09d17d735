// Forces the outcome of a transaction in the sandbox.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import type {SettlementOutcome} from '../../sandbox/service/money/controls.ts'
import {findTransactionReference} from '../../transactions/find-transaction.ts'
import {itemResult} from '../../cli/output/result.ts'
import {transactionView} from '../../transactions/view.ts'
import {openControl} from '../../sandbox-control.ts'

const outcomes = ['completed', 'failed', 'cancelled', 'expired'] as const satisfies readonly SettlementOutcome[]

const processing = '08453f1a-c9c6-45d0-9ab5-159985b690a4'
const awaiting = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'

export default class SandboxSettle extends SvcCommand {
  static override view = transactionView
  static override summary = 'Force the outcome of a transaction'
  static override description =
    'The transaction passes through every state on the way: a transfer it waits for arrives first, and is returned if the transaction fails or is cancelled. Only a transaction that is AWAITING_TRANSFER can expire.'
  static override examples = [
    {description: 'Complete a transaction', command: `svc sandbox settle ${processing} --outcome completed`},
    {description: 'Let a transaction expire', command: `svc sandbox settle ${awaiting} --outcome expired`},
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    transaction: Args.string({description: 'ID of the transaction, or its first 8 or more characters'}),
  }
  static override flags = {
    outcome: Flags.option({summary: 'Outcome of the transaction', options: outcomes, required: true})(),
    ...controlFlags,
  }

  async run() {
    const {args, flags} = await this.parse(SandboxSettle)
    const {call, caller} = await openControl(flags)
    const reference = {what: 'The transaction', name: 'TRANSACTION', text: args.transaction}
    const {transactionId} = await findTransactionReference(this.finder(caller), {}, reference)
    const transaction = await call('settle', {transactionId, outcome: flags.outcome})
    return this.finishWrite(itemResult({...transaction}, transactionView))
  }
}
