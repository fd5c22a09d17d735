// Opens the page of a thing in the browser: a customer's verification form, the form of a bank account, or a payment page.
import * as Flags from '@oclif/core/flags'
import {getAccountId} from '../accounts/describe-account.ts'
import {findOrAddPending, openAndAwaitAccount} from '../accounts/new-account.ts'
import {accountView} from '../accounts/view.ts'
import {SvcCommand} from '../cli/command.ts'
import {noOpenFlag} from '../cli/flags/shared.ts'
import {openHostedForm, openPrinted} from '../cli/browser.ts'
import {toArgumentReference, toFlagReference} from '../cli/ids/finder.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {cleanText} from '../cli/output/clean.ts'
import {type View, createColumn, toText} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {findCustomerId} from '../customers/find-customer.ts'
import {customerArgs} from '../customers/flags.ts'
import {requireVerificationLink} from '../customers/words.ts'
import {getExitCodes} from '../errors.ts'
import {readTransactionReference} from '../transactions/find-transaction.ts'
import {requirePaymentLink} from '../transactions/format-amounts.ts'
import {svc} from '../values/text.ts'

const mateo = '1599214d-60c4-4ce0-b276-8e365cd63247'

// A page that svc opened or printed: what it is, the customer or transaction that it belongs to, and its address.
interface OpenedPage {
  page: 'verification form' | 'bank account form' | 'payment page'
  id: string
  url: string
}

const openedPageView: View<OpenedPage> = {
  singular: 'page',
  plural: 'pages',
  columns: [createColumn('page', 1), createColumn('id', 2), createColumn('url', 0, {short: 'link', header: 'ADDRESS'})],
}

// A pipe gets the address alone, for `svc open … | pbcopy`.
const toPageResult = (value: OpenedPage): Result => ({
  kind: 'item',
  value,
  view: openedPageView,
  ...(process.stdout.isTTY ? {} : {render: () => `${cleanText(value.url)}\n`}),
})

export default class OpenCommand extends SvcCommand {
  static override view = openedPageView
  static override summary = 'Open a form or a page for paying'
  static override description = `With a customer, the hosted verification form; with --bank-account, the form of the pending bank account (in the sandbox, a customer without one gets one); with --transaction, the page on which it is paid, if it has one.
Without a terminal nothing is opened, and only the address is printed. In the sandbox, a form is served until Ctrl-C, unless \`svc sandbox start\` is already serving it.`
  static override examples = [
    {description: 'Open the verification form of a customer', command: `svc open ${mateo}`},
    {description: 'Copy its address', command: `svc open ${mateo} --no-open | pbcopy`},
  ]
  static override exits = getExitCodes('usage', 'notFound', 'pending')
  static override args = customerArgs
  static override flags = {
    'bank-account': Flags.boolean({summary: 'Open the form of the customer’s pending bank account'}),
    nickname: Flags.string({
      summary: 'The bank account with this nickname, if several are pending',
      helpValue: 'TEXT',
      dependsOn: ['bank-account'],
    }),
    wait: Flags.boolean({
      summary: 'Wait until the form of the bank account is submitted, and print the account',
      dependsOn: ['bank-account'],
    }),
    transaction: Flags.string({
      summary: 'Open the page on which this transaction is paid',
      helpValue: 'ID',
      exclusive: ['bank-account'],
    }),
    'no-open': noOpenFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(OpenCommand)
    const isOpening = !flags['no-open'] && this.isInteractive && process.stdout.isTTY
    const notice = (text: string) => this.notice(text)
    const caller = await this.caller()
    const finder = this.finder(caller)
    if (flags.transaction !== undefined) {
      const reference = toFlagReference('transaction', flags.transaction)
      const transaction = await readTransactionReference(finder, {}, reference)
      const id = toText(transaction.transactionId)
      const url = requirePaymentLink(id, transaction)
      await openPrinted(url, {isOpening, notice})
      return toPageResult({page: 'payment page', id, url})
    }
    const id = await findCustomerId(finder, toArgumentReference('customer', args.id))
    const client = await finder.connect()
    const {nickname, timeout: timeoutMs} = flags
    const isInteractive = this.isInteractive && !flags['no-open']
    const account = {caller, client, customerId: id, nickname, isInteractive, timeoutMs, notice}
    if (flags.wait) return this.#showAccount(await openAndAwaitAccount(account), id)
    const page = flags['bank-account'] ? 'bank account form' : 'verification form'
    const link = flags['bank-account']
      ? (await findOrAddPending(account)).bankAccountFormLink
      : await requireVerificationLink(client, id)
    const toResult = (url: string) => toPageResult({page, id, url})
    return openHostedForm(caller, String(link), toResult, {isOpening, notice, show: (result) => this.show(result)})
  }

  #showAccount(account: LoosePaymentAccount, customerId: string): Promise<Result> {
    const next = `Next: ${svc`pay --customer ${customerId} --to ${getAccountId(account)}`} pays to it.`
    return this.showWithNotes(itemResult(account, accountView), [next])
  }
}
