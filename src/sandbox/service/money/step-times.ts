// How long each step of a transaction takes, and so when its next step is due.
import type {QueuedStep} from '../../time/pending-queue.ts'
import type {PaymentMethod} from './currencies.ts'
import {findMagicOutcome} from './magic-amounts.ts'
import type {Transaction} from './transitions.ts'
import {dayMs, hourMs, minuteMs, secondMs} from '../../../values/time.ts'

// The money is held immediately; processing starts after this delay.
export const beginsAfterMs = 2 * secondMs

export const magicFundingMs = minuteMs
const magicDeadlineMs = minuteMs
const lingeringMs = 3 * dayMs

// How long the service waits for an external transfer, by its rail or network.
const fundingHours: Readonly<Record<PaymentMethod, number>> = {
  ACH: 72,
  WIRE: 48,
  SEPA: 48,
  CA_INTERAC: 24,
  IN_NEFT_RTGS_IMPS: 24,
  ARBITRUM: 1,
  BASE: 1,
  ETHEREUM: 1,
  OPTIMISM: 1,
  POLYGON: 1,
  SOLANA: 1,
}

// How long a transfer takes, by the rail or network on which it arrives.
const settlementMinutes: Readonly<Record<PaymentMethod, number>> = {
  ACH: 30,
  WIRE: 15,
  SEPA: 10,
  CA_INTERAC: 5,
  IN_NEFT_RTGS_IMPS: 5,
  ARBITRUM: 1,
  BASE: 1,
  ETHEREUM: 3,
  OPTIMISM: 1,
  POLYGON: 2,
  SOLANA: 1,
}

export const computeFundingMs = (method: PaymentMethod, sourceAmount: string): number =>
  findMagicOutcome(sourceAmount) === 'expires' ? magicDeadlineMs : fundingHours[method] * hourMs

export const computeSettlementMs = (method: PaymentMethod, sourceAmount: string): number =>
  findMagicOutcome(sourceAmount) === 'lingers' ? lingeringMs : settlementMinutes[method] * minuteMs

const atInstant = (kind: QueuedStep['kind'], due: number): QueuedStep => ({kind, earliest: due, latest: due})

// Timestamps in replies have whole seconds.
const withinSecond = (kind: QueuedStep['kind'], due: number): QueuedStep => ({
  kind,
  earliest: due,
  latest: due + secondMs - 1,
})

// The steps that may be queued for a transaction in its present status, by when they are due. A search by the transaction would
// need an index, which costs each transaction more than the few that end early save.
export function listQueuedSteps(createdAt: number, reply: Transaction): QueuedStep[] {
  const {transactionStatus, source, destination, updatedAt, expiresAt} = reply
  if (transactionStatus === 'CREATED') return [atInstant('transaction.process', createdAt + beginsAfterMs)]
  if (transactionStatus === 'AWAITING_TRANSFER') {
    const fund = atInstant('transaction.fund', createdAt + magicFundingMs)
    return expiresAt === undefined ? [fund] : [fund, withinSecond('transaction.expire', Date.parse(expiresAt))]
  }
  if (transactionStatus !== 'PROCESSING') return []
  const takes = computeSettlementMs(destination.destinationPaymentMethod as PaymentMethod, source.sourceAmount)
  return [withinSecond('transaction.settle', Date.parse(updatedAt) + takes)]
}
