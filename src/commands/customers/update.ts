// Submits or corrects the verification data of a customer.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../command.ts'
import {customerPatch} from '../../contract/customers.ts'
import {badUsage, exitCodes} from '../../errors.ts'
import {customerBody} from '../../requests/customer-body.ts'
import {judgeCustomerBody, kindProblems} from '../../requests/customer-problems.ts'
import {dryRun} from '../../requests/dry-run.ts'
import {confirmFirstSubmission, hasContent} from '../../requests/first-submission.ts'
import {refuseIfLocked} from '../../requests/patch-allowed.ts'
import {refuseProblems} from '../../requests/refuse.ts'
import {checkedUuid, waitFlag} from '../../terminal/flags.ts'
import {type Result, itemResult} from '../../terminal/result.ts'
import {aboutDocuments, submissionFlags} from '../../terminal/submission-flags.ts'
import {customerView} from '../../terminal/views/customers.ts'
import {followedCustomer} from '../../waiting/customers.ts'

export default class CustomersUpdate extends SvcCommand {
  static override view = customerView
  static override exits = [
    exitCodes.refused,
    exitCodes.notFound,
    exitCodes.unknown,
    exitCodes.pending,
    exitCodes.endedBadly,
  ]
  static override summary = 'Submit or correct the verification data of a customer'
  static override description = `Any part of the data may be sent. It is taken while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION, and the customer then goes under review. It is read first, also with --dry-run.\n${aboutDocuments}`
  static override examples = [
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
      description: 'Send a better picture of a passport',
      command:
        "svc customers update 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --set 'kycData.documents[0].type=GOVERNMENT_ID' --set 'kycData.documents[0].frontIdImage=./passport.jpg'",
    },
  ]
  static override args = {
    id: Args.string({description: 'Id of the customer', required: true}),
  }
  static override flags = {...submissionFlags, wait: waitFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(CustomersUpdate)
    const customerId = checkedUuid(args.id, 'The customer id')
    const given = await customerBody(customerPatch, flags)
    const {body, shown, problems} = await judgeCustomerBody(customerPatch, given)
    refuseProblems(problems, shown)
    if (!hasContent(body)) throw badUsage('There is nothing to update', 'Give --set, --kyc-file, --kyb-file or --file')
    const write = {method: 'PATCH', path: `/customers/${customerId}`}
    const caller = await this.caller()
    if (!flags['dry-run']) await this.guardWrite(caller, write, false)
    const client = await this.client(caller)
    const {customerStatus, customerType} = await client.customers.get({customerId})
    refuseIfLocked(customerId, customerStatus)
    refuseProblems(kindProblems(customerType, body), shown)
    if (customerStatus === 'CREATED') {
      await confirmFirstSubmission(body, flags, {isThere: this.isInteractive, notice: (text) => this.notice(text)})
    }
    if (flags['dry-run']) return dryRun({...write, body: flags.reveal ? body : shown})
    const customer = await client.customers.update({customerId, body})
    if (!flags.wait) return this.written(itemResult(customer, customerView))
    return this.written(await this.follow(followedCustomer(client, customerId, customer)))
  }
}
