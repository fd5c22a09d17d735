// Compares what the journal knows with what the service lists.
import {getExitCodes} from '../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {compareWithService, findingsError} from '../payments/reconcile.ts'
import type {Fields} from '../payments/service.ts'
import {type PaymentContextSettings, withPaymentContext} from '../payments/open-context.ts'
import {parseSince} from '../cli/output/filters.ts'
import {uuidFlag} from '../cli/flags/shared.ts'
import {startProgress} from '../cli/output/progress.ts'
import {listResult} from '../cli/output/result.ts'
import {findingView} from '../payments/findings-view.ts'
import {getServiceId} from '../transport.ts'

export default class Reconcile extends SvcCommand {
  static override view = findingView
  static override summary = 'Compare the journal with what the service has'
  static override description = `Finds payments that only one of them has, more than one transaction for one payment, amounts that differ, payments of which nobody knows, and transactions that have not moved for five days, or wait for money that was due. Reads only.
A transaction is known as svc's by its correlationId; with --foreign all others are listed too, such as those of rules.`
  static override examples = [
    {description: 'Everything since yesterday', command: 'svc reconcile --since 1d'},
    {
      description: 'One customer, for a script',
      command:
        "svc reconcile --since 2026-11-01 --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --json | jq -r '.findings[].kind'",
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'unreachable', 'finding')
  static override flags = {
    since: Flags.custom<number>({
      summary: 'What was made or meant at or after this: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago',
      env: 'SVC_SINCE',
      helpValue: 'WHEN',
      parse: async (text) => parseSince(text, Date.now()),
    })(),
    customer: uuidFlag('Only payments of this customer, which is a shorter list', 'SVC_CUSTOMER'),
    foreign: Flags.boolean({summary: 'Also list transactions that svc did not make'}),
  }

  async run() {
    const {flags} = await this.parse(Reconcile)
    const {since: sinceMs, customer: customerId} = flags
    this.requireAll([sinceMs === undefined && '--since'])
    const caller = await this.caller()
    const connect: PaymentContextSettings['connect'] = (onReply) => this.client(caller, {onReply})
    const progress = startProgress()
    return withPaymentContext({...caller, connect, timeoutMs: flags.timeout}, async (context) => {
      const beganAt = context.clock.ticks()
      const transactions: Fields[] = []
      for await (const page of context.service.transactions(customerId ?? '')) {
        transactions.push(...page)
        progress.report(`${transactions.length} transactions compared…`)
      }
      // After the list: what was paid in the meantime is in the journal, and too young to be missed in the list.
      const payments = context.journal.list({serviceId: await getServiceId(caller)})
      const scope = {sinceMs: sinceMs ?? 0, customerId, isForeignShown: flags.foreign}
      const serverMs = context.clock.earliest() - Math.ceil(context.clock.ticks() - beganAt)
      const now = {serverMs, wallMs: Date.now()}
      const findings = compareWithService(payments, transactions, {...scope, ...now})
      return listResult(findings, 'findings', findingView, {failure: findingsError(findings)})
    }).finally(() => progress.end())
  }
}
