// Submits or corrects the verification data of a customer.
import type {z} from 'zod'
import type {Client} from '../../client/client.ts'
import {SvcCommand} from '../../cli/command.ts'
import {customerPatch} from '../../contract/customers.ts'
import {type LooseCustomer, readCode} from '../../contract/loose.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {readCustomerBody} from '../../customers/body.ts'
import {
  type CheckedBody,
  checkBody,
  confirmReady,
  findTypeProblems,
  hasContent,
  limitToCorrection,
  rejectUnready,
  reviewedPolicy,
} from '../../customers/check-body.ts'
import {type WarningPolicy, rejectProblems, toDryRunResult} from '../../cli/body/reject-problems.ts'
import {describeNextStep, rejectIfLocked} from '../../customers/words.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import type {Body} from '../../values/body-paths.ts'
import {waitFlag} from '../../cli/flags/shared.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgument, documentsHelp, submissionFlags} from '../../customers/flags.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {keepSentAnswers, readAnswers, readCustomer, replaceParts} from '../../customers/answers.ts'
import {customerView} from '../../customers/view.ts'
import {quoteForShell} from '../../values/text.ts'
import {createCustomerTarget} from '../../customers/watch.ts'

const nothingGiven = 'There is nothing to update'

type CheckedPatch = CheckedBody<z.input<typeof customerPatch>>

interface SendFlags {
  partial: boolean
  reveal: boolean
  'dry-run': boolean
  'allow-unknown-fields': boolean
  wait: boolean
}

export default class CustomersUpdate extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('refused', 'notFound', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Submit or correct the verification data of a customer'
  static override description = `Sends any part of the data. The service accepts it while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION, and then starts a review. svc reads the customer first, with --dry-run too. In a terminal, without data, it asks a customer that is CREATED for everything; \`svc customers fix\` asks for what was refused.\n${documentsHelp}`
  static override examples = [
    {
      description: 'Answer questions',
      command: 'svc customers update f80a5001-be2d-4368-9726-a4523bfb5e71',
    },
    {
      description: 'Submit KYC data and documents',
      command: 'svc customers update f80a5001-be2d-4368-9726-a4523bfb5e71 --kyc-file kyc.yaml',
    },
  ]
  static override args = {
    id: customerArgument,
  }
  static override flags = {...submissionFlags, wait: waitFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(CustomersUpdate)
    const customerId = await findCustomerId(this.finder(), toArgumentReference('customer', args.id))
    const given = await readCustomerBody(customerPatch, flags)
    const isWizard = this.isInteractive && !hasContent(given)
    const policy = isWizard ? reviewedPolicy : this.warningPolicy(flags)
    // Invalid data is rejected before anything is requested from the service.
    const checked = isWizard ? undefined : await this.#requireValid(given, flags)
    const caller = await this.writer()
    if (!flags['dry-run']) await this.authorizeWrite(caller, toWriteRequest(customerId), false)
    const client = await this.client(caller, {allowsUnknownFields: flags['allow-unknown-fields']})
    const customer = {...(await readCustomer(client, {customerId})), customerId}
    rejectIfLocked(customerId, customer.customerStatus)
    const keep = (body: Body, isTyped: boolean) => {
      const before = readAnswers(caller, customerId).sent
      if (before || isTyped) keepSentAnswers(caller, customerId, replaceParts(before ?? {}, body))
    }
    if (checked) return this.#send(checked, customer, client, flags, policy, () => keep(given, false))
    if (readCode(customer.customerStatus) !== 'CREATED') {
      throw badUsage(
        nothingGiven,
        `\`svc customers fix ${quoteForShell(customerId)}\` asks for what verification refused`,
      )
    }
    const {runUpdateWizard} = await import('../../customers/wizard/submit.ts')
    const send = async (body: Body) => {
      const valid = await this.#requireValid(body, flags)
      return this.#send(valid, customer, client, flags, policy, () => keep(body, !flags['no-draft']))
    }
    return runUpdateWizard(customer, flags, {caller, send})
  }

  async #send(
    checked: CheckedPatch,
    {customerId, customerType, customerStatus}: LooseCustomer & {customerId: string},
    client: Client,
    flags: SendFlags,
    policy: WarningPolicy,
    keepAnswers: () => void,
  ): Promise<Result> {
    const {body, shown, refusals} = checked
    rejectProblems(findTypeProblems(customerType, body), shown)
    // Only a first submission has to be complete.
    const isPartial = flags.partial || readCode(customerStatus) !== 'CREATED'
    await confirmReady({...checked, refusals: isPartial ? limitToCorrection(refusals, body) : refusals}, policy)
    if (flags['dry-run']) return toDryRunResult({...toWriteRequest(customerId), body: flags.reveal ? body : shown})
    const updated = await client.customers.update({customerId, body})
    keepAnswers()
    const result = flags.wait
      ? await this.watch(createCustomerTarget('submission', client, customerId, updated))
      : itemResult(updated, customerView)
    const written = {isSubmitted: true, isSandbox: (await this.caller()).baseUrl === sandboxAddress}
    return this.finishWrite(result, describeNextStep(result, written))
  }

  async #requireValid(given: Body, flags: SendFlags): Promise<CheckedPatch> {
    const checked = await checkBody(customerPatch, given, {allowsUnknownFields: flags['allow-unknown-fields']})
    rejectUnready({...checked, refusals: limitToCorrection(checked.refusals, given)})
    if (hasContent(checked.body)) return checked
    throw badUsage(nothingGiven, 'Give --set, --kyc-file, --kyb-file or --file')
  }
}

const toWriteRequest = (customerId: string) => ({method: 'PATCH', path: `/customers/${customerId}`})
