// Adds a payment account to a sandbox customer.
import {getExitCodes} from '../../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {accountTypes} from '../../../contract/accounts.ts'
import {cryptoMethods, fiatMethods} from '../../../contract/payment-methods.ts'
import {customerFlag} from '../../../cli/flags/shared.ts'
import {toFlagReference} from '../../../cli/ids/finder.ts'
import {findCustomerId} from '../../../customers/find-customer.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {sandboxAccountView} from '../../../sandbox/views/accounts.ts'
import {openControl} from '../../../sandbox-control.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class SandboxAccountsAdd extends SvcCommand {
  static override view = sandboxAccountView
  static override summary = 'Add a payment account to a customer'
  static override description =
    'A bank account has a payment method (ACH), a wallet has a chain (BASE) and a currency (USDC), an automatic fiat account has a currency (USD).'
  static override examples = [
    {
      description: 'Add a wallet with 500 USDC',
      command: `svc sandbox accounts add --customer ${zoe} --type SVC_CRYPTO_WALLET --chain POLYGON --balance 500`,
    },
    {
      description: 'Add a bank account whose form is not filled in yet',
      command: `svc sandbox accounts add --customer ${zoe} --type EXTERNAL_BANK_ACCOUNT --method SEPA --pending`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override flags = {
    customer: customerFlag('Customer who owns the account', 'SVC_CUSTOMER'),
    type: Flags.option({summary: 'Account type', options: accountTypes, env: 'SVC_TYPE'})(),
    method: Flags.option({summary: 'Payment method of a bank account (ACH)', options: fiatMethods})(),
    chain: Flags.option({summary: 'Chain of a wallet (BASE)', options: cryptoMethods, env: 'SVC_CHAIN'})(),
    currency: Flags.string({summary: 'Currency, such as USDC or EUR', env: 'SVC_CURRENCY', helpValue: 'LABEL'}),
    nickname: Flags.string({summary: 'Name of the account', helpValue: 'TEXT'}),
    pending: Flags.boolean({summary: 'Create a bank account that is still waiting for its form'}),
    balance: Flags.string({summary: 'Initial balance of a service-managed wallet', helpValue: 'AMOUNT'}),
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxAccountsAdd)
    const {customer, type, method, chain, currency, nickname, pending, balance} = flags
    this.requireAll([!customer && !this.isInteractive && '--customer', !type && '--type'])
    const {call, caller} = await openControl(flags)
    const finder = this.finder(caller)
    const customerId = await findCustomerId(finder, toFlagReference('customer', customer))
    const order = {customerId, type: type as (typeof accountTypes)[number]}
    const account = await call('accounts.add', {...order, method, chain, currency, nickname, pending, balance})
    return this.finishWrite(itemResult({...account}, sandboxAccountView))
  }
}
