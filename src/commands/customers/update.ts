// Submits or corrects the verification data of a customer.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {customerPatch} from '../../contract/customers.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {readCustomerBody} from '../../customers/body.ts'
import {type ValidatedBody, validateCustomerBody, findTypeProblems} from '../../customers/validate-body.ts'
import {toDryRunResult} from '../../cli/body/dry-run.ts'
import {rejectOtherDraft} from '../../customers/draft-owner.ts'
import {confirmFirstSubmission, hasContent} from '../../customers/first-submission.ts'
import {rejectIfLocked} from '../../customers/reject-if-locked.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {parseUuid, waitFlag} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {documentsHelp, submissionFlags, needsWizard} from '../../customers/flags.ts'
import {customerView} from '../../customers/view.ts'
import {createSubmissionTarget} from '../../customers/watch-targets.ts'

type Judged = Omit<ValidatedBody, 'problems'>

export default class CustomersUpdate extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('refused', 'notFound', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Submit or correct the verification data of a customer'
  static override description = `Sends any part of the data. The service accepts it while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION, and then starts a review. svc reads the customer first, with --dry-run too. In a terminal, without data, it asks which parts to submit.\n${documentsHelp}`
  static override examples = [
    {
      description: 'Choose which parts to submit, and enter them',
      command: 'svc customers update 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11',
    },
    {
      description: 'Submit KYC data and documents',
      command: 'svc customers update 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --kyc-file kyc.yaml',
    },
    {
      description: 'Correct two fields',
      command:
        'svc customers update 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --set kycData.phoneNumber=+15551234567 --set kycData.address.postalCode=02139',
    },
    {
      description: 'Send a better image of a passport',
      command:
        "svc customers update 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --set 'kycData.documents[0].type=GOVERNMENT_ID' --set 'kycData.documents[0].frontIdImage=./passport.jpg'",
    },
  ]
  static override args = {
    id: Args.string({description: 'ID of the customer', required: true}),
  }
  static override flags = {...submissionFlags, wait: waitFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(CustomersUpdate)
    const customerId = parseUuid(args.id, 'The customer id')
    const file = flags.resume ?? flags.file
    rejectOtherDraft(file, `customers update ${customerId}`)
    const given = await readCustomerBody(customerPatch, {...flags, file})
    const asks = needsWizard(flags, !hasContent(given), this.isInteractive)
    // What is wrong with what was given is said before anything is read.
    const judged = asks ? undefined : await judgedData(given)
    const write = {method: 'PATCH', path: `/customers/${customerId}`}
    const caller = await this.caller()
    if (!flags['dry-run']) await this.authorizeWrite(caller, write, false)
    const client = await this.client(caller)
    const customer = await client.customers.get({customerId})
    rejectIfLocked(customerId, customer.customerStatus)
    const send = async ({body, shown}: Judged) => {
      rejectProblems(findTypeProblems(customer.customerType, body), shown)
      if (customer.customerStatus === 'CREATED') {
        await confirmFirstSubmission(body, flags, {
          isInteractive: this.isInteractive,
          notice: (text) => this.notice(text),
        })
      }
      if (flags['dry-run']) return toDryRunResult({...write, body: flags.reveal ? body : shown})
      const updated = await client.customers.update({customerId, body})
      if (!flags.wait) return this.finishWrite(itemResult(updated, customerView))
      return this.finishWrite(await this.watch(createSubmissionTarget(client, customerId, updated)))
    }
    if (judged) return send(judged)
    const {runUpdateWizard: talkOverUpdate} = await import('../../customers/wizard/submission-wizard.ts')
    const {body, sendOrSaveDraft: keeping} = await talkOverUpdate(given, {...customer, customerId}, flags, caller)
    return keeping(async () => send(await judgedData(body)))
  }
}

async function judgedData(given: Body): Promise<Judged> {
  const {problems, ...judged} = await validateCustomerBody(customerPatch, given)
  rejectProblems(problems, judged.shown)
  if (hasContent(judged.body)) return judged
  throw badUsage('There is nothing to update', 'Give --set, --kyc-file, --kyb-file or --file')
}
