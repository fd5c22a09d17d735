// Compares what a scenario expects with what the sandbox has. It looks without sending requests, so that no fault acts on it.
import {normalizeAmount} from '../../values/money.ts'
import {type Expectation, type Subject, expectationSchemas} from './expectation-schemas.ts'
import {type Stage, StepFailure} from './stage.ts'

interface Comparison {
  // What is compared, such as "the status of the customer".
  what: string
  expected: string
  found: string
}

type Comparisons = {[S in Subject]: (stage: Stage, expectation: Expectation<S>) => Comparison[]}

const none = 'none'

const listCodes = (codes: readonly string[]) => codes.toSorted().join(', ') || none

const eventsMax = 100_000

interface EventBody {
  data?: {customerStatus?: string}
}

function countEvents({sandbox}: Stage, {event, of, status, delivered}: Expectation<'event'>): number {
  const {events} = sandbox.webhooks.events({customerId: of, limit: eventsMax})
  return events.filter((each) => {
    if (each.type !== event) return false
    if (status !== undefined && (JSON.parse(each.body) as EventBody).data?.customerStatus !== status) return false
    return delivered === undefined || delivered === (each.deliveries > 0 && each.delivered === each.deliveries)
  }).length
}

function describeEvents({event, of, status, delivered}: Expectation<'event'>): string {
  const parts = [status && `with ${status}`, of && 'of the customer', delivered === true && 'delivered']
  const words = ['events', event, ...parts, delivered === false && 'not delivered'].filter(Boolean)
  return `the number of ${words.join(' ')}`
}

const toWords = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

// Amounts are equal if their values are: 400 is 400.00.
const areEqual = (expected: string, found: string) =>
  expected === found || normalizeAmount(expected) === normalizeAmount(found)

const comparisons: Comparisons = {
  customer({sandbox}, {customer: id, status, issues}) {
    const customer = sandbox.scenarios.readCustomer(id)
    const codes = customer?.verificationIssues?.map(({code}) => code) ?? []
    const found = customer?.customerStatus ?? 'no such customer'
    return [
      ...(status === undefined ? [] : [{what: 'the status of the customer', expected: status, found}]),
      ...(issues === undefined ? [] : [{what: 'its issues', expected: listCodes(issues), found: listCodes(codes)}]),
    ]
  },
  transaction({sandbox}, {transaction: id, status}) {
    const found = sandbox.scenarios.readTransaction(id)?.transactionStatus ?? 'no such transaction'
    return [{what: 'the status of the transaction', expected: status, found}]
  },
  balance({sandbox}, {balance: id, currency, is}) {
    const found = sandbox.money.balance(id, currency) ?? `an account that holds no ${currency}`
    return [{what: `the balance in ${currency}`, expected: is, found}]
  },
  count({sandbox}, {count: what, of, status, is}) {
    const found = sandbox.scenarios.count(what, {of, status})
    const which = status === undefined ? what : `${what} with ${status}`
    return [{what: `the number of ${which}`, expected: String(is), found: String(found)}]
  },
  event(stage, expectation) {
    const {times} = expectation
    const found = countEvents(stage, expectation)
    const expected = times === undefined ? (found > 0 ? String(found) : 'at least 1') : String(times)
    return [{what: describeEvents(expectation), expected, found: String(found)}]
  },
  rule({sandbox}, {rule: id, fired}) {
    const found = sandbox.scenarios.countFirings(id)
    return [
      {
        what: 'how often the rule fired',
        expected: String(fired),
        found: found === undefined ? 'no such rule' : String(found),
      },
    ]
  },
  fault({sandbox}, {fault: id, acted}) {
    const found = sandbox.faults.list().find(({faultId}) => faultId === id)
    return [
      {
        what: 'how often the fault acted',
        expected: String(acted),
        found: found ? String(found.acted) : 'no such fault',
      },
    ]
  },
  value(_, {value, is}) {
    return [{what: 'the value', expected: toWords(is), found: toWords(value)}]
  },
  time({sandbox}, {time}) {
    const found = new Date(sandbox.clock.status().now).toISOString()
    return [{what: 'the time of the sandbox', expected: time.toISOString(), found}]
  },
}

// The fields are as in the file, with their references resolved. Throws at the first difference.
export function checkExpectation(stage: Stage, subject: Subject, fields: unknown, line: number): void {
  const parsed = expectationSchemas[subject].safeParse(fields)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new StepFailure(`a valid ${issue?.path.join('.') ?? ''}`, issue?.message ?? '', line)
  }
  const compare = comparisons[subject] as (stage: Stage, expectation: unknown) => Comparison[]
  const different = compare(stage, parsed.data).find(({expected, found}) => !areEqual(expected, found))
  if (different) throw new StepFailure(`${different.what} to be ${different.expected}`, different.found, line)
}
