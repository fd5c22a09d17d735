// Compares the journal with the service's list: what only one of them has, what differs, what ended badly, and what is stuck.
import {type LooseTransaction, getCurrencyLabel, readCode} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {toInstantMs} from '../../values/time.ts'
import {describeDifferences, joinDifferences} from '../protocol/differences.ts'
import {getPaymentIds} from '../protocol/find-transaction.ts'
import {
  type Payment,
  getLastAttempt,
  isDerivedCorrelationId,
  readBadEnding,
  unsettledStates,
} from '../protocol/payment.ts'

// An array, or payments that are read when they are asked for.
export interface PaymentList extends Iterable<Payment> {
  readonly length: number
  at(index: number): Payment | undefined
}

type FindingKind =
  // svc created it, but this journal has no payment for it, or has the payment in another state.
  | 'NOT_IN_JOURNAL'
  // As far as can be seen, svc did not create it.
  | 'FOREIGN'
  // The journal says that it was made, but the service does not list it.
  | 'NOT_AT_SERVICE'
  // The service has more than one transaction for the payment.
  | 'SEVERAL'
  // The journal has the transaction under more than one key, so at most one of them was paid by it.
  | 'SHARED'
  // The service has something else than the content, the quote or the limits of the payment said.
  | 'DIFFERS'
  // The transaction failed, was cancelled or expired, so the money did not arrive.
  | 'ENDED_BADLY'
  // The outcome is unknown.
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

// A process that works on a payment writes to the journal more often than this (docs/assumptions.md, P10).
const workingMaxMs = 2 * 60_000
// A bank may take three working days with a weekend in between (docs/assumptions.md, P10).
const movingMaxMs = 5 * 24 * 3_600_000
// The service should expire a transfer that did not arrive by its deadline. This is how long it may take.
const overdueMaxMs = 3_600_000

export interface Scope {
  sinceMs: number
  customerId?: string | undefined
  isForeignShown: boolean
  // The earliest that the service's clock can have been when the read of its list started.
  serverMs: number
  // How long the service may take to list a transaction.
  listLagMaxMs: number
  // The clock of this machine.
  wallMs: number
}

// A time that cannot be read counts as recent, so that nothing is left out.
export const isSince = (time: unknown, sinceMs: number) => (toInstantMs(time) ?? Number.POSITIVE_INFINITY) >= sinceMs

const getTime = ({madeAt, attempts, updatedAt}: Payment) => madeAt ?? attempts.at(-1)?.armedAt ?? updatedAt

export const isInScope = (payment: Payment, {sinceMs, customerId}: Scope) =>
  (getTime(payment) >= sinceMs || payment.createdAt >= sinceMs) &&
  (customerId === undefined || payment.content.customerId.toLowerCase() === customerId.toLowerCase())

function checkPayment(payment: Payment, transactions: readonly LooseTransaction[], scope: Scope): Finding[] {
  const {key, state, transactionId = '', updatedAt} = payment
  const ids = transactions.map((transaction) => readText(transaction.transactionId))
  const show = `See \`svc journal show ${quoteForShell(key)}\``
  if (transactions.length > 1) {
    return [{kind: 'SEVERAL', key, detail: `transactions ${ids.join(', ')}`, next: `${show}, and ask the service`}]
  }
  const [transaction] = transactions
  if (unsettledStates.includes(state)) {
    if (state === 'ARMED' && scope.wallMs - updatedAt < workingMaxMs) return []
    const {reason = 'the process that sent it ended before it had an answer'} = getLastAttempt(payment) ?? {}
    return [
      {kind: 'UNSETTLED', key, detail: `${state}: ${reason}`, next: `\`svc journal settle ${quoteForShell(key)}\``},
    ]
  }
  if (state === 'CREATED' && !transaction) {
    if (scope.serverMs - getTime(payment) < scope.listLagMaxMs) return []
    const detail = `made ${new Date(getTime(payment)).toISOString()}`
    return [{kind: 'NOT_AT_SERVICE', key, transactionId, detail, next: `${show}, and ask the service for it`}]
  }
  if (!transaction) return []
  if (state !== 'CREATED') {
    const [id = ''] = ids
    const next = `Run the payment again, which adopts it, or \`svc journal settle ${quoteForShell(key)} --adopt ${quoteForShell(id)}\``
    return [{kind: 'NOT_IN_JOURNAL', key, transactionId: id, detail: `the journal says ${state}`, next}]
  }
  const differences = joinDifferences(describeDifferences(payment, transaction))
  return [
    ...checkEnding(payment, transaction),
    ...(differences === undefined
      ? []
      : [
          {
            kind: 'DIFFERS' as const,
            key,
            transactionId,
            detail: differences,
            next: `${show}, and ask the service`,
          },
        ]),
  ]
}

// A key keeps its transaction, so only another key can pay again.
function checkEnding({key, transactionId = ''}: Payment, transaction: LooseTransaction): Finding[] {
  const ending = readBadEnding(transaction)
  if (!ending) return []
  const detail = [ending, readText(transaction.updatedAt)].filter(Boolean).join(' since ')
  const next = `To pay it again, choose a new key. Once it is dealt with: \`svc journal settle ${quoteForShell(key)} --why TEXT\``
  return [{kind: 'ENDED_BADLY', key, transactionId, detail, next}]
}

const unmovedStatuses = new Set(['CREATED', 'PROCESSING'])

export function checkStuck(transaction: LooseTransaction, key: string | undefined, {serverMs}: Scope): Finding[] {
  const transactionId = readText(transaction.transactionId)
  const status = readText(transaction.transactionStatus).trim().toUpperCase()
  const finding = {kind: 'STUCK' as const, ...(key !== undefined && {key}), transactionId}
  const next = `See \`svc transactions get ${quoteForShell(transactionId)}\`, and ask the service`
  const updatedMs = toInstantMs(transaction.updatedAt)
  if (unmovedStatuses.has(status) && updatedMs !== undefined && serverMs - updatedMs > movingMaxMs) {
    return [{...finding, detail: `${status} since ${readText(transaction.updatedAt)}`, next}]
  }
  const expiresMs = toInstantMs(transaction.expiresAt)
  if (status === 'AWAITING_TRANSFER' && expiresMs !== undefined && serverMs - expiresMs > overdueMaxMs) {
    return [{...finding, detail: `${status} although it expired ${readText(transaction.expiresAt)}`, next}]
  }
  return []
}

function checkUnownedTransaction(transaction: LooseTransaction, {isForeignShown}: Scope): Finding[] {
  const {transactionStatus, source} = transaction
  const transactionId = readText(transaction.transactionId)
  const amount = [readText(source?.sourceAmount), readText(getCurrencyLabel(source?.sourceCurrency))].join(' ').trim()
  const detail = [amount, readCode(transactionStatus), `made ${readText(transaction.createdAt)}`]
    .filter(Boolean)
    .join(', ')
  if (isDerivedCorrelationId(transaction.correlationId)) {
    const next = 'Another journal has it, or this one was lost: running the payment again adopts it'
    return [{kind: 'NOT_IN_JOURNAL', transactionId, detail, next}]
  }
  if (!isForeignShown) return []
  return [{kind: 'FOREIGN', transactionId, detail, next: 'Made by a rule, another program or by hand'}]
}

// Finds the payments that a transaction belongs to, by their places in the list. The ids that it carries may point to one payment,
// and a person may have adopted it for another.
export function createOwnerLookup(payments: PaymentList): (transaction: LooseTransaction) => number[] {
  const byTransactionId = new Map<string, number | number[]>()
  const byPaymentId = new Map<string, number>()
  let place = 0
  for (const payment of payments) {
    const {transactionId} = payment
    const {quoteIds, correlationIds} = getPaymentIds(payment)
    for (const id of [...correlationIds, ...quoteIds]) byPaymentId.set(id, place)
    if (transactionId !== undefined) {
      const others = byTransactionId.get(transactionId)
      byTransactionId.set(transactionId, others === undefined ? place : [others, place].flat())
    }
    place++
  }
  return ({transactionId, quoteId, correlationId}) => {
    const byQuote = isDerivedCorrelationId(correlationId) ? undefined : byPaymentId.get(readText(quoteId))
    const byCarriedId = byPaymentId.get(readText(correlationId)) ?? byQuote
    const adopting = [byTransactionId.get(readText(transactionId)) ?? []].flat()
    return byCarriedId === undefined || adopting.includes(byCarriedId) ? adopting : [...adopting, byCarriedId]
  }
}

function checkShared(owners: readonly number[], {transactionId}: LooseTransaction, payments: PaymentList): Finding[] {
  const id = readText(transactionId)
  const keys = owners.flatMap((place) => {
    const payment = payments.at(place)
    return payment?.state === 'CREATED' && payment.transactionId === id ? [payment.key] : []
  })
  const [key] = keys
  if (key === undefined || keys.length === 1) return []
  const next = 'Ask the service which payment it is, and pay the others under new keys'
  return [{kind: 'SHARED', key, transactionId: id, detail: `one transaction under the keys ${keys.join(', ')}`, next}]
}

// Leaves out what a page repeats.
function* listOnce(transactions: Iterable<LooseTransaction>): Generator<LooseTransaction> {
  const seen = new Set<string>()
  for (const transaction of transactions) {
    const id = readText(transaction.transactionId)
    if (seen.has(id)) continue
    seen.add(id)
    yield transaction
  }
}

// What the service has for each payment. Of the transactions only the ids are kept, since there may be a great many.
class PaymentComparison {
  readonly #payments: PaymentList
  readonly #scope: Scope
  readonly #ids = new Map<number, string | string[]>()
  readonly #findings = new Map<number, Finding[]>()

  constructor(payments: PaymentList, scope: Scope) {
    this.#payments = payments
    this.#scope = scope
  }

  add(place: number, transaction: LooseTransaction): void {
    const known = this.#ids.get(place)
    const id = readText(transaction.transactionId)
    this.#ids.set(place, known === undefined ? id : [known, id].flat())
    if (known === undefined) this.#setFindings(place, [transaction])
  }

  // In the order of the payments.
  *listFindings(): Generator<Finding> {
    for (let place = 0; place < this.#payments.length; place++) {
      const ids = this.#ids.get(place)
      if (ids === undefined) this.#setFindings(place, [])
      if (Array.isArray(ids))
        this.#setFindings(
          place,
          ids.map((transactionId) => ({transactionId})),
        )
      yield* this.#findings.get(place) ?? []
    }
  }

  #setFindings(place: number, transactions: readonly LooseTransaction[]): void {
    const payment = this.#payments.at(place)
    if (!payment || !isInScope(payment, this.#scope)) return
    const findings = checkPayment(payment, transactions, this.#scope)
    if (findings.length > 0) this.#findings.set(place, findings)
    else this.#findings.delete(place)
  }
}

export function compareWithService(
  payments: PaymentList,
  transactions: Iterable<LooseTransaction>,
  scope: Scope,
): Finding[] {
  const comparison = new PaymentComparison(payments, scope)
  const findOwners = createOwnerLookup(payments)
  const findings: Finding[] = []
  for (const transaction of listOnce(transactions)) {
    const owners = findOwners(transaction)
    const [first] = owners
    for (const owner of owners) comparison.add(owner, transaction)
    findings.push(...checkShared(owners, transaction, payments))
    const isRecent = isSince(transaction.createdAt, scope.sinceMs)
    if (first === undefined && isRecent) findings.push(...checkUnownedTransaction(transaction, scope))
    const isShown = first !== undefined || (scope.isForeignShown && isRecent)
    if (!isShown || checkStuck(transaction, undefined, scope).length === 0) continue
    findings.push(...checkStuck(transaction, first === undefined ? undefined : payments.at(first)?.key, scope))
  }
  for (const finding of comparison.listFindings()) findings.push(finding)
  return findings
}

export function findingsError({length}: readonly Finding[]): SvcError | undefined {
  if (length === 0) return undefined
  return new SvcError({
    error: 'RECONCILE_FOUND',
    kind: 'finding',
    message: `The comparison found ${length === 1 ? 'one point that needs' : `${length} points that need`} attention`,
    hint: 'Each finding says what to do about it',
  })
}

// Says what a comparison without findings has compared, since an empty list alone proves nothing.
export function describeComparison(
  payments: PaymentList,
  transactions: Iterable<LooseTransaction>,
  scope: Scope,
): string {
  const findOwners = createOwnerLookup(payments)
  const ownersInList = new Set<number>()
  let recent = 0
  let foreign = 0
  for (const transaction of listOnce(transactions)) {
    const owners = findOwners(transaction)
    for (const owner of owners) ownersInList.add(owner)
    if (!isSince(transaction.createdAt, scope.sinceMs)) continue
    recent++
    if (owners.length === 0) foreign++
  }
  let made = 0
  // A payment that was just made may not be in the list yet.
  let unlisted = 0
  let place = 0
  for (const payment of payments) {
    const isMade = payment.state === 'CREATED' && isInScope(payment, scope)
    if (isMade) made++
    if (isMade && !ownersInList.has(place)) unlisted++
    place++
  }
  const since = new Date(scope.sinceMs).toISOString().slice(0, 16)
  const exact =
    unlisted === 0
      ? 'each payment has exactly one transaction'
      : `each payment has exactly one transaction, except ${unlisted} too new to be listed yet`
  const others = `${countNoun(foreign, 'transaction')} ${foreign === 1 ? 'was' : 'were'} not made by svc`
  return `Compared ${countNoun(made, 'payment')} of the journal with ${countNoun(recent, 'transaction')} of the service since ${since}Z: ${exact}; ${others}.`
}
