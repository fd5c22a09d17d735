// Corrects, step by step, what verification rejected.
import {SvcCommand} from '../../cli/command.ts'
import type {Client} from '../../client/client.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {organizationFlag} from '../../cli/flags/shared.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {checkCustomerReference, findCustomerId} from '../../customers/find-customer.ts'
import {noDraftFlag} from '../../cli/flags/body-flags.ts'
import {customerArgument} from '../../customers/flags.ts'
import {describeNextStep} from '../../customers/words.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {customerView} from '../../customers/view.ts'
import {createCustomerTarget} from '../../customers/watch.ts'
import {quoteForShell} from '../../values/text.ts'

export default class CustomersFix extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('refused', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Correct rejected verification data, step by step'
  static override description =
    'Says what was refused, asks only for that, sends the correction and waits for the outcome if you want. What you entered in svc before is carried over, and the review shows it. If new issues appear, it starts again with those. Without an id, you choose from the customers that are NEEDS_ADDITIONAL_INFORMATION, longest waiting first. If only support can help, it says what to tell them and exits with code 11. Needs a terminal; scripts use `svc customers issues` and `svc customers update`.'
  static override examples = [
    {description: 'Choose a customer from a list', command: 'svc customers fix'},
    {description: 'Fix one customer', command: 'svc customers fix 1599214d-60c4-4ce0-b276-8e365cd63247'},
  ]
  static override args = {
    id: customerArgument,
  }
  static override flags = {
    organization: organizationFlag('List only customers of this organization'),
    'no-draft': noDraftFlag,
  }

  async run() {
    const {args, flags} = await this.parse(CustomersFix)
    const reference = toArgumentReference('customer', args.id)
    checkCustomerReference(reference, this.finder())
    if (!this.isInteractive) throw needsTerminal(args.id)
    const caller = await this.writer({method: 'PATCH', path: '/customers/{customerId}'})
    const connect = () => this.client(caller)
    const given = args.id === undefined ? undefined : await findCustomerId(this.finder(caller), reference)
    const id = given ?? (await askCustomer(await connect(), flags.organization ?? caller.organization))
    if (id === undefined) {
      this.notice('No customer is NEEDS_ADDITIONAL_INFORMATION; there is nothing to fix.')
      return undefined
    }
    const {fixCustomer} = await import('../../customers/wizard/fix.ts')
    const result = await fixCustomer(id, {
      connect,
      guard: (write) => this.authorizeWrite(caller, write, false),
      wait: (client, writeReply) => this.watch(createCustomerTarget('correction', client, id, writeReply)),
      notice: (text) => this.notice(text),
      caller,
      flags,
    })
    const written = {isSubmitted: false, isSandbox: caller.baseUrl === sandboxAddress}
    return this.finishWrite(result, describeNextStep(result, written))
  }
}

async function askCustomer(client: Client, organizationId: string | undefined): Promise<string | undefined> {
  const {chooseCustomer} = await import('../../customers/choose-customer.ts')
  return chooseCustomer(client, organizationId)
}

const needsTerminal = (id = 'ID') =>
  badUsage(
    '`svc customers fix` needs a terminal to ask questions in',
    `In a script, read \`svc customers issues ${quoteForShell(id)} --json\` and correct with \`svc customers update ${quoteForShell(id)}\`; \`svc customers list --status NEEDS_ADDITIONAL_INFORMATION\` lists the customers`,
  )
