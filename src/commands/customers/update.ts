// Submits or corrects the verification data of a customer.
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import {waitFlag} from '../../cli/flags/shared.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import type {Result} from '../../cli/output/result.ts'
import {customerPatch} from '../../contract/customers.ts'
import {readCode} from '../../contract/loose.ts'
import {readCustomer} from '../../customers/answers.ts'
import {readCustomerBody} from '../../customers/body.ts'
import {checkBody, findTypeProblems} from '../../customers/check-body.ts'
import {hasContent} from '../../values/records.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgs, documentsHelp, submissionFlags} from '../../customers/flags.ts'
import {SubmissionCommand} from '../../customers/submission-command.ts'
import {rejectIfLocked} from '../../customers/words.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import type {Body} from '../../values/body-paths.ts'
import {svc} from '../../values/text.ts'

const nothingGiven = 'There is nothing to update'

export default class CustomersUpdate extends SubmissionCommand {
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
      command: 'svc customers update f80a5001-be2d-4368-9726-a4523bfb5e71 --file kyc.yaml',
    },
  ]
  static override args = customerArgs
  static override flags = {...submissionFlags, wait: waitFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(CustomersUpdate)
    const customerId = await findCustomerId(this.finder(), toArgumentReference('customer', args.id))
    const given = await readCustomerBody(customerPatch, flags)
    const isWizard = this.isInteractive && !hasContent(given)
    const check = async (body: Body) => {
      const found = await checkBody(customerPatch, body, flags)
      const problems = found.problems.filter(({isLeftOut}) => !isLeftOut)
      if (problems.some(({isWarning}) => !isWarning)) rejectProblems(problems, found.shown)
      if (hasContent(found.body)) return found
      throw badUsage(nothingGiven, 'Give --set or --file')
    }
    // Invalid data is rejected before anything is requested from the service.
    const checked = isWizard ? undefined : await check(given)
    const write = {method: 'PATCH', path: `/customers/${customerId}`}
    const caller = await this.writer(flags['dry-run'] ? undefined : write)
    const customer = {...(await readCustomer(await this.client(caller), {customerId})), customerId}
    rejectIfLocked(customerId, customer.customerStatus)
    // Only a first submission has to be complete.
    const isFirst = readCode(customer.customerStatus) === 'CREATED'
    const send = async (body: Body) => {
      const valid = checked ?? (await check(body))
      rejectProblems(findTypeProblems(customer.customerType, valid.body), valid.shown)
      return this.submit(
        {
          write,
          checked: valid,
          given: body,
          isTyped: isWizard,
          isPartial: !isFirst,
          caller,
          send: (client, sent) => client.customers.update({customerId, body: sent}),
        },
        flags,
      )
    }
    if (checked) return send(given)
    if (!isFirst) {
      throw badUsage(nothingGiven, `${svc`customers fix ${customerId}`} asks for what verification refused`)
    }
    const {runUpdateWizard} = await import('../../customers/wizard/submit.ts')
    return runUpdateWizard(customer, {caller, flags, send})
  }
}
