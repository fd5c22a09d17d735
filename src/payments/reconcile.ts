// Compares the journal with the service's list: what only one of them has, what differs, and what is stuck.
import {SvcError} from '../errors.ts'
import {toInstantMs} from '../validation/instants.ts'
import {describeDifferences, getPaymentIds} from './find-transaction.ts'
import {type Payment, getLastAttempt, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {listLagMaxMs} from './settle.ts'

type FindingKind =
  // svc made it, and this journal does not know it, or says otherwise.
  | 'NOT_IN_JOURNAL'
  // Not made by svc, as far as can be seen.
  | 'FOREIGN'
  // The journal has it as made, and the service does not list it.
  | 'NOT_AT_SERVICE'
  // The service has more than one transaction for the payment.
  | 'SEVERAL'
  // The service has another amount, currency or destination.
  | 'DIFFERS'
  // Whether it was made is not known.
  | 'UNSETTLED'
  // The transaction has not moved for too long.
  | 'STUCK'

export interface Finding {
  kind: FindingKind
  key?: string
  transactionId?: string
  detail: string
  next: string
}

// A process that works on a payment writes more often than this (docs/assumptions.md, P10).
const workingMaxMs = 2 * 60_000
// A bank may take three working days, with a weekend in between (docs/assumptions.md, P10).
const movingMaxMs = 5 * 24 * 3_600_000
// What was to be sent by then did not come, and the service says nothing of it.
const overdueMaxMs = 3_600_000

// What svc pay and svc payouts put there; nobody else writes it.
const correlationIdOfSvc = /^svc_[0-9a-f]{40}$/

export interface Scope {
  sinceMs: number
  customerId?: string | undefined
  isForeignShown: boolean
  // The service's time at the earliest, when its list was begun to be read; and this machine's.
  serverMs: number
  wallMs: number
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '')

// What cannot be read counts as recent: nothing is passed over in silence.
const isSince = (text: unknown, sinceMs: number) => (toInstantMs(text) ?? Number.POSITIVE_INFINITY) >= sinceMs

const getTime = ({madeAt, attempts, updatedAt}: Payment) => madeAt ?? attempts.at(-1)?.armedAt ?? updatedAt

// Those of the journal that the scope concerns.
const isInScope = (payment: Payment, {sinceMs, customerId}: Scope) =>
  (getTime(payment) >= sinceMs || payment.createdAt >= sinceMs) &&
  (customerId === undefined || payment.content.customerId.toLowerCase() === customerId.toLowerCase())

function checkPayment(payment: Payment, ours: readonly Fields[], scope: Scope): Finding[] {
  const {key, state, transactionId = '', updatedAt} = payment
  const ids = ours.map((one) => toText(one['transactionId']))
  const show = `See \`svc journal show ${key}\``
  if (ours.length > 1) {
    return [{kind: 'SEVERAL', key, detail: `transactions ${ids.join(', ')}`, next: `${show}, and ask the service`}]
  }
  const [transaction] = ours
  if (unsettledStates.includes(state)) {
    if (state === 'ARMED' && scope.wallMs - updatedAt < workingMaxMs) return []
    const {reason = 'the process that sent it ended before it had an answer'} = getLastAttempt(payment) ?? {}
    return [{kind: 'UNSETTLED', key, detail: `${state}: ${reason}`, next: `\`svc journal settle ${key}\``}]
  }
  if (state === 'CREATED' && !transaction) {
    if (scope.serverMs - getTime(payment) < listLagMaxMs) return []
    const detail = `made ${new Date(getTime(payment)).toISOString()}`
    return [{kind: 'NOT_AT_SERVICE', key, transactionId, detail, next: `${show}, and ask the service for it`}]
  }
  if (!transaction) return []
  if (state !== 'CREATED') {
    const [id = ''] = ids
    const next = `Run the payment again, which adopts it, or \`svc journal settle ${key} --adopt ${id}\``
    return [{kind: 'NOT_IN_JOURNAL', key, transactionId: id, detail: `the journal says ${state}`, next}]
  }
  const differences = describeDifferences(payment, transaction)
  if (differences.length === 0) return []
  return [{kind: 'DIFFERS', key, transactionId, detail: differences.join('; '), next: `${show}, and ask the service`}]
}

const unmovedStatuses = new Set(['CREATED', 'PROCESSING'])

function checkStuck(transaction: Fields, key: string | undefined, {serverMs}: Scope): Finding[] {
  const transactionId = toText(transaction['transactionId'])
  const status = toText(transaction['transactionStatus'])
  const about = {kind: 'STUCK' as const, ...(key !== undefined && {key}), transactionId}
  const next = `See \`svc transactions get ${transactionId}\`, and ask the service`
  const since = toInstantMs(transaction['updatedAt'])
  if (unmovedStatuses.has(status) && since !== undefined && serverMs - since > movingMaxMs) {
    return [{...about, detail: `${status} since ${toText(transaction['updatedAt'])}`, next}]
  }
  const until = toInstantMs(transaction['expiresAt'])
  if (status === 'AWAITING_TRANSFER' && until !== undefined && serverMs - until > overdueMaxMs) {
    return [{...about, detail: `${status} although it expired ${toText(transaction['expiresAt'])}`, next}]
  }
  return []
}

function checkUnownedTransaction(transaction: Fields, {isForeignShown}: Scope): Finding[] {
  const transactionId = toText(transaction['transactionId'])
  const made = toText(transaction['createdAt'])
  if (correlationIdOfSvc.test(toText(transaction['correlationId']))) {
    const next = 'Another journal has it, or this one was lost: running the payment again adopts it'
    return [{kind: 'NOT_IN_JOURNAL', transactionId, detail: `made ${made}`, next}]
  }
  if (!isForeignShown) return []
  return [{kind: 'FOREIGN', transactionId, detail: `made ${made}`, next: 'Made by a rule, another program or by hand'}]
}

interface Owned {
  payment: Payment
  transactions: Fields[]
}

export function compareWithService(
  payments: readonly Payment[],
  transactions: readonly Fields[],
  scope: Scope,
): Finding[] {
  const owned = new Map<Payment, Owned>(payments.map((payment) => [payment, {payment, transactions: []}]))
  const byId = Map.groupBy(payments, ({transactionId}) => transactionId)
  const byOurs = new Map(
    payments.flatMap((payment) => {
      const {quoteIds, correlationId} = getPaymentIds(payment)
      return [correlationId, ...quoteIds].map((name) => [name, payment] as const)
    }),
  )
  const found: Finding[] = []
  const seen = new Set<string>()
  for (const transaction of transactions) {
    const [id, quoteId, correlationId] = ['transactionId', 'quoteId', 'correlationId'].map((field) =>
      toText(transaction[field]),
    )
    if (id === undefined || seen.has(id)) continue
    seen.add(id)
    // It may be one payment by what it carries, and another by what a person has decided.
    const byMark = byOurs.get(correlationId ?? '') ?? byOurs.get(quoteId ?? '')
    const owners = new Set([...(byId.get(id) ?? []), ...(byMark ? [byMark] : [])])
    const [payment] = owners
    for (const owner of owners) owned.get(owner)?.transactions.push(transaction)
    if (!payment && isSince(transaction['createdAt'], scope.sinceMs))
      found.push(...checkUnownedTransaction(transaction, scope))
    const isShown = payment ?? (scope.isForeignShown && isSince(transaction['createdAt'], scope.sinceMs))
    if (isShown) found.push(...checkStuck(transaction, payment?.key, scope))
  }
  for (const {payment, transactions: ours} of owned.values()) {
    if (isInScope(payment, scope)) found.push(...checkPayment(payment, ours, scope))
  }
  return found
}

export function findingsError({length}: readonly Finding[]): SvcError | undefined {
  if (length === 0) return undefined
  return new SvcError({
    error: 'RECONCILE_FOUND',
    kind: 'finding',
    message: `The journal and the service do not agree in ${length === 1 ? 'one thing' : `${length} things`}`,
    hint: 'What to do about each stands beside it',
  })
}
