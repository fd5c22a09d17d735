// What can be done to the service on the console: to its time, its customers and their money.
import {accountTypes} from '../../contract/accounts.ts'
import {cryptoMethods, fiatMethods} from '../../contract/methods.ts'
import {ControlError} from '../control-error.ts'
import type {ForcedOutcome} from '../customers/controls.ts'
import type {SettlementOutcome} from '../money/controls.ts'
import {type SectionAction, choiceField, wholeNumber, textField, checkboxField, required} from './action.ts'
import {durationPattern, durationRule, parseDurationMs, parseNumber} from './action-fields.ts'

const customer = textField('customer', 'Customer', {...required, fromSelection: 'customer', rule: 'its id'})

const outcomesOfVerification: readonly ForcedOutcome[] = [
  'approved',
  'needs-information',
  'rejected',
  'deactivated',
  'manual-review',
]
const outcomesOfMoney: readonly SettlementOutcome[] = ['completed', 'failed', 'cancelled', 'expired']

const customersDefault = 24
const customersMax = 100_000

export const time: readonly SectionAction[] = [
  {
    command: 'clock advance',
    submitLabel: 'Advance',
    doneMessage: 'Time has passed.',
    fields: [textField('duration', 'By how long', {...required, pattern: durationPattern, rule: durationRule})],
    run: ({clock}, {duration = ''}) => clock.advance(parseDurationMs(duration)),
  },
  {
    command: 'clock to-next',
    submitLabel: 'To what is next',
    doneMessage: 'The clock went to what was next.',
    fields: [],
    run: ({clock}) => clock.toNext(),
  },
  {
    command: 'clock until-idle',
    submitLabel: 'Until idle',
    doneMessage: 'Nothing waits but rules and webhooks.',
    fields: [],
    run: ({clock}) => clock.untilIdle(),
  },
  {
    command: 'clock freeze',
    submitLabel: 'Freeze',
    doneMessage: 'The clock stands still.',
    immediateLabel: 'Freeze now',
    fields: [textField('at', 'Frozen at', {rule: 'now, or a later instant such as 2030-01-01T00:00:00Z'})],
    run: ({clock}, {at}) => clock.freeze(at === undefined ? undefined : new Date(at)),
  },
  {command: 'clock run', submitLabel: 'Run', doneMessage: 'The clock runs.', fields: [], run: ({clock}) => clock.run()},
]

export const customers: readonly SectionAction[] = [
  {
    command: 'verify',
    submitLabel: 'Decide',
    doneMessage: 'Verification came to that outcome.',
    fields: [
      customer,
      choiceField('outcome', 'Outcome', outcomesOfVerification, required),
      textField('code', 'Issue codes', {rule: 'with needs-information and rejected; several with commas'}),
      textField('message', 'What the issues say'),
    ],
    run({verification}, {customer: id = '', outcome, code, message}) {
      const codes = code?.split(/[\s,]+/).filter((each) => each !== '')
      verification.force(id, {outcome: outcome as ForcedOutcome, message, ...(codes && {codes})})
    },
  },
  {
    command: 'seed',
    submitLabel: 'Add customers',
    doneMessage: 'Invented customers were added.',
    fields: [
      textField('customers', 'How many', {...wholeNumber, rule: `a whole number; ${customersDefault} if left out`}),
    ],
    run(controls, {customers: count}) {
      const wantedCount = parseNumber(count) ?? customersDefault
      if (wantedCount > customersMax) throw new ControlError(`Here up to ${customersMax} are added at once`)
      controls.seedCustomers(wantedCount)
    },
  },
]

export const accounts: readonly SectionAction[] = [
  {
    command: 'fund',
    submitLabel: 'Let money arrive',
    doneMessage: 'The money has arrived.',
    fields: [
      textField('account', 'Account', {...required, fromSelection: 'account', rule: 'its id'}),
      textField('amount', 'Amount', {...required, rule: 'such as 100.50'}),
      textField('currency', 'Currency', {rule: 'USDC in a wallet, else that of the account'}),
    ],
    run: ({money}, {account = '', amount = '', currency}) => money.fund(account, amount, currency),
  },
  {
    command: 'accounts add',
    submitLabel: 'Add the account',
    doneMessage: 'The account was added.',
    fields: [
      customer,
      choiceField('type', 'Kind', accountTypes, required),
      choiceField('method', 'Rail of a bank account', fiatMethods),
      choiceField('chain', 'Network of a wallet', cryptoMethods),
      textField('currency', 'Currency', {rule: 'such as USDC or EUR'}),
      textField('nickname', 'Called'),
      textField('balance', 'Holds from the start', {rule: 'a service-managed wallet only'}),
      checkboxField('pending', 'Waits for its form'),
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
    submitLabel: 'Settle',
    doneMessage: 'The transaction came to that outcome.',
    fields: [
      textField('transaction', 'Transaction', {...required, fromSelection: 'transaction', rule: 'its id'}),
      choiceField('outcome', 'Outcome', outcomesOfMoney, required),
    ],
    run: ({money}, {transaction = '', outcome}) => money.settle(transaction, outcome as SettlementOutcome),
  },
]
