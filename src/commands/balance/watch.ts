// Watches the balance of a wallet, and says when it falls below an amount.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {amountFlag} from '../../cli/flags/body-flags.ts'
import {customerFlag, figureFlags} from '../../cli/flags/shared.ts'
import {toArgumentReference, toFlagReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgument} from '../../customers/flags.ts'
import {getExitCodes} from '../../errors.ts'
import {chooseWallet, readFigure, readWalletBalances} from '../../transactions/wallet-balances.ts'
import {readServiceState} from '../../transport.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class BalanceWatch extends SvcCommand {
  static override summary = 'Watch the balance of a wallet, with an alert'
  static override description = `In a terminal, a live line shows the balance with a small chart, until Ctrl-C. Elsewhere each change is a line, with --json (or -o jsonl) a line of JSON. Ends with code 12 if the balance was below --alert-below.
The interface of the service tells no balances, the sandbox does. Elsewhere, say with --deposited what came into the wallet from outside: svc adds what transactions moved since, without those that failed.`
  static override examples = [
    {description: 'Watch the wallet of a sandbox customer', command: `svc balance watch ${zoe} -p sandbox`},
    {
      description: 'From cron: be told when a wallet runs low',
      command: `svc balance watch ${zoe} --deposited 20000 --alert-below 500 --once --quiet`,
    },
    {
      description: 'Log each change for an hour',
      command: `svc balance watch ${zoe} -p sandbox --interval 1m --timeout 1h --json >> balance.jsonl`,
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'notFound', 'unreachable', 'finding')
  static override args = {
    id: customerArgument,
  }
  static override flags = {
    customer: customerFlag('Customer who owns the wallet'),
    account: Flags.string({
      summary: 'Wallet to watch, if the customer has several',
      helpValue: 'ACCOUNT',
    }),
    currency: Flags.string({
      summary: 'Currency to watch, if the wallet has several',
      helpValue: 'LABEL',
    }),
    'alert-below': amountFlag('End with code 12 if the balance was below this'),
    deposited: amountFlag('What came into the wallet from outside, if the service tells no balances'),
    ...figureFlags,
  }

  async run() {
    const {args, flags} = await this.parse(BalanceWatch)
    const caller = await this.caller()
    const finder = this.finder(caller)
    const reference =
      args.id === undefined ? toFlagReference('customer', flags.customer) : toArgumentReference('customer', args.id)
    const customerId = await findCustomerId(finder, reference)
    const client = await this.client(caller, flags.once ? {} : {timeoutMs: undefined})
    const {listBalances} = await readServiceState(caller)
    const choice = {customerId, account: flags.account, currency: flags.currency, deposited: flags.deposited}
    const readBalances = () => readWalletBalances(client, customerId, listBalances)
    const {currency = ''} = chooseWallet(await readBalances(), choice)
    const target = {
      name: 'balance',
      unit: currency,
      alertBelow: flags['alert-below'],
      read: async () => readFigure(await readBalances(), choice),
    }
    return this.watchFigure(target, flags)
  }
}
