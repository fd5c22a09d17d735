// What people approve of a payment: its key, its content and its limits, whatever their spelling.
import {type ApprovalSubject, digestPart, digestParts} from '../../controls/statement.ts'
import {normalizeAmount} from '../../values/money.ts'
import {type PaymentContent, normalizeContent} from '../protocol/payment-content.ts'
import type {PriceLimits} from '../protocol/payment.ts'

export interface ApprovedPayment {
  // May contain placeholders such as {date}.
  key: string
  content: PaymentContent
  limits: PriceLimits
  isGuaranteed: boolean
}

function normalizeLimits({feeMax, rateMin, receivedMin}: PriceLimits) {
  const [kind, amount] = Object.entries(feeMax ?? {})[0] ?? []
  return {
    feeMax: kind === undefined ? undefined : [kind, normalizeAmount(String(amount))],
    rateMin: rateMin === undefined ? undefined : normalizeAmount(rateMin),
    receivedMin: receivedMin === undefined ? undefined : normalizeAmount(receivedMin),
  }
}

export const digestPayment = ({key, content, limits, isGuaranteed}: ApprovedPayment): Buffer =>
  digestPart([key, normalizeContent(content), normalizeLimits(limits), isGuaranteed])

export const createPaymentSubject = (serviceId: string, payment: ApprovedPayment): ApprovalSubject => ({
  kind: 'payment',
  serviceId,
  digest: digestParts([digestPayment(payment)]),
})

// The rows of a file or a batch, in any order.
export const createPayoutsSubject = (serviceId: string, rows: readonly ApprovedPayment[]): ApprovalSubject => ({
  kind: 'payouts',
  serviceId,
  digest: digestParts(rows.map(digestPayment)),
})
