// A healthy service for `svc doctor`, in which a test can break one thing, and the result of a run.
import type http from 'node:http'
import {type ReceivedRequest, customer, customerId, reply, serve} from '../support/service.ts'
import {type RunResult, type Home, json, run} from '../support/svc.ts'

const usd = {label: 'USD'}
const fee = {feeAmount: '1.00', feeUSDAmount: '1.00'}

export const account = {
  paymentAccountId: 'acc_1',
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  customerId: customerId(1),
  paymentAccountStatus: 'ACTIVE',
  externalBankAccount: {bankAccountPaymentMethod: 'ACH', bankAccountCurrency: usd},
}

export const transaction = (number: number) => ({
  transactionId: customerId(100 + number),
  customerId: customerId(1),
  quoteId: `quote_${number}`,
  transactionStatus: 'COMPLETED',
  source: {
    sourcePaymentAccountId: 'acc_1',
    sourceCurrency: usd,
    sourcePaymentMethod: 'ACH',
    sourceAmount: '10.00',
  },
  destination: {destinationPaymentAccountId: 'acc_2', destinationPaymentMethod: 'BASE', destinationCurrency: usd},
  fees: {feeCurrency: usd, svcFee: fee, developerFee: fee},
  createdAt: '2026-11-01T12:00:00Z',
  updatedAt: '2026-11-01T12:00:00Z',
})

export const customers = [1, 2, 3, 4, 5].map((number) => customer(number))

// The page of a list that starts at the index in its token.
export function toPage(key: string, items: readonly unknown[], {query}: ReceivedRequest): Record<string, unknown> {
  const start = Number(query.get('pageToken') ?? 0)
  const end = start + Number(query.get('pageSize') ?? 10)
  return {[key]: items.slice(start, end), ...(end < items.length && {nextPageToken: String(end)})}
}

const transactions = [1, 2, 3].map(transaction)

function answerHealthily(request: ReceivedRequest): unknown {
  if (request.path === '/customers') return toPage('customers', customers, request)
  if (request.path === '/transactions') return toPage('transactions', transactions, request)
  if (request.path === '/payment-accounts') return {paymentAccounts: [account]}
  if (request.path === '/automation-rules') return {automationRules: []}
  if (request.path.startsWith('/customer')) return customer(1, {availablePaymentMethods: ['ACH', 'BASE']})
  return undefined
}

// Returns true if the test answered the request itself.
type Override = (request: ReceivedRequest, response: http.ServerResponse) => boolean

export const serveForDoctor = (override: Override = () => false) =>
  serve((request, response) => {
    if (!override(request, response)) reply(response, 200, answerHealthily(request))
  })

// Answers one path with this body, and all others like a healthy service.
export const overridePath =
  (path: string, body: unknown, status = 200): Override =>
  (request, response) => {
    if (request.path !== path) return false
    reply(response, status, body)
    return true
  }

interface Row {
  check: string
  outcome: string
  found: string
  next?: string
  drift?: Array<{path: string; kind: string; count: number; detail: string}>
}

export interface DoctorRun extends RunResult {
  healthy: boolean
  row: (check: string) => Row
  // The checks that are not ok, with their outcome.
  notOk: Record<string, string>
}

export async function runDoctor(home: Home, env: Record<string, string> = {}, ...args: string[]): Promise<DoctorRun> {
  const ended = await run(home, ['doctor', '--json', ...args], {env})
  const {healthy, checks} = json(ended.out) as unknown as {healthy: boolean; checks: Row[]}
  const row = (check: string) => {
    const found = checks.find((each) => each.check === check)
    if (!found) throw new Error(`no row ${check} in ${ended.out}`)
    return found
  }
  const notOk = Object.fromEntries(
    checks.filter(({outcome}) => outcome !== 'ok').map(({check, outcome}) => [check, outcome]),
  )
  return {...ended, healthy, row, notOk}
}
