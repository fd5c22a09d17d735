// Opens the hosted form of a pending bank account in the browser, and prints its link.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {getExitCodes} from '../../errors.ts'
import {getAccountId} from '../../accounts/describe-account.ts'
import {findOrAddPending, openAndAwaitAccount} from '../../accounts/new-account.ts'
import {accountView, bankAccountLinkView} from '../../accounts/view.ts'
import {openHostedForm} from '../../cli/browser.ts'
import {customerFlag, noOpenFlag} from '../../cli/flags/shared.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import type {LoosePaymentAccount} from '../../contract/loose.ts'
import {quoteForShell} from '../../values/text.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class AccountsOpen extends SvcCommand {
  static override view = bankAccountLinkView
  static override exits = getExitCodes('usage', 'notFound', 'pending')
  static override summary = 'Open the form of a pending bank account in the browser'
  static override description =
    'Always prints the link. Without a terminal, nothing is opened. In the sandbox, the form is served until Ctrl-C, unless `svc sandbox start` is already serving it. The account becomes ACTIVE when the form is submitted; --wait waits for that. In the sandbox, a customer without a pending account gets one.'
  static override examples = [
    {description: 'Open the form in the browser', command: `svc accounts open --customer ${zoe} -p sandbox`},
    {
      description: 'Open the form, wait until it is submitted, and print the new account',
      command: `svc accounts open --customer ${zoe} --wait`,
    },
    {
      description: 'Print only the link, to send to the customer',
      command: `svc accounts open --customer ${zoe} --jq .bankAccountFormLink`,
    },
  ]
  static override flags = {
    customer: customerFlag('Customer who owns the account'),
    nickname: Flags.string({summary: 'The account with this nickname, if several are pending', helpValue: 'TEXT'}),
    'no-open': noOpenFlag,
    wait: Flags.boolean({summary: 'Wait until the form is submitted, and print the account'}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(AccountsOpen)
    const {nickname} = flags
    const customerId = await findCustomerId(this.finder(), toFlagReference('customer', flags.customer))
    const caller = await this.caller()
    const client = await this.client(caller)
    const isInteractive = this.isInteractive && !flags['no-open']
    const context = {caller, client, customerId, nickname, isInteractive, timeoutMs: flags.timeout}
    const notice = (text: string) => this.notice(text)
    if (flags.wait) return this.#showAccount(await openAndAwaitAccount({...context, notice}), customerId)
    const account = await findOrAddPending(context)
    const toResult = (bankAccountFormLink: string) =>
      itemResult({customerId, nickname: account.nickname, bankAccountFormLink}, bankAccountLinkView)
    return openHostedForm(caller, String(account.bankAccountFormLink), toResult, {
      isOpening: !flags['no-open'] && this.isInteractive && process.stdout.isTTY,
      notice,
      show: (result) => this.show(result),
    })
  }

  #showAccount(account: LoosePaymentAccount, customerId: string): Promise<Result> {
    const next = `Next: \`svc pay --customer ${quoteForShell(customerId)} --to ${quoteForShell(getAccountId(account))}\` pays to it.`
    return this.showWithNotes(itemResult(account, accountView), [next])
  }
}
