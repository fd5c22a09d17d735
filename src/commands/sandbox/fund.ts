// Simulates an incoming transfer in the sandbox: to a wallet, or for a transaction that waits for it.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {findAnyAccountId} from '../../accounts/find-account.ts'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxAccountView} from '../../sandbox/views/accounts.ts'
import {transactionView} from '../../transactions/view.ts'
import {openControl} from '../../sandbox-control.ts'

const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'

export default class SandboxFund extends SvcCommand {
  static override view = sandboxAccountView
  static override summary = 'Simulate an incoming transfer'
  static override description =
    'For a service-managed wallet, adds the amount to the balance and prints the account. For any other account, the amount must be exactly what an AWAITING_TRANSFER transaction waits for; the oldest such transaction moves to PROCESSING and is printed.'
  static override examples = [
    {description: 'Add money to a wallet', command: `svc sandbox fund ${wallet} --amount 100`},
    {
      description: 'Send the transfer that a transaction waits for',
      command: `svc sandbox fund ${deposits} --amount 120`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    account: Args.string({description: 'ID of the payment account, or its first 8 or more characters'}),
  }
  static override flags = {
    amount: Flags.string({summary: 'Amount, such as 100.50', helpValue: 'AMOUNT', required: true}),
    currency: Flags.string({
      summary: 'Currency (USDC for a wallet, otherwise that of the account)',
      env: 'SVC_CURRENCY',
      helpValue: 'LABEL',
    }),
    ...controlFlags,
  }

  async run() {
    const {args, flags} = await this.parse(SandboxFund)
    const {call, caller} = await openControl(flags)
    const reference = {what: 'The account', name: 'ACCOUNT', text: args.account}
    const paymentAccountId = await findAnyAccountId(this.finder(caller), reference)
    const funded = await call('fund', {paymentAccountId, amount: flags.amount, currency: flags.currency})
    const view = 'transactionId' in funded ? transactionView : sandboxAccountView
    return this.finishWrite(itemResult({...funded}, view))
  }
}
