// Compares the journal with the transactions of the service.
import {getExitCodes} from '../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {
  compareWithService,
  describeComparison,
  findingView,
  createFindingsError,
} from '../payments/reconcile/reconcile.ts'
import {withPaymentContext} from '../payments/context/open-context.ts'
import {parseSince, sinceFlag} from '../cli/output/filters.ts'
import {customerFlag} from '../cli/flags/shared.ts'
import {toFlagReference} from '../cli/ids/finder.ts'
import {findCustomerId} from '../customers/find-customer.ts'
import {listResult} from '../cli/output/result.ts'
import {readServiceTraits} from '../transport.ts'

// A week, so that a run after a long weekend covers what was paid before it.
const sinceDefault = '7d'

export default class Reconcile extends SvcCommand {
  static override view = findingView
  static override summary = 'Compare the journal with the service’s transactions'
  static override description = `Finds payments that only one side has, several transactions for one payment, transactions that differ from the payment, its quote or its limits, those that ended badly (until \`svc journal settle KEY --why TEXT\` says that it is dealt with), and payments whose outcome is unknown. Changes nothing.
svc recognises its own transactions by their correlationId. With --foreign, all others are listed too, such as those created by rules.`
  static override examples = [
    {description: 'Compare everything since yesterday', command: 'svc reconcile --since 1d'},
    {
      description: 'Print the kinds of findings for one customer',
      command:
        "svc reconcile --since 2026-11-01 --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --jq '.findings[].kind'",
    },
  ]
  static override exits = getExitCodes('usage', 'unreachable', 'finding')
  static override flags = {
    since: sinceFlag('Only payments and transactions from this time on', sinceDefault),
    customer: customerFlag('Only payments of this customer, which is faster'),
    foreign: Flags.boolean({summary: 'Also list transactions without a payment in this journal'}),
  }

  async run() {
    const {flags} = await this.parse(Reconcile)
    const {since: sinceMs = parseSince(sinceDefault, Date.now()), customer} = flags
    const customerId = customer && (await findCustomerId(this.finder(), toFlagReference('customer', customer)))
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const settings = {traits, connect: this.connector(caller), timeoutMs: flags.timeout}
    const scope = {sinceMs, customerId, isForeignShown: flags.foreign}
    const comparison = await withPaymentContext(settings, (context) =>
      compareWithService(context, traits.serviceId, scope),
    )
    const {findings, made, underWay} = comparison
    if (findings.length === 0) this.notice(describeComparison(comparison, sinceMs))
    // Without findings, the table would say that all is well.
    const isOpen = findings.length === 0 && (made === 0 || underWay > 0)
    const render = isOpen ? () => '' : undefined
    return listResult(findings, 'findings', findingView, {failure: createFindingsError(findings), render})
  }
}
