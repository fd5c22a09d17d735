// Opens the hosted verification form of a customer in the browser, and prints its link.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../command.ts'
import {SvcError, exitCodes} from '../../errors.ts'
import {openLink} from '../../terminal/browser.ts'
import {checkedUuid} from '../../terminal/flags.ts'
import {itemResult} from '../../terminal/result.ts'
import {verificationLinkView} from '../../terminal/views/verification-link.ts'

export default class CustomersOpen extends SvcCommand {
  static override view = verificationLinkView
  static override exits = [exitCodes.notFound]
  static override summary = 'Open the verification form of a customer in the browser'
  static override description = 'The link is printed always; without a terminal nothing is opened.'
  static override examples = [
    {description: 'Open the form', command: 'svc customers open 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'},
    {
      description: 'Only the link, to send to the customer',
      command: 'svc customers open 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --json | jq -r .verificationLink',
    },
  ]
  static override args = {
    id: Args.string({description: 'Id of the customer', required: true}),
  }
  static override flags = {
    print: Flags.boolean({summary: 'Print the link and open nothing', env: 'SVC_PRINT'}),
  }

  async run() {
    const {args, flags} = await this.parse(CustomersOpen)
    const customerId = checkedUuid(args.id, 'The customer id')
    const client = await this.client()
    const {verificationLink} = await client.customers.get({customerId})
    if (typeof verificationLink !== 'string' || verificationLink === '') throw noLink(customerId)
    if (!flags.print && this.isInteractive && process.stdout.isTTY) {
      const why = await openLink(verificationLink)
      this.notice(why ? `The link was not opened: ${why}.` : 'The link was opened in the browser.')
    }
    return itemResult({customerId, verificationLink}, verificationLinkView)
  }
}

const noLink = (customerId: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    exitCode: exitCodes.notFound,
    message: 'The customer has no verification link',
    hint: `\`svc customers get ${customerId}\` shows what it has`,
  })
