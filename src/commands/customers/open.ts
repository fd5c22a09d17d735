// Opens the hosted verification form of a customer in the browser, and prints its link.
import {SvcCommand} from '../../cli/command.ts'
import {noOpenFlag} from '../../cli/flags/shared.ts'
import {getExitCodes} from '../../errors.ts'
import {openHostedForm} from '../../cli/browser.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgument} from '../../customers/flags.ts'
import {itemResult} from '../../cli/output/result.ts'
import {verificationLinkView} from '../../customers/view.ts'
import {requireVerificationLink} from '../../customers/verification-form.ts'

export default class CustomersOpen extends SvcCommand {
  static override view = verificationLinkView
  static override exits = getExitCodes('notFound')
  static override summary = 'Open the verification form of a customer in the browser'
  static override description =
    'The same as `svc open ID`. Always prints the link. Without a terminal, nothing is opened. In the sandbox, the form is served until Ctrl-C, unless `svc sandbox start` is already serving it.'
  static override examples = [
    {description: 'Open the form in the browser', command: 'svc customers open 1599214d-60c4-4ce0-b276-8e365cd63247'},
    {
      description: 'Print only the link, to send to the customer',
      command: 'svc customers open 1599214d-60c4-4ce0-b276-8e365cd63247 --jq .verificationLink',
    },
  ]
  static override args = {
    id: customerArgument,
  }
  static override flags = {
    'no-open': noOpenFlag,
  }

  async run() {
    const {args, flags} = await this.parse(CustomersOpen)
    const customerId = await findCustomerId(this.finder(), toArgumentReference('customer', args.id))
    const caller = await this.caller()
    const client = await this.client(caller)
    const verificationLink = await requireVerificationLink(client, customerId)
    const toResult = (link: string) => itemResult({customerId, verificationLink: link}, verificationLinkView)
    return openHostedForm(caller, verificationLink, toResult, {
      isOpening: !flags['no-open'] && this.isInteractive && process.stdout.isTTY,
      notice: (text) => this.notice(text),
      show: (result) => this.show(result),
    })
  }
}
