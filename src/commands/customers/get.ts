// Shows one customer.
import {getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgs} from '../../customers/flags.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {describeCorrection, describeDeadForm} from '../../customers/words.ts'
import {readCustomer} from '../../customers/answers.ts'
import {customerView} from '../../customers/view.ts'

export default class CustomersGet extends SvcCommand {
  static override view = customerView
  static override summary = 'Show a customer'
  static override description =
    'Includes verification issues, which lists may leave out; `svc customers issues` explains them.'
  static override examples = [
    {
      description: 'Show a sandbox customer',
      command: 'svc customers get 1599214d-60c4-4ce0-b276-8e365cd63247 -p sandbox',
    },
    {
      description: 'Include the payment methods the customer can use',
      command: 'svc customers get 1599214d-60c4-4ce0-b276-8e365cd63247 --payment-methods',
    },
  ]
  static override exits = getExitCodes('unauthenticated', 'notFound', 'unreachable')
  static override args = customerArgs
  static override flags = {
    'payment-methods': Flags.boolean({
      summary: 'Include the available payment methods',
    }),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(CustomersGet)
    const finder = this.finder()
    const customerId = await findCustomerId(finder, toArgumentReference('customer', args.id))
    const client = await finder.connect()
    const methods = flags['payment-methods'] && {includePaymentMethods: true}
    const customer = await readCustomer(client, {customerId, ...methods})
    return this.showWithNotes(itemResult(customer, customerView), [
      ...describeDeadForm(customer),
      ...describeCorrection(customer),
    ])
  }
}
