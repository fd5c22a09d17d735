// Makes a payment once: a quote, the limits, and one transaction per key.
import * as Flags from '@oclif/core/flags'
import {createNameAdder} from '../accounts/name-columns.ts'
import {rejectProblems} from '../cli/body/reject-problems.ts'
import {SvcCommand} from '../cli/command.ts'
import {toSvcConfig} from '../cli/config.ts'
import {yesFlag} from '../cli/flags/body-flags.ts'
import {waitFlag} from '../cli/flags/shared.ts'
import type {Result} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import {paymentWrite} from '../controls/decide.ts'
import {getExitCodes} from '../errors.ts'
import {requirePlanFile} from '../payments/context/approve-plan.ts'
import {paymentFlags, readSlotFlags} from '../payments/pay/flags.ts'
import {type CheckedPlan, readPlan} from '../payments/pay/plan.ts'
import {addOwnColumns, describeNextStep} from '../payments/pay/report.ts'
import {pay} from '../payments/pay/run.ts'
import {type PaymentContextSettings, type PayRun, withPaymentContext} from '../payments/context/open-context.ts'
import {resolveKey} from '../payments/pay/slots.ts'
import {checkRouteFlags, resolveRoute} from '../quotes/resolve-route.ts'
import {transactionView} from '../transactions/view.ts'
import {readServiceTraits} from '../transport.ts'

export default class Pay extends SvcCommand {
  static override view = addOwnColumns(transactionView, {})
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
  static override description = `Makes at most one transaction per --key, whatever interrupts it. Run again, it shows a payment that was made, settles one whose outcome is unknown, and tries again what a limit or the service refused (\`svc docs paying-once\`).
{hour}, {date}, {week} or {month} in a key stands for one payment in each (\`svc docs automation\`). Flags override the file, which \`svc template payment\` prints.
In a terminal, svc asks for what is missing, and for a yes to the price.`
  static override examples = [
    {
      description: 'Pay once a month from cron, with fees of at most 2.50',
      command: "svc pay -f rent.yaml --key 'rent-{month}' --max-fee 2.50 --yes --quiet",
    },
    {
      description: 'Pay an invoice',
      command:
        'svc pay --customer 4738020a --from 64fbd491 --from-currency USDC --to e6086267 --receive 230 --key invoice-4711',
    },
  ]
  static override flags = {
    ...paymentFlags,
    file: Flags.string({
      char: 'f',
      summary: 'Payment in a file, JSON or YAML (- for stdin)',
      helpValue: 'FILE',
    }),
    wait: waitFlag,
    'dry-run': Flags.boolean({summary: 'Price and check it, pay nothing', env: 'SVC_DRY_RUN'}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(Pay)
    const slot = readSlotFlags(flags)
    const checked = await readPlan(checkRouteFlags(flags, this.finder()))
    const usesWizard = this.isInteractive && checked.missing.length > 0
    this.#rejectPlan(checked, usesWizard)
    // A wrong key is rejected before the profile is looked for, unless the wizard asks for the key.
    if (!usesWizard) resolveKey(toText(checked.fields['key']), slot)
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const isDryRun = flags['dry-run']
    const {review} = toSvcConfig(this.config).capture ?? {}
    const told = {notice: (text: string) => this.notice(text), alert: (text: string) => this.alert(text)}
    const settings: PaymentContextSettings = {
      ...told,
      traits,
      controls: caller,
      timeoutMs: flags.timeout,
      waits: flags.wait,
      signal: review?.signal,
      connect: this.connector(caller),
      bind: async (journal) => {
        await this.bind(caller, async () => journal)
        this.checkWrite(caller, isDryRun ? {method: 'POST', path: '/quotes'} : paymentWrite, flags.yes)
        if (!isDryRun) requirePlanFile(caller, flags.file)
      },
    }
    const result = await withPaymentContext(settings, async (context) => {
      const references = {...flags, isConfirmedLater: !flags.yes || isDryRun}
      const fields = await resolveRoute(this.finder(caller), checked.fields, references, '')
      const run: PayRun = {
        ...context,
        ...told,
        caller,
        traits,
        flags,
        slot,
        isInteractive: this.isInteractive,
        review,
        addNames: createNameAdder(this.nameSource(caller)),
        watch: (target, deadlineMs) => this.watch(target, deadlineMs),
        authorize: (yes) => this.authorize(caller, paymentWrite, {yes}),
      }
      return pay(run, fields, usesWizard)
    })
    if (isDryRun) return result
    return this.finishWrite(result, flags.wait ? [] : describeNextStep(result))
  }

  // Not even a warning is accepted: the only one of a quote is an amount of 0, which nobody means to pay.
  #rejectPlan({missing, problems, wrong, fields}: CheckedPlan, usesWizard: boolean): void {
    // A plan that is only incomplete gets the shorter message that lists the missing flags.
    if (!usesWizard && missing.length === problems.length) this.requireAll(missing)
    rejectProblems(usesWizard ? wrong : problems, fields)
  }
}
