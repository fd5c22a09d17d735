// The operations on customers and their money.
import {accountTypes, cryptoMethods, fiatMethods} from '../../contract/vocabulary.ts'
import {type Outcome, verificationOutcomes} from '../service/customers/outcomes.ts'
import {settlements} from '../service/faults/behaviour-table.ts'
import {defineOperation, defineSchema} from './define.ts'

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

const customer = {
  type: 'text',
  isRequired: true,
  name: 'customer',
  refersTo: 'customer',
} as const

const customerFlag = {...customer, helpValue: 'ID|EMAIL'} as const

export const verification = {
  verify: defineOperation({
    summary: 'Force the outcome of a verification',
    input: {
      customerId: {
        ...customer,
        summary: 'ID of the customer, its first 8 or more characters, or the email',
        isArgument: true,
      },
      outcome: {
        type: 'choice',
        choices: Object.keys(verificationOutcomes) as Outcome[],
        isRequired: true,
        summary: 'Outcome of the verification',
        isFlagRequired: true,
      },
      codes: {
        type: 'texts',
        description: 'Issue codes for needs-information or rejected',
        name: 'code',
        summary: 'Issue code for needs-information or rejected; repeatable (VERIFICATION_ISSUE)',
        helpValue: 'CODE',
      },
      message: {
        type: 'text',
        min: 0,
        description: 'Message of the issues, instead of the meaning of their codes',
        summary: 'Message of the issues, instead of the meaning of their codes',
        helpValue: 'TEXT',
      },
    },
    examples: [{customerId: zoe, outcome: 'deactivated'}],
    output: ({customer: schema}) => schema,
    command: {
      summary: 'Force the outcome of a customer’s verification',
      description:
        'Starts a review if none is in progress. Only an ACTIVE customer can be deactivated; REJECTED and DEACTIVATED are final. A manual review ends with approval after three days.',
      examples: {
        'Approve a customer': `svc sandbox verify ${someone} --outcome approved`,
        'Request corrections, with two issues': `svc sandbox verify ${someone} --outcome needs-information --code DOC_QUALITY_POOR --code DOCUMENT_EXPIRED`,
      },
      exits: ['usage', 'notFound'],
      view: 'customer',
    },
    run: (controls, {customerId, codes, ...forced}) =>
      controls.verification.force(customerId, {...forced, ...(codes && {codes})}),
  }),

  magic: defineOperation({
    isRead: true,
    summary: 'List the magic values',
    input: {},
    output: (kit) => kit.z.strictObject({magic: kit.z.array(kit.createResult('MagicValue'))}),
    command: {
      summary: 'List the magic values of the sandbox',
      description:
        'A magic value is text in an ordinary field that selects an outcome. It affects only the submission that contains it, so a correction without it succeeds. A field may contain several; the one with the lowest precedence wins. Verification reads them from accountPurposeOther, legalMiddleName, streetLine2 and the description of a document.',
      examples: {
        'List all magic values': 'svc sandbox magic',
        'Print the value for an issue code': `svc sandbox magic --jq '.magic[] | select(.code == "DOC_QUALITY_POOR").value'`,
      },
      view: 'magic',
      list: 'magic',
      isSortable: true,
    },
    run: (controls) => ({magic: controls.verification.magic()}),
  }),
}

export const money = {
  'accounts.add': defineOperation({
    summary: 'Add a payment account to a customer',
    input: {
      customerId: {...customerFlag, summary: 'Customer who owns the account'},
      type: {
        type: 'choice',
        choices: accountTypes,
        isRequired: true,
        summary: 'Account type',
      },
      method: {
        type: 'choice',
        choices: fiatMethods,
        description: 'Payment method of a bank account; ACH by default',
        summary: 'Payment method of a bank account (ACH)',
      },
      chain: {
        type: 'choice',
        choices: cryptoMethods,
        description: 'Chain of a wallet; BASE by default',
        summary: 'Chain of a wallet (BASE)',
      },
      currency: {
        type: 'text',
        summary: 'Currency, such as USDC or EUR',
        helpValue: 'LABEL',
      },
      nickname: {type: 'text', summary: 'Name of the account', helpValue: 'TEXT'},
      holder: {
        type: 'text',
        description: 'Holder of a bank account, if that is not the customer',
        summary: 'Holder of a bank account, such as a supplier or an employee (the customer)',
        helpValue: 'NAME',
      },
      pending: {
        type: 'boolean',
        description: 'A bank account that is still waiting for its form',
        summary: 'Create a bank account that is still waiting for its form',
      },
      balance: {
        type: 'amount',
        description: 'Initial balance of a service-managed wallet',
        summary: 'Initial balance of a service-managed wallet',
        helpValue: 'AMOUNT',
      },
    },
    examples: [
      {customerId: zoe, type: 'SVC_CRYPTO_WALLET', chain: 'POLYGON', balance: '5'},
      {customerId: zoe, type: 'EXTERNAL_BANK_ACCOUNT', method: 'SEPA', pending: true},
    ],
    output: accountSchema,
    command: {
      description:
        'A bank account has a payment method (ACH), a wallet has a chain (BASE) and a currency (USDC), an automatic fiat account has a currency (USD).',
      examples: {
        'Add a wallet with 500 USDC': `svc sandbox accounts add --customer ${zoe} --type SVC_CRYPTO_WALLET --chain POLYGON --balance 500`,
        'Add the bank account of somebody whom the customer pays': `svc sandbox accounts add --customer ${zoe} --type EXTERNAL_BANK_ACCOUNT --method SEPA --holder 'Papier Vogel GmbH'`,
        'Add a bank account whose form is not filled in yet': `svc sandbox accounts add --customer ${zoe} --type EXTERNAL_BANK_ACCOUNT --method SEPA --pending`,
      },
      exits: ['usage', 'notFound'],
      view: 'account',
    },
    run: (controls, order) => controls.money.addAccount(order),
  }),

  'accounts.list': defineOperation({
    isRead: true,
    summary: 'List payment accounts, with balances',
    input: {customerId: {...customerFlag, summary: 'Customer whose accounts to list'}},
    examples: [{customerId: zoe}],
    output: (kit) => kit.z.strictObject({paymentAccounts: kit.z.array(accountSchema(kit))}),
    command: {
      summary: 'List a customer’s payment accounts, with balances',
      examples: {
        'List accounts and balances': `svc sandbox accounts list --customer ${zoe}`,
        'List the links to forms of pending accounts': `svc sandbox accounts list --customer ${zoe} --columns nickname,link`,
      },
      view: 'account',
      list: 'paymentAccounts',
      isSortable: true,
    },
    run: (controls, {customerId}) => ({paymentAccounts: controls.money.accounts(customerId)}),
  }),

  fund: defineOperation({
    summary: 'Simulate an incoming transfer',
    input: {
      paymentAccountId: {
        type: 'id',
        isRequired: true,
        name: 'account',
        summary: 'ID of the payment account, or its first 8 or more characters',
        isArgument: true,
        refersTo: 'account',
      },
      amount: {
        type: 'amount',
        isRequired: true,
        summary: 'Amount, such as 100.50',
        isFlagRequired: true,
        helpValue: 'AMOUNT',
      },
      currency: {
        type: 'text',
        summary: 'Currency (USDC for a wallet, otherwise that of the account)',
        helpValue: 'LABEL',
      },
    },
    examples: [
      {paymentAccountId: wallet, amount: '100.50'},
      {paymentAccountId: deposits, amount: '120'},
    ],
    output: (kit) => kit.z.union([accountSchema(kit), kit.transaction]),
    command: {
      description:
        'For a service-managed wallet, adds the amount to the balance and prints the account. For any other account, the amount must be exactly what an AWAITING_TRANSFER transaction waits for; the oldest such transaction moves to PROCESSING and is printed.',
      examples: {
        'Add money to a wallet': `svc sandbox fund ${wallet} --amount 100`,
        'Send the transfer that a transaction waits for': `svc sandbox fund ${deposits} --amount 120`,
      },
      exits: ['usage', 'notFound'],
      view: 'account',
    },
    run: (controls, {paymentAccountId, amount, currency}) => controls.money.fund(paymentAccountId, amount, currency),
  }),

  settle: defineOperation({
    summary: 'Force the outcome of a transaction',
    input: {
      transactionId: {
        type: 'text',
        isRequired: true,
        name: 'transaction',
        summary: 'ID of the transaction, its first 8 or more characters, or the key of a payment in the journal',
        isArgument: true,
        refersTo: 'transaction',
      },
      outcome: {
        type: 'choice',
        choices: settlements,
        isRequired: true,
        summary: 'Outcome of the transaction',
        isFlagRequired: true,
      },
    },
    examples: [{transactionId: processing, outcome: 'failed'}],
    output: ({transaction}) => transaction,
    command: {
      description:
        'The transaction passes through every state on the way: a transfer it waits for arrives first, and is returned if the transaction fails or is cancelled. Only a transaction that is AWAITING_TRANSFER can expire.',
      examples: {
        'Complete a transaction': `svc sandbox settle ${processing} --outcome completed`,
        'Let a transaction expire': `svc sandbox settle ${awaiting} --outcome expired`,
      },
      exits: ['usage', 'notFound'],
      view: 'transaction',
    },
    run: (controls, {transactionId, outcome}) => controls.money.settle(transactionId, outcome),
  }),
}
