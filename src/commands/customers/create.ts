// Creates a customer, with or without verification data.
import {getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {customerCreate} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {readCustomerBody} from '../../customers/body.ts'
import {checkBody, confirmReady, hasContent, limitToCorrection, reviewedPolicy} from '../../customers/check-body.ts'
import {type WarningPolicy, toDryRunResult} from '../../cli/body/reject-problems.ts'
import {createOnce, forgetSending} from '../../customers/create-once.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import type {Body} from '../../values/body-paths.ts'
import {waitFlag} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {documentsHelp, submissionFlags} from '../../customers/flags.ts'
import {toText} from '../../cli/output/view.ts'
import {describeNextStep} from '../../customers/words.ts'
import {keepSentAnswers} from '../../customers/answers.ts'
import {customerView} from '../../customers/view.ts'
import {createCustomerTarget} from '../../customers/watch.ts'

const write = {method: 'POST', path: '/customers'}

const flagsOfRequiredFields = {customerType: '--type', email: '--email'}

const listMissingFlags = (body: Body) =>
  Object.entries(flagsOfRequiredFields)
    .filter(([field]) => body[field] === undefined)
    .map(([, flag]) => flag)

interface SendFlags {
  partial: boolean
  reveal: boolean
  'dry-run': boolean
  'allow-duplicates': boolean
  'allow-unknown-fields': boolean
  wait: boolean
}

const nameFlag = (summary: string) => Flags.string({summary, helpValue: 'NAME'})

export default class CustomersCreate extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('refused', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Create a customer'
  static override description = `Verification data given here is submitted at once and can no longer be changed while it is reviewed. In a terminal, svc asks for what is missing.\nsvc asks before it creates a customer whose email exists already; a script ends with code 2 unless it gives --allow-duplicates. If the reply of the service was lost, run the same command again: it finds the customer that was made.\n${documentsHelp}`
  static override examples = [
    {description: 'Answer questions', command: 'svc customers create'},
    {
      description: 'Create an individual who fills in the hosted form later',
      command: 'svc customers create --type INDIVIDUAL --email ada@example.com --first-name Ada --last-name Example',
    },
  ]
  static override flags = {
    type: Flags.option({summary: 'Customer type', options: customerTypes})(),
    email: Flags.string({summary: 'Email address of the customer', helpValue: 'EMAIL'}),
    'first-name': nameFlag('First name of an individual'),
    'last-name': nameFlag('Last name of an individual'),
    'business-name': nameFlag('Name of a business'),
    ...submissionFlags,
    'allow-duplicates': Flags.boolean({
      summary: 'Do not look whether a customer with this email exists',
    }),
    wait: waitFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(CustomersCreate)
    const given = await readCustomerBody(customerCreate, flags, toBody(flags))
    const needsWizard = this.isInteractive && listMissingFlags(given).length > 0
    if (!needsWizard) return this.#send(given, flags, this.warningPolicy(flags))
    // A profile that may not write is rejected before the questions, not after them.
    const caller = flags['dry-run'] ? undefined : await this.writer()
    if (caller) await this.authorizeWrite(caller, write, false)
    const {runCreationWizard} = await import('../../customers/wizard/submit.ts')
    const send = (body: Body) => this.#send(body, flags, reviewedPolicy, !flags['no-draft'], caller)
    return runCreationWizard(given, flags, {caller, send})
  }

  // What was typed is kept for a correction. What came from a file is there.
  async #send(given: Body, flags: SendFlags, policy: WarningPolicy, keepsAnswers = false, known?: Caller) {
    const checked = await checkBody(customerCreate, given, {allowsUnknownFields: flags['allow-unknown-fields']})
    const {body, shown} = checked
    const refusals = flags.partial ? limitToCorrection(checked.refusals, given) : checked.refusals
    const missing = listMissingFlags(given)
    if (missing.length === checked.problems.filter(({isWarning}) => !isWarning).length) this.requireAll(missing)
    await confirmReady({...checked, refusals}, policy)
    if (flags['dry-run']) return toDryRunResult({...write, body: flags.reveal ? body : shown})
    const caller = known ?? (await this.writer())
    await this.authorizeWrite(caller, write, false)
    const client = await this.client(caller, {allowsUnknownFields: flags['allow-unknown-fields']})
    const context = {caller, canAsk: this.isInteractive, notice: (text: string) => this.notice(text)}
    const customer = flags['allow-duplicates']
      ? await client.customers.create({body})
      : await createOnce(client, body, context)
    if (flags['allow-duplicates']) forgetSending(caller, body)
    if (keepsAnswers) keepSentAnswers(caller, customer.customerId, given)
    const isSubmitted = [body.kycData, body.kybData].some(hasContent)
    const kind = isSubmitted ? 'submission' : 'verification'
    const result = flags.wait
      ? await this.watch(createCustomerTarget(kind, client, toText(customer.customerId), customer))
      : itemResult<LooseCustomer>(customer, customerView)
    const written = {isSubmitted, isSandbox: caller.baseUrl === sandboxAddress}
    return this.finishWrite(result, describeNextStep(result, written))
  }
}

interface BodyFlags {
  type?: string | undefined
  email?: string | undefined
  'first-name'?: string | undefined
  'last-name'?: string | undefined
  'business-name'?: string | undefined
}

const toBody = (flags: BodyFlags): Body => ({
  customerType: flags.type,
  email: flags.email,
  firstName: flags['first-name'],
  lastName: flags['last-name'],
  businessName: flags['business-name'],
})
