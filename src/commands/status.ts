// Shows who is calling, what needs attention, and what to do next.
import {SvcCommand} from '../cli/command.ts'
import {getExitCodes} from '../errors.ts'
import {makeStatus} from '../status/show-status.ts'
import {statusView} from '../status/view.ts'

export default class StatusCommand extends SvcCommand {
  static override view = statusView
  static override summary = 'Show who is calling, what needs attention, and what to do next'
  static override description = `Looks at the first 100 customers and transactions and the journal: payments with an unknown outcome, payments and rows of payout files that were not made, transactions that ended badly or wait for money, and customers that were refused or wait for corrections. Two requests, without a retry.
\`svc\` alone is the same.`
  static override examples = [
    {description: 'Show what needs attention', command: 'svc status'},
    {
      description: 'Print what needs attention, one line each',
      command: "svc status --jq '.attention[] | [.kind, .count] | @tsv'",
    },
  ]
  static override exits = getExitCodes('unauthenticated', 'unreachable')

  async run() {
    const {flags} = await this.parse(StatusCommand)
    const caller = await this.caller()
    return makeStatus(caller, {
      version: this.config.version,
      requestTimeoutMs: flags['request-timeout'],
      timeoutMs: flags.timeout,
      connect: (options) => this.client(caller, options),
    })
  }
}
