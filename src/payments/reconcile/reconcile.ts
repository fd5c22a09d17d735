// Compares the journal with the service's list: what only one of them has, what differs, and what
// ended badly.
import {type View, createColumn} from '../../cli/output/view.ts'
import {type LooseTransaction, getCurrencyLabel, readCode, readBadEnding} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readAmount, readText} from '../../values/records.ts'
import {countNoun, svc} from '../../values/text.ts'
import {toInstantMs, toIso} from '../../values/time.ts'
import {readDealtWith} from '../by-hand.ts'
import {describeDifferences, joinDifferences} from '../protocol/compare.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {senderEnded} from '../protocol/next.ts'
import {type Payment, getLastAttempt, getMadeMs, isDerivedCorrelationId, unsettledStates} from '../protocol/payment.ts'
import {CustomerList} from '../protocol/lists.ts'
import {matchPayments} from './match-payments.ts'

const show = (key: string) => `See ${svc`journal show ${key}`}`

// The next step for each kind of finding.
const nextSteps = {
  // The transaction was created by svc, but this journal has no payment for it, or has the payment
  // in another state.
  NOT_IN_JOURNAL: (key, id) =>
    key === ''
      ? 'Another journal has it, or this one was lost: running the payment again adopts it'
      : `Run the payment again, which adopts it, or ${svc`journal settle ${key} --adopt ${id}`}`,
  // The transaction was not created by svc on this host, as far as can be seen.
  FOREIGN: () => 'Made by a rule, by another program or host, or by hand',
  // The journal says that the payment was made, but the service does not list it.
  NOT_AT_SERVICE: (key) => `${show(key)}, and ask the service for it`,
  // The service has more than one transaction for the payment.
  SEVERAL: (key) => `${show(key)}, and ask the service`,
  // The journal has the transaction under more than one key, so at most one of them was paid by it.
  SHARED: () => 'Ask the service which payment it is, and pay the others under new keys',
  // The service has something else than the content, the quote or the limits of the payment say.
  DIFFERS: (key) => `${show(key)}, and ask the service`,
  // The transaction failed, was cancelled or expired, so the money did not arrive. A key keeps its
  // transaction, so only another key can pay again.
  ENDED_BADLY: (key) =>
    `To pay it again, choose a new key. Once it is dealt with: ${svc`journal settle ${key} --why TEXT`}`,
  // The outcome is unknown.
  UNSETTLED: (key) => svc`journal settle ${key}`,
} satisfies Record<string, (key: string, transactionId: string) => string>

export interface Finding {
  kind: keyof typeof nextSteps
  key?: string
  transactionId?: string
  detail: string
  next: string
}

type Found = Omit<Finding, 'next'>

interface Scope {
  sinceMs: number
  customerId?: string | undefined
  isForeignShown: boolean
}

interface Comparing extends Scope {
  // The service's time when the read of its list started, at the earliest.
  serverMs: number
  // The longest time that the service may take to list a transaction.
  listLagMaxMs: number
}

// A time that cannot be read counts as recent, so that nothing is left out.
const isSince = (time: unknown, sinceMs: number) => (toInstantMs(time) ?? Number.POSITIVE_INFINITY) >= sinceMs

// An older payment is in scope too if its transaction changed since, for example failed, or another
// one was made since.
const isInScope = (payment: Payment, transactions: readonly LooseTransaction[], {sinceMs, customerId}: Scope) =>
  (getMadeMs(payment) >= sinceMs ||
    payment.createdAt >= sinceMs ||
    transactions.some(
      ({createdAt, updatedAt}) => isSince(createdAt, sinceMs) || isSince(updatedAt ?? createdAt, sinceMs),
    )) &&
  (customerId === undefined || payment.content.customerId.toLowerCase() === customerId.toLowerCase())

function checkPayment(payment: Payment, transactions: readonly LooseTransaction[], comparing: Comparing): Found[] {
  const {key, state} = payment
  const ids = transactions.map((transaction) => readText(transaction.transactionId))
  if (transactions.length > 1) return [{kind: 'SEVERAL', key, detail: `transactions ${ids.join(', ')}`}]

  const [transaction] = transactions
  if (unsettledStates.includes(state)) {
    const {reason = senderEnded} = getLastAttempt(payment) ?? {}
    return [{kind: 'UNSETTLED', key, detail: `${state}: ${reason}`}]
  }

  if (payment.state !== 'CREATED') {
    return ids.map((id) => ({kind: 'NOT_IN_JOURNAL', key, transactionId: id, detail: `the journal says ${state}`}))
  }

  const {transactionId} = payment
  if (!transaction) {
    if (comparing.serverMs - getMadeMs(payment) < comparing.listLagMaxMs) return []
    return [{kind: 'NOT_AT_SERVICE', key, transactionId, detail: `made ${toIso(getMadeMs(payment))}`}]
  }

  const ending = readBadEnding(transaction)
  const ended = ending && [ending, readText(transaction.updatedAt)].filter(Boolean).join(' since ')
  const differences = joinDifferences(describeDifferences(payment, transaction))
  return [
    ...(ended ? [{kind: 'ENDED_BADLY' as const, key, transactionId, detail: ended}] : []),
    ...(differences === undefined ? [] : [{kind: 'DIFFERS' as const, key, transactionId, detail: differences}]),
  ]
}

// Checks a transaction that belongs to no payment of the journal.
function checkOther(transaction: LooseTransaction, {sinceMs, isForeignShown}: Scope): Found[] {
  const {transactionStatus, source, correlationId, createdAt} = transaction
  const isOurs = isDerivedCorrelationId(correlationId)
  if (!isSince(createdAt, sinceMs) || (!isOurs && !isForeignShown)) return []
  const amount = [readAmount(source?.sourceAmount), readText(getCurrencyLabel(source?.sourceCurrency))].join(' ').trim()
  const detail = [amount, readCode(transactionStatus), `made ${readText(createdAt)}`].filter(Boolean).join(', ')
  return [{kind: isOurs ? 'NOT_IN_JOURNAL' : 'FOREIGN', transactionId: readText(transaction.transactionId), detail}]
}

export interface Comparison {
  findings: Finding[]
  // Payments in scope that were made, and those of them that are not in the list.
  made: number
  unlisted: number
  // Payments in scope that are being sent.
  underWay: number
  // Transactions since the scope's time.
  recent: number
}

type ComparisonContext = Pick<PaymentContext, 'service' | 'journal' | 'clock' | 'listLagMaxMs' | 'onListProgress'>

export async function compareWithService(
  context: ComparisonContext,
  serviceId: string,
  scope: Scope,
): Promise<Comparison> {
  const {journal, listLagMaxMs} = context
  const {listed, startedMs} = await new CustomerList(context, scope.customerId ?? '').readWhole()
  const comparing = {...scope, serverMs: startedMs, listLagMaxMs}
  const counts = {made: 0, unlisted: 0, underWay: 0, recent: 0}

  // The keys of the payments that have recorded a transaction, of each that belongs to a payment.
  const owners = new Map<LooseTransaction, string[]>()
  const ofPayments: Found[][] = []

  // The journal is read after the list. A payment made in the meantime is too recent to be reported
  // as missing.
  for await (const {payment, transactions} of matchPayments(journal, serviceId, listed)) {
    const {key, state, transactionId} = payment
    // Payments come newest first, and keys are told oldest first.
    for (const transaction of transactions) {
      const hasRecorded = state === 'CREATED' && readText(transaction.transactionId) === transactionId
      owners.set(transaction, [...(hasRecorded ? [key] : []), ...(owners.get(transaction) ?? [])])
    }

    if (!isInScope(payment, transactions, scope)) continue
    // The process that sends it now will say what came of it (docs/assumptions.md, P10).
    if (state === 'ARMED' && transactions.length < 2 && (await journal.findLeaseHolder(serviceId, key))) {
      counts.underWay++
      continue
    }

    ofPayments.push(checkPayment(payment, transactions, comparing))
    if (state !== 'CREATED') continue
    counts.made++
    if (transactions.length === 0) counts.unlisted++
  }

  const found: Found[] = []
  for (const transaction of listed) {
    const keys = owners.get(transaction)
    if (isSince(transaction.createdAt, scope.sinceMs)) counts.recent++
    if (!keys) found.push(...checkOther(transaction, scope))
    else if (keys.length > 1) {
      const [transactionId, detail] = [readText(transaction.transactionId), `under the keys ${keys.join(', ')}`]
      found.push({kind: 'SHARED', key: keys[0] ?? '', transactionId, detail})
    }
  }

  // Findings are told oldest first. A bad ending stays one until somebody says that it is dealt
  // with.
  found.push(...ofPayments.toReversed().flat())
  const dealtWith = await readDealtWith(journal)
  const findings = found
    .filter(({kind, transactionId = ''}) => kind !== 'ENDED_BADLY' || !dealtWith.has(transactionId))
    .map((finding) => ({...finding, next: nextSteps[finding.kind](finding.key ?? '', finding.transactionId ?? '')}))
  return {findings, ...counts}
}

export function createFindingsError({length}: readonly Finding[]): SvcError | undefined {
  if (length === 0) return undefined
  return new SvcError({
    error: 'RECONCILE_FOUND',
    kind: 'finding',
    message: `The comparison found ${length === 1 ? 'one point that needs' : `${length} points that need`} attention`,
    hint: 'Each finding says what to do about it',
  })
}

// Says what a comparison without findings has compared, since an empty list alone proves nothing.
export function describeComparison({made, unlisted, underWay, recent}: Comparison, sinceMs: number): string {
  const since = new Date(sinceMs).toISOString().slice(0, 16)
  const verb = underWay === 1 ? 'is' : 'are'
  const sending = underWay === 0 ? '' : ` ${countNoun(underWay, 'payment')} ${verb} under way: compare again.`

  if (made === 0)
    return `Nothing was compared: the journal has no payment that was made since ${since}Z, and the service has ${countNoun(recent, 'transaction')} since then.${sending}`
  const except = unlisted === 0 ? '' : `, except ${unlisted} too new to be listed yet`
  return `Compared ${countNoun(made, 'payment')} of the journal with ${countNoun(recent, 'transaction')} of the service since ${since}Z: each payment has exactly one transaction${except}.${sending}`
}

const column = createColumn<Finding>

export const findingView: View<Finding> = {
  singular: 'finding',
  plural: 'findings',
  columns: [
    column('kind', 0, {kind: 'status'}),
    column('key', 1, {kind: 'text'}),
    column('transactionId', 2, {short: 'transaction', header: 'TRANSACTION', kind: 'id'}),
    column('detail', 0, {
      header: 'FOUND',
      format: (detail, {next}) => `${String(detail)} → ${next}`,
      kind: 'sentence',
    }),
    column('next', 3, {header: 'WHAT TO DO', kind: 'sentence', shown: 'onRequest'}),
  ],
}
