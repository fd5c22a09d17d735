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

const compareOne = (what: string, expected: unknown, found: unknown): Comparison[] => [
  {what, expected: String(expected), found: String(found)},
]

const comparisons: Comparisons = {
  customer({sandbox}, {customer: id, status, issues}) {
    const customer = sandbox.scenarios.readCustomer(id)
    const codes = customer?.verificationIssues?.map(({code}) => code) ?? []
    const found = customer?.customerStatus ?? 'no such customer'
    return [
      ...(status === undefined ? [] : compareOne('the status of the customer', status, found)),
      ...(issues === undefined ? [] : compareOne('its issues', listCodes(issues), listCodes(codes))),
    ]
  },
  transaction({sandbox}, {transaction: id, status}) {
    const found = sandbox.scenarios.readTransaction(id)?.transactionStatus ?? 'no such transaction'
    return compareOne('the status of the transaction', status, found)
  },
  balance({sandbox}, {balance: id, currency, is}) {
    const found = sandbox.money.balance(id, currency) ?? `an account that holds no ${currency}`
    return compareOne(`the balance in ${currency}`, is, found)
  },
  count({sandbox}, {count: what, of, status, is}) {
    const which = status === undefined ? what : `${what} with ${status}`
    return compareOne(`the number of ${which}`, is, sandbox.scenarios.count(what, {of, status}))
  },
  event(stage, expectation) {
    const found = countEvents(stage, expectation)
    const expected = expectation.times ?? (found > 0 ? found : 'at least 1')
    return compareOne(describeEvents(expectation), expected, found)
  },
  rule: ({sandbox}, {rule: id, fired}) =>
    compareOne('how often the rule fired', fired, sandbox.scenarios.countFirings(id) ?? 'no such rule'),
  fault({sandbox}, {fault: id, acted}) {
    const found = sandbox.faults.list().find(({faultId}) => faultId === id)
    return compareOne('how often the fault acted', acted, found?.acted ?? 'no such fault')
  },
  value: (_, {value, is}) => compareOne('the value', toWords(is), toWords(value)),
  time: ({sandbox}, {time}) =>
    compareOne('the time of the sandbox', time.toISOString(), new Date(sandbox.clock.status().now).toISOString()),
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
