// Opens the page of a thing in the browser: a customer's verification form, the form of a bank account, or a payment page.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {getAccountId} from '../accounts/describe-account.ts'
import {findOrAddPending, openAndAwaitAccount} from '../accounts/new-account.ts'
import {accountView} from '../accounts/view.ts'
import {SvcCommand} from '../cli/command.ts'
import {noOpenFlag} from '../cli/flags/shared.ts'
import {openHostedForm, openPage, openedPageView, toPageResult} from '../cli/browser.ts'
import {toArgumentReference, toFlagReference} from '../cli/ids/finder.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import type {LoosePaymentAccount, LooseTransaction} from '../contract/loose.ts'
import {findCustomerId} from '../customers/find-customer.ts'
import {requireVerificationLink} from '../customers/verification-form.ts'
import {getExitCodes} from '../errors.ts'
import {readTransactionReference} from '../transactions/find-transaction.ts'
import {requirePaymentLink} from '../transactions/format-amounts.ts'
import {quoteForShell} from '../values/text.ts'

const mateo = '1599214d-60c4-4ce0-b276-8e365cd63247'

export default class OpenCommand extends SvcCommand {
  static override view = openedPageView
  static override summary = 'Open a form, a page for paying, the console or the docs'
  static override description = `With a customer, the hosted verification form; with --bank-account, the form of the pending bank account (in the sandbox, a customer without one gets one); with --transaction, the page on which it is paid, if it has one. \`svc open console\` opens the console and \`svc open docs\` the documentation.
Without a terminal nothing is opened, and only the address is printed. In the sandbox, a form is served until Ctrl-C, unless \`svc sandbox start\` is already serving it.`
  static override examples = [
    {description: 'Open the verification form of a customer', command: `svc open ${mateo}`},
    {description: 'Copy its address', command: `svc open ${mateo} --no-open | pbcopy`},
  ]
  static override exits = getExitCodes('usage', 'notFound', 'pending')
  static override args = {
    id: Args.string({
      description: 'ID of the customer, its first 8 or more characters, or the email; or console, docs',
    }),
  }
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
      return this.#openPaymentPage(await readTransactionReference(finder, {}, reference), isOpening)
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
    const next = `Next: \`svc pay --customer ${quoteForShell(customerId)} --to ${quoteForShell(getAccountId(account))}\` pays to it.`
    return this.showWithNotes(itemResult(account, accountView), [next])
  }

  #openPaymentPage(transaction: LooseTransaction, isOpening: boolean): Promise<Result> {
    const id = toText(transaction.transactionId)
    const url = requirePaymentLink(id, transaction)
    return openPage({page: 'payment page', id, url}, isOpening, (text) => this.notice(text))
  }
}
