// Creates a customer, with or without verification data.
import {getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {customerCreate} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {readCustomerBody} from '../../customers/body.ts'
import {confirmReady, describeReadiness, reviewedPolicy} from '../../customers/check-body.ts'
import {hasContent, validateCustomerBody} from '../../customers/validate-body.ts'
import {type WarningPolicy, toDryRunResult} from '../../cli/body/reject-problems.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Body} from '../../values/body-paths.ts'
import {waitFlag} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {documentsHelp, submissionFlags, needsWizard} from '../../customers/flags.ts'
import {toText} from '../../cli/output/view.ts'
import {describeUnservedLink} from '../../customers/verification-form.ts'
import {customerView} from '../../customers/view.ts'
import {createVerificationTarget, createSubmissionTarget} from '../../customers/watch.ts'

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
  'allow-unknown-fields': boolean
  wait: boolean
}

const nameFlag = (summary: string) => Flags.string({summary, helpValue: 'NAME'})

export default class CustomersCreate extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('refused', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Create a customer'
  static override description = `Verification data given here is submitted at once and can no longer be changed while it is reviewed. In a terminal, svc asks for what is missing.\n${documentsHelp}`
  static override examples = [
    {
      description: 'Answer questions, and save the answers on exit',
      command: 'svc customers create --save draft.yaml',
    },
    {
      description: 'Create an individual who fills in the hosted form later',
      command: 'svc customers create --type INDIVIDUAL --email ada@example.com --first-name Ada --last-name Example',
    },
    {
      description: 'Create an individual with data and documents',
      command: 'svc customers create --type INDIVIDUAL --email ada@example.com --kyc-file kyc.yaml',
    },
    {
      description: 'Show what would be sent, with personal data masked',
      command: 'svc customers create -f customer.yaml --set kycData.phoneNumber=+15551234567 --dry-run',
    },
  ]
  static override flags = {
    type: Flags.option({summary: 'Customer type', options: customerTypes})(),
    email: Flags.string({summary: 'Email address of the customer', helpValue: 'EMAIL'}),
    'first-name': nameFlag('First name of an individual'),
    'last-name': nameFlag('Last name of an individual'),
    'business-name': nameFlag('Name of a business'),
    ...submissionFlags,
    wait: waitFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(CustomersCreate)
    const file = flags.resume ?? flags.file
    const given = await readCustomerBody(customerCreate, {...flags, file}, toBody(flags))
    const isMissing = listMissingFlags(given).length > 0
    if (!needsWizard(flags, isMissing, this.isInteractive)) return this.#send(given, flags, this.warningPolicy(flags))
    // A profile that may not write is rejected before the questions, not after them.
    const caller = flags['dry-run'] ? undefined : await this.writer()
    if (caller) await this.authorizeWrite(caller, write, false)
    const {runCreationWizard} = await import('../../customers/wizard/submission-wizard.ts')
    const {body, sendOrSaveDraft} = await runCreationWizard(given, flags, caller)
    return sendOrSaveDraft(() => this.#send(body, flags, reviewedPolicy, caller))
  }

  async #send(given: Body, flags: SendFlags, policy: WarningPolicy, knownCaller?: Caller): Promise<Result> {
    const validated = await validateCustomerBody(customerCreate, given)
    const {body, shown} = validated
    const missing = listMissingFlags(given)
    const options = {isPartial: flags.partial, allowsUnknownFields: flags['allow-unknown-fields']}
    const readiness = describeReadiness(customerCreate, given, validated, options)
    if (missing.length === readiness.problems.length) this.requireAll(missing)
    await confirmReady(readiness, policy)
    if (flags['dry-run']) return toDryRunResult({...write, body: flags.reveal ? body : shown})
    const caller = knownCaller ?? (await this.writer())
    await this.authorizeWrite(caller, write, false)
    const client = await this.client(caller, {allowsUnknownFields: flags['allow-unknown-fields']})
    const customer = await client.customers.create({body})
    if (!flags.wait) return this.#showCreated(customer)
    const isSubmitted = [body.kycData, body.kybData].some(hasContent)
    const createTarget = isSubmitted ? createSubmissionTarget : createVerificationTarget
    return this.finishWrite(await this.watch(createTarget(client, toText(customer.customerId), customer)))
  }

  async #showCreated(customer: LooseCustomer): Promise<Result> {
    const result = this.finishWrite(itemResult(customer, customerView))
    const isRead = this.isInteractive && process.stdout.isTTY && !this.columns
    const note = isRead && describeUnservedLink(customer)
    if (!note) return result
    await this.show(result)
    this.notice(note)
    return undefined
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
