// The order in which payments are listed, newest first, and the places in it from which a list is continued.
import {badUsage} from '../../errors.ts'
import type {Payment} from '../protocol/payment.ts'

// A place in the list: that of a payment. The key and the service decide between payments of one millisecond.
export type PaymentPosition = Pick<Payment, 'createdAt' | 'key' | 'serviceId'>

// As both stores compare text: byte by byte.
const compareText = (one: string, other: string) =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))

export const compareNewestFirst = (one: PaymentPosition, other: PaymentPosition) =>
  other.createdAt - one.createdAt || compareText(other.key, one.key) || compareText(other.serviceId, one.serviceId)

export const encodePosition = ({createdAt, key, serviceId}: PaymentPosition) =>
  Buffer.from(JSON.stringify([createdAt, key, serviceId])).toString('base64url')

export function decodePosition(token: string): PaymentPosition {
  try {
    const [createdAt, key, serviceId] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[]
    if (Number.isSafeInteger(createdAt) && typeof key === 'string' && typeof serviceId === 'string') {
      return {createdAt: createdAt as number, key, serviceId}
    }
  } catch {
    // It is no token of this list either.
  }
  throw badUsage(`--page-token "${token}" is not one of this list`, 'Use the token that the list ended with')
}
