// Corrects, step by step, what verification rejected.
import {noDraftFlag} from '../../cli/flags/body-flags.ts'
import {organizationFlag, waitFlag} from '../../cli/flags/shared.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {customerPatch} from '../../contract/customers.ts'
import {readCode} from '../../contract/loose.ts'
import {readCustomer} from '../../customers/answers.ts'
import {checkBody} from '../../customers/check-body.ts'
import {chooseWaitingCustomer, checkCustomerReference, findCustomerId} from '../../customers/find-customer.ts'
import {customerArgs} from '../../customers/flags.ts'
import {SubmissionCommand} from '../../customers/submission-command.ts'
import {customerView} from '../../customers/view.ts'
import {rejectIfLocked} from '../../customers/words.ts'
import {SvcError, badUsage, getExitCodes} from '../../errors.ts'
import {svc} from '../../values/text.ts'

export default class CustomersFix extends SubmissionCommand {
  static override exits = getExitCodes('refused', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Correct rejected verification data, step by step'
  static override description =
    'Says what was refused, asks only for that and sends the correction. What you entered in svc before is carried over, and the review shows it. Without an id, you choose from the customers that are NEEDS_ADDITIONAL_INFORMATION, longest waiting first. If only support can help, it says what to tell them and exits with code 11. Needs a terminal; scripts use `svc customers issues` and `svc customers update`.'
  static override examples = [
    {description: 'Choose a customer from a list', command: 'svc customers fix'},
    {description: 'Fix one customer', command: 'svc customers fix 1599214d-60c4-4ce0-b276-8e365cd63247'},
  ]
  static override args = customerArgs
  static override flags = {
    organization: organizationFlag('List only customers of this organization'),
    'no-draft': noDraftFlag,
    wait: waitFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(CustomersFix)
    const reference = toArgumentReference('customer', args.id)
    checkCustomerReference(reference, this.finder())
    if (!this.isInteractive) throw needsTerminal(args.id)
    const caller = await this.writer({method: 'PATCH', path: '/customers/{customerId}'})
    const customerId =
      args.id === undefined
        ? await chooseWaitingCustomer(this.finder(caller), flags.organization ?? caller.organization)
        : await findCustomerId(this.finder(caller), reference)
    if (customerId === undefined) {
      this.notice('No customer is NEEDS_ADDITIONAL_INFORMATION; there is nothing to fix.')
      return undefined
    }
    const customer = {...(await readCustomer(await this.client(caller), {customerId})), customerId}
    rejectIfLocked(customerId, customer.customerStatus)
    if (readCode(customer.customerStatus) === 'CREATED') {
      this.notice(
        `Nothing was submitted yet, so there is nothing to fix: ${svc`customers update ${customerId}`} submits data.`,
      )
      return itemResult(customer, customerView)
    }
    const {fixCustomer} = await import('../../customers/wizard/fix.ts')
    const sent = await fixCustomer(customer, {
      caller,
      flags,
      send: async (given) =>
        this.submit(
          {
            write: {method: 'PATCH', path: `/customers/${customerId}`},
            checked: await checkBody(customerPatch, given, {}),
            given,
            isTyped: true,
            isPartial: true,
            caller,
            send: (client, body) => client.customers.update({customerId, body}),
          },
          flags,
        ),
    })
    return sent instanceof SvcError ? itemResult(customer, customerView, sent) : sent
  }
}

const needsTerminal = (id = 'ID') =>
  badUsage(
    `${svc`customers fix`} needs a terminal to ask questions in`,
    `In a script, read ${svc`customers issues ${id} --json`} and correct with ${svc`customers update ${id}`}; ${svc`customers list --status NEEDS_ADDITIONAL_INFORMATION`} lists the customers`,
  )
