// Makes a payment once: a quote, the limits, and one transaction per key.
import * as Flags from '@oclif/core/flags'
import {createNameAdder} from '../accounts/name-columns.ts'
import {isAllowedField, rejectUnlessAccepted} from '../cli/body/reject-problems.ts'
import {SvcCommand} from '../cli/command.ts'
import {getCapture} from '../cli/config.ts'
import {acceptWarningsFlag, allowUnknownFieldsFlag, yesFlag} from '../cli/flags/body-flags.ts'
import {onResultFlag, waitFlag} from '../cli/flags/shared.ts'
import type {Result} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import {briefReads} from '../customers/customer-names.ts'
import {getExitCodes} from '../errors.ts'
import {rejectFlagsAlone} from '../payments/pay/approve-plan.ts'
import {paymentFlags, readSlotFlags} from '../payments/pay/flags.ts'
import {payPlan} from '../payments/pay/pay-plan.ts'
import {type CheckedPlan, readPlan} from '../payments/pay/plan.ts'
import {createReceiptsView, describeNextStep} from '../payments/pay/report.ts'
import {createRun} from '../payments/pay/run-context.ts'
import {resolveKey} from '../payments/pay/slots.ts'
import {checkRouteFlags, resolveRoute} from '../quotes/resolve-route.ts'
import {readServiceTraits} from '../transport.ts'

const route =
  '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --to e6086267-7e5a-4a91-b136-a94b38bbbfb8'

const write = {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true}

export default class Pay extends SvcCommand {
  static override view = createReceiptsView()
  static override exits = getExitCodes(
    'usage',
    'refused',
    'unreachable',
    'unknownOutcome',
    'pending',
    'limit',
    'endedBadly',
  )
  static override summary = 'Make a payment once, safe to run again'
  static override description = `Makes at most one transaction per --key, however often you run it and whatever interrupts it. Progress is recorded in a journal.
If the payment was already made, running it again shows its current state and sends nothing. If a limit stopped it or the service refused it, svc tries again. If the outcome of an earlier attempt is unknown, svc resolves that first.
A key may contain {hour}, {date}, {week} or {month}, in UTC or in --slot-zone, for one payment in each. If an earlier slot is unresolved, the next is not started. Missed slots are named, and --slot pays one of them; one that has not come yet is refused.
If the same amount went to the same account under another key in the last days, svc asks; a script ends with code 10 unless --allow-duplicates is given.
A file has the fields of a quote, and optionally key, maxFee, minRate, minReceived, receive and maxSend. Flags override the file. Both accounts are of the customer who pays. Currencies and methods are needed only where these leave a choice.
--amount is what is sent, and --receive what is to arrive, such as the sum of an invoice: svc asks for up to four quotes to find how much to send, shows it, and pays with the quote that brings at least that. Limits apply to what is sent. --dry-run shows both sums.
In a terminal, svc asks for what is missing, shows the price and asks for a yes before it pays; with --yes it does not.`
  static override examples = [
    {
      description: 'Pay once a month from cron, with fees of at most 2.50',
      command: `svc pay ${route} --amount 100 --key 'rent-{month}' --max-fee 2.50 --yes --quiet`,
    },
    {
      description: 'Pay the month that was missed',
      command: 'svc pay -f rent.yaml --slot 2026-10 --yes',
    },
  ]
  static override flags = {
    ...paymentFlags,
    file: Flags.string({
      char: 'f',
      summary: 'Read the payment from a file, JSON or YAML (- for standard input)',
      helpValue: 'FILE',
    }),
    'write-plan': Flags.string({
      summary: 'Write the payment to a file, for others to approve, without paying',
      helpValue: 'FILE',
      exclusive: ['dry-run'],
    }),
    wait: waitFlag,
    'on-result': onResultFlag,
    'dry-run': Flags.boolean({
      summary: 'Request a quote and check the limits, without paying or recording anything',
      env: 'SVC_DRY_RUN',
    }),
    'accept-warnings': acceptWarningsFlag,
    'allow-unknown-fields': allowUnknownFieldsFlag,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(Pay)
    const slot = readSlotFlags(flags)
    const checked = await readPlan(checkRouteFlags(flags, this.finder()))
    const usesWizard = this.isInteractive && checked.missing.length > 0
    await this.#rejectPlan(checked, usesWizard, flags)
    // A wrong key is rejected before the profile is looked for, unless the wizard asks for the key.
    if (!usesWizard) resolveKey(toText(checked.fields['key']), slot)
    const caller = await this.caller()
    const notice = (text: string) => this.notice(text)
    const connect = () => this.client(caller, briefReads)
    const run = createRun({
      caller,
      traits: await readServiceTraits(caller),
      flags,
      slot,
      isInteractive: this.isInteractive,
      review: getCapture(this.config)?.review,
      notice,
      alert: (text) => this.alert(text),
      addNames: createNameAdder({isOnScreen: this.isOnScreen, connect, notice}),
      watch: (target, deadlineMs) => this.watch(target, deadlineMs),
      authorize: (yes) => this.authorizeWrite(caller, write, yes),
      createClient: (options) => this.client(caller, {...options, allowsUnknownFields: flags['allow-unknown-fields']}),
    })
    try {
      await this.bind(caller, run.openJournal)
      const paysNothing = flags['dry-run'] || flags['write-plan'] !== undefined
      this.checkWrite(caller, paysNothing ? {method: 'POST', path: '/quotes'} : write, flags.yes)
      if (!paysNothing) rejectFlagsAlone(caller, flags.file)
      const references = {...flags, isConfirmedLater: !flags.yes || paysNothing}
      const fields = await resolveRoute(this.finder(caller), checked.fields, references, '')
      const result = await payPlan(run, fields, usesWizard)
      if (paysNothing) return result
      return await this.showWithNotes(this.finishWrite(result), flags.wait ? [] : describeNextStep(result))
    } finally {
      await run.close()
    }
  }

  async #rejectPlan(
    {missing, problems, wrong, fields}: CheckedPlan,
    usesWizard: boolean,
    flags: {'accept-warnings': boolean; 'allow-unknown-fields': boolean; 'dry-run': boolean},
  ): Promise<void> {
    // A plan that is only incomplete gets the shorter message that lists the missing flags.
    if (!usesWizard && missing.length === problems.length) this.requireAll(missing)
    const found = usesWizard ? wrong : problems
    const rejected = flags['allow-unknown-fields'] ? found.filter((problem) => !isAllowedField(problem)) : found
    await rejectUnlessAccepted(rejected, fields, this.warningPolicy(flags))
  }
}
