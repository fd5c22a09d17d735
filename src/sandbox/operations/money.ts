// The operations on customers and their money.
import {accountTypes, cryptoMethods, fiatMethods} from '../../contract/vocabulary.ts'
import {type Outcome, verificationOutcomes} from '../service/customers/outcomes.ts'
import {settlements} from '../service/faults/behaviour-table.ts'
import {defineSchema, op} from './define.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const someone = 'f80a5001-be2d-4368-9726-a4523bfb5e71'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'
const processing = '08453f1a-c9c6-45d0-9ab5-159985b690a4'
const awaiting = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'

const accountSchema = defineSchema(({z, account}) =>
  account
    .extend({balances: z.record(z.string(), z.string()).describe('By currency; only a service-managed wallet has any')})
    .meta({id: 'AccountWithBalances'}),
)

const customer = {type: 'text', isRequired: true, flag: 'customer', finds: 'customer'} as const

export const verification = {
  verify: op({
    says: 'Force the outcome of a customer’s verification',
    more: 'Starts a review if none is in progress. Only an ACTIVE customer can be deactivated; REJECTED and DEACTIVATED are final. A manual review ends with approval after three days.',
    input: {
      customerId: {
        ...customer,
        says: 'ID of the customer, its first 8 or more characters, or the email',
        isArgument: true,
      },
      outcome: {
        type: 'choice',
        says: 'Outcome of the verification',
        choices: Object.keys(verificationOutcomes) as Outcome[],
        isRequired: true,
      },
      codes: {
        type: 'texts',
        says: 'Issue code for needs-information or rejected; repeatable (VERIFICATION_ISSUE)',
        flag: 'code',
      },
      message: {type: 'text', says: 'Message of the issues, instead of the meaning of their codes'},
    },
    output: ({customer: schema}) => schema,
    view: 'customer',
    examples: {
      'Approve a customer': `svc sandbox verify ${someone} --outcome approved`,
      'Request corrections, with two issues': `svc sandbox verify ${someone} --outcome needs-information --code DOC_QUALITY_POOR --code DOCUMENT_EXPIRED`,
    },
    run: (controls, {customerId, codes, ...forced}) =>
      controls.verification.force(customerId, {...forced, ...(codes && {codes})}),
  }),

  magic: op({
    says: 'List the magic values of the sandbox',
    more: 'A magic value is text in an ordinary field that selects an outcome. It affects only the submission that contains it, so a correction without it succeeds. A field may contain several; the one with the lowest precedence wins. Verification reads them from accountPurposeOther, legalMiddleName, streetLine2 and the description of a document.',
    isRead: true,
    output: (kit) => kit.z.strictObject({magic: kit.z.array(kit.createResult('MagicValue'))}),
    view: 'magic',
    list: 'magic',
    examples: {
      'List all magic values': 'svc sandbox magic',
      'Print the value for an issue code': `svc sandbox magic --jq '.magic[] | select(.code == "DOC_QUALITY_POOR").value'`,
    },
    run: (controls) => ({magic: controls.verification.magic()}),
  }),
}

export const money = {
  'accounts.add': op({
    says: 'Add a payment account to a customer',
    more: 'A bank account has a payment method (ACH), a wallet has a chain (BASE) and a currency (USDC), an automatic fiat account has a currency (USD).',
    input: {
      customerId: {...customer, says: 'Customer who owns the account'},
      type: {type: 'choice', says: 'Account type', choices: accountTypes, isRequired: true},
      method: {type: 'choice', says: 'Payment method of a bank account (ACH)', choices: fiatMethods},
      chain: {type: 'choice', says: 'Chain of a wallet (BASE)', choices: cryptoMethods},
      currency: {type: 'text', says: 'Currency, such as USDC or EUR'},
      nickname: {type: 'text', says: 'Name of the account'},
      holder: {type: 'text', says: 'Holder of a bank account, such as a supplier or an employee (the customer)'},
      pending: {type: 'boolean', says: 'Create a bank account that is still waiting for its form'},
      balance: {type: 'amount', says: 'Initial balance of a service-managed wallet'},
    },
    output: accountSchema,
    view: 'account',
    examples: {
      'Add a wallet with 500 USDC': `svc sandbox accounts add --customer ${zoe} --type SVC_CRYPTO_WALLET --chain POLYGON --balance 500`,
      'Add the bank account of somebody whom the customer pays': `svc sandbox accounts add --customer ${zoe} --type EXTERNAL_BANK_ACCOUNT --method SEPA --holder 'Papier Vogel GmbH'`,
    },
    run: (controls, order) => controls.money.addAccount(order),
  }),

  'accounts.list': op({
    says: 'List a customer’s payment accounts, with balances',
    isRead: true,
    input: {customerId: {...customer, says: 'Customer whose accounts to list'}},
    output: (kit) => kit.z.strictObject({paymentAccounts: kit.z.array(accountSchema(kit))}),
    view: 'account',
    list: 'paymentAccounts',
    examples: {
      'List accounts and balances': `svc sandbox accounts list --customer ${zoe}`,
      'List the links to forms of pending accounts': `svc sandbox accounts list --customer ${zoe} --columns nickname,link`,
    },
    run: (controls, {customerId}) => ({paymentAccounts: controls.money.accounts(customerId)}),
  }),

  fund: op({
    says: 'Simulate an incoming transfer',
    more: 'For a service-managed wallet, adds the amount to the balance and prints the account. For any other account, the amount must be exactly what an AWAITING_TRANSFER transaction waits for; the oldest such transaction moves to PROCESSING and is printed.',
    input: {
      paymentAccountId: {
        type: 'text',
        says: 'ID of the payment account, or its first 8 or more characters',
        flag: 'account',
        isRequired: true,
        isArgument: true,
        finds: 'account',
      },
      amount: {type: 'amount', says: 'Amount, such as 100.50', isRequired: true},
      currency: {type: 'text', says: 'Currency (USDC for a wallet, otherwise that of the account)'},
    },
    output: (kit) => kit.z.union([accountSchema(kit), kit.transaction]),
    view: 'account',
    examples: {
      'Add money to a wallet': `svc sandbox fund ${wallet} --amount 100`,
      'Send the transfer that a transaction waits for': `svc sandbox fund ${deposits} --amount 120`,
    },
    run: (controls, {paymentAccountId, amount, currency}) => controls.money.fund(paymentAccountId, amount, currency),
  }),

  settle: op({
    says: 'Force the outcome of a transaction',
    more: 'The transaction passes through every state on the way: a transfer it waits for arrives first, and is returned if the transaction fails or is cancelled. Only a transaction that is AWAITING_TRANSFER can expire.',
    input: {
      transactionId: {
        type: 'text',
        says: 'ID of the transaction, its first 8 or more characters, or the key of a payment in the journal',
        flag: 'transaction',
        isRequired: true,
        isArgument: true,
        finds: 'transaction',
      },
      outcome: {type: 'choice', says: 'Outcome of the transaction', choices: settlements, isRequired: true},
    },
    output: ({transaction}) => transaction,
    view: 'transaction',
    examples: {
      'Complete a transaction': `svc sandbox settle ${processing} --outcome completed`,
      'Let a transaction expire': `svc sandbox settle ${awaiting} --outcome expired`,
    },
    run: (controls, {transactionId, outcome}) => controls.money.settle(transactionId, outcome),
  }),
}
