// Payments as a journal has them, for tests that write them down.
import {
  type ArmedRequest,
  type Attempt,
  type AttemptQuote,
  type Made,
  type Payment,
  type PaymentState,
  changeState,
  toCreated,
} from '../../src/payments/protocol/payment.ts'

type Change = Partial<Pick<Payment, 'serviceId' | 'content' | 'attempts'>>

// The payment in this state. One that was made has a transaction, which is named after its key.
export function enterState(
  payment: Payment,
  state: PaymentState,
  {made, ...change}: Change & {made?: Partial<Made> | undefined} = {},
): Payment {
  const changed = {...payment, ...change}
  if (state !== 'CREATED') return changeState(changed, state)
  return toCreated(changed, {transactionId: `tx-${payment.key}`, content: changed.content, ...made})
}

// An attempt whose bytes were sent once.
export const createAttempt = ({
  quote,
  armed,
  ...more
}: Partial<Omit<Attempt, 'quote' | 'armed'>> & {
  quote?: Partial<AttemptQuote>
  armed?: Partial<ArmedRequest>
} = {}): Attempt => ({
  quote: {
    id: 'q',
    expiresAt: 1_800_000_000_000,
    price: {rate: '1', received: '5', svcFee: '0', developerFee: '0', feeCurrency: 'USDC'},
    aheadMs: 0,
    ...quote,
  },
  armed: {
    bytes: '{"quoteId":"q"}',
    idempotencyKey: 'svc_1',
    at: 1_790_000_000_000,
    locallyAt: 1_790_000_000_000,
    isGuaranteed: false,
    limits: {},
    sends: 1,
    ...armed,
  },
  ...more,
})
