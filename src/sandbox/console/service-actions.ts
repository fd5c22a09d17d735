// The console's actions on the service: its clock, its customers and their money.
import {accountTypes} from '../../contract/accounts.ts'
import {cryptoMethods, fiatMethods} from '../../contract/payment-methods.ts'
import {ControlError} from '../operations/control-error.ts'
import type {ForcedOutcome} from '../service/customers/controls.ts'
import type {SettlementOutcome} from '../service/money/controls.ts'
import {type SectionAction, choiceField, wholeNumber, textField, checkboxField, required} from './action.ts'
import {durationPattern, durationRule, parseDurationMs, parseNumber} from './action-fields.ts'

const customer = textField('customer', 'Customer', {...required, fromSelection: 'customer', rule: 'its ID'})

const verificationOutcomes: readonly ForcedOutcome[] = [
  'approved',
  'needs-information',
  'rejected',
  'deactivated',
  'manual-review',
]
const settlementOutcomes: readonly SettlementOutcome[] = ['completed', 'failed', 'cancelled', 'expired']

const customersDefault = 24
const customersMax = 100_000

export const time: readonly SectionAction[] = [
  {
    command: 'clock advance',
    submitLabel: 'Advance the clock',
    doneMessage: 'The clock was advanced.',
    fields: [textField('duration', 'Duration', {...required, pattern: durationPattern, rule: durationRule})],
    run: ({clock}, {duration = ''}) => clock.advance(parseDurationMs(duration)),
  },
  {
    command: 'clock to-next',
    submitLabel: 'Advance to the next task',
    doneMessage: 'The clock was advanced to the next task.',
    fields: [],
    run: ({clock}) => clock.toNext(),
  },
  {
    command: 'clock until-idle',
    submitLabel: 'Advance until idle',
    doneMessage: 'Only rules and webhooks are waiting now.',
    fields: [],
    run: ({clock}) => clock.untilIdle(),
  },
  {
    command: 'clock freeze',
    submitLabel: 'Freeze',
    doneMessage: 'The clock is frozen.',
    immediateLabel: 'Freeze now',
    fields: [textField('at', 'Freeze at', {rule: 'now if empty, or a later time such as 2030-01-01T00:00:00Z'})],
    run: ({clock}, {at}) => clock.freeze(at === undefined ? undefined : new Date(at)),
  },
  {
    command: 'clock run',
    submitLabel: 'Run',
    doneMessage: 'The clock is running.',
    fields: [],
    run: ({clock}) => clock.run(),
  },
]

export const customers: readonly SectionAction[] = [
  {
    command: 'verify',
    submitLabel: 'Force outcome',
    doneMessage: 'The outcome of the verification was set.',
    fields: [
      customer,
      choiceField('outcome', 'Outcome', verificationOutcomes, required),
      textField('code', 'Issue codes', {rule: 'for needs-information and rejected, separated by commas'}),
      textField('message', 'Message of the issues'),
    ],
    run({verification}, {customer: id = '', outcome, code, message}) {
      const codes = code?.split(/[\s,]+/).filter((each) => each !== '')
      verification.force(id, {outcome: outcome as ForcedOutcome, message, ...(codes && {codes})})
    },
  },
  {
    command: 'seed',
    submitLabel: 'Add customers',
    doneMessage: 'Demo customers were added.',
    fields: [textField('customers', 'Number', {...wholeNumber, rule: `a whole number; ${customersDefault} if empty`})],
    run(controls, {customers: count}) {
      const customerCount = parseNumber(count) ?? customersDefault
      if (customerCount > customersMax) throw new ControlError(`At most ${customersMax} customers can be added at once`)
      controls.seedCustomers(customerCount)
    },
  },
]

export const accounts: readonly SectionAction[] = [
  {
    command: 'fund',
    submitLabel: 'Deposit money',
    doneMessage: 'The money has arrived.',
    fields: [
      textField('account', 'Account', {...required, fromSelection: 'account', rule: 'its ID'}),
      textField('amount', 'Amount', {...required, rule: 'such as 100.50'}),
      textField('currency', 'Currency', {rule: 'USDC for a wallet, otherwise that of the account, if empty'}),
    ],
    run: ({money}, {account = '', amount = '', currency}) => money.fund(account, amount, currency),
  },
  {
    command: 'accounts add',
    submitLabel: 'Add account',
    doneMessage: 'The account was added.',
    fields: [
      customer,
      choiceField('type', 'Type', accountTypes, required),
      choiceField('method', 'Rail of a bank account', fiatMethods),
      choiceField('chain', 'Network of a wallet', cryptoMethods),
      textField('currency', 'Currency', {rule: 'such as USDC or EUR'}),
      textField('nickname', 'Nickname'),
      textField('balance', 'Initial balance', {rule: 'service-managed wallets only'}),
      checkboxField('pending', 'Pending until its form is filled in'),
    ],
    run({money}, {customer: customerId = '', type, pending, ...rest}) {
      const {method, chain, currency, nickname, balance} = rest
      const order = {customerId, type: type as (typeof accountTypes)[number], pending: pending !== undefined}
      money.addAccount({...order, method, chain, currency, nickname, balance})
    },
  },
]

export const transactions: readonly SectionAction[] = [
  {
    command: 'settle',
    submitLabel: 'Force outcome',
    doneMessage: 'The outcome of the transaction was set.',
    fields: [
      textField('transaction', 'Transaction', {...required, fromSelection: 'transaction', rule: 'its ID'}),
      choiceField('outcome', 'Outcome', settlementOutcomes, required),
    ],
    run: ({money}, {transaction = '', outcome}) => money.settle(transaction, outcome as SettlementOutcome),
  },
]
