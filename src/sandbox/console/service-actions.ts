// What can be done to the service on the console: to its time, its customers and their money.
import {accountTypes} from '../../contract/accounts.ts'
import {cryptoMethods, fiatMethods} from '../../contract/methods.ts'
import {ControlError} from '../control-error.ts'
import type {ForcedOutcome} from '../customers/controls.ts'
import type {SettlementOutcome} from '../money/controls.ts'
import {type ActionHere, choice, counted, text, tick, wanted} from './action.ts'
import {durationPattern, durationRule, msOf, numberOf} from './fields.ts'

const customer = text('customer', 'Customer', {...wanted, from: 'customer', rule: 'its id'})

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

export const time: readonly ActionHere[] = [
  {
    command: 'clock advance',
    submit: 'Advance',
    done: 'Time has passed.',
    fields: [text('duration', 'By how long', {...wanted, pattern: durationPattern, rule: durationRule})],
    run: ({clock}, {duration = ''}) => clock.advance(msOf(duration)),
  },
  {
    command: 'clock to-next',
    submit: 'To what is next',
    done: 'The clock went to what was next.',
    fields: [],
    run: ({clock}) => clock.toNext(),
  },
  {
    command: 'clock until-idle',
    submit: 'Until idle',
    done: 'Nothing waits but rules and webhooks.',
    fields: [],
    run: ({clock}) => clock.untilIdle(),
  },
  {
    command: 'clock freeze',
    submit: 'Freeze',
    done: 'The clock stands still.',
    atOnce: 'Freeze now',
    fields: [text('at', 'Frozen at', {rule: 'now, or a later instant such as 2030-01-01T00:00:00Z'})],
    run: ({clock}, {at}) => clock.freeze(at === undefined ? undefined : new Date(at)),
  },
  {command: 'clock run', submit: 'Run', done: 'The clock runs.', fields: [], run: ({clock}) => clock.run()},
]

export const customers: readonly ActionHere[] = [
  {
    command: 'verify',
    submit: 'Decide',
    done: 'Verification came to that outcome.',
    fields: [
      customer,
      choice('outcome', 'Outcome', outcomesOfVerification, wanted),
      text('code', 'Issue codes', {rule: 'with needs-information and rejected; several with commas'}),
      text('message', 'What the issues say'),
    ],
    run({verification}, {customer: id = '', outcome, code, message}) {
      const codes = code?.split(/[\s,]+/).filter((each) => each !== '')
      verification.force(id, {outcome: outcome as ForcedOutcome, message, ...(codes && {codes})})
    },
  },
  {
    command: 'seed',
    submit: 'Add customers',
    done: 'Invented customers were added.',
    fields: [text('customers', 'How many', {...counted, rule: `a whole number; ${customersDefault} if left out`})],
    run(controls, {customers: count}) {
      const wantedCount = numberOf(count) ?? customersDefault
      if (wantedCount > customersMax) throw new ControlError(`Here up to ${customersMax} are added at once`)
      controls.seedCustomers(wantedCount)
    },
  },
]

export const accounts: readonly ActionHere[] = [
  {
    command: 'fund',
    submit: 'Let money arrive',
    done: 'The money has arrived.',
    fields: [
      text('account', 'Account', {...wanted, from: 'account', rule: 'its id'}),
      text('amount', 'Amount', {...wanted, rule: 'such as 100.50'}),
      text('currency', 'Currency', {rule: 'USDC in a wallet, else that of the account'}),
    ],
    run: ({money}, {account = '', amount = '', currency}) => money.fund(account, amount, currency),
  },
  {
    command: 'accounts add',
    submit: 'Add the account',
    done: 'The account was added.',
    fields: [
      customer,
      choice('type', 'Kind', accountTypes, wanted),
      choice('method', 'Rail of a bank account', fiatMethods),
      choice('chain', 'Network of a wallet', cryptoMethods),
      text('currency', 'Currency', {rule: 'such as USDC or EUR'}),
      text('nickname', 'Called'),
      text('balance', 'Holds from the start', {rule: 'a service-managed wallet only'}),
      tick('pending', 'Waits for its form'),
    ],
    run({money}, {customer: customerId = '', type, pending, ...rest}) {
      const {method, chain, currency, nickname, balance} = rest
      const order = {customerId, type: type as (typeof accountTypes)[number], pending: pending !== undefined}
      money.addAccount({...order, method, chain, currency, nickname, balance})
    },
  },
]

export const transactions: readonly ActionHere[] = [
  {
    command: 'settle',
    submit: 'Settle',
    done: 'The transaction came to that outcome.',
    fields: [
      text('transaction', 'Transaction', {...wanted, from: 'transaction', rule: 'its id'}),
      choice('outcome', 'Outcome', outcomesOfMoney, wanted),
    ],
    run: ({money}, {transaction = '', outcome}) => money.settle(transaction, outcome as SettlementOutcome),
  },
]
