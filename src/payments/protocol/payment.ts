// A payment as the journal keeps it: its content, its state, and every attempt to make it.
import {hash} from 'node:crypto'
import type {z} from 'zod'
import {
  type BadEnding,
  type LooseCurrency,
  type LooseQuote,
  type LooseTransaction,
  getCurrencyLabel,
} from '../../contract/loose.ts'
import type {quoteCreate} from '../../contract/quotes.ts'
import {readAmount, readText} from '../../values/records.ts'

// The states of a payment. Each is written before the next step is taken (docs/paying-once.md).
export const paymentStates = [
  'INTENDED',
  'QUOTED',
  'STOPPED',
  'ARMED',
  'CREATED',
  'REJECTED',
  'UNKNOWN',
  'ABANDONED',
] as const

export type PaymentState = (typeof paymentStates)[number]

// States in which an unknown transaction may exist. It must be settled before a new quote is
// requested.
export const unsettledStates: readonly PaymentState[] = ['ARMED', 'UNKNOWN']

// States in which money is, or may be, spent. They count towards the daily limit of a profile.
export const spendingStates: readonly PaymentState[] = ['ARMED', 'CREATED', 'UNKNOWN']

// States in which nothing is known to have been made.
export const notMadeStates: readonly PaymentState[] = ['INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED']

export interface Price {
  rate: string
  received: string
  svcFee: string
  developerFee: string
  feeCurrency: string
}

export interface PriceLimits {
  // The most that both fees together may be, in the source currency: an amount, or a percentage of
  // the amount paid.
  feeMax?: {amount: string} | {percent: string} | undefined
  rateMin?: string | undefined
  receivedMin?: string | undefined
  // The most that may be sent, in the source currency, where the payment says what is to arrive.
  sentMax?: string | undefined
}

// The quote of an attempt: its times are in milliseconds.
export interface AttemptQuote {
  id: string
  // The expiry, by the service's clock.
  expiresAt: number
  price: Price
  // How far the service's clock was ahead of this machine's when the quote arrived.
  aheadMs: number
}

// The request of an attempt, written before any byte of it leaves.
export interface ArmedRequest {
  // The exact bytes of the body, and the idempotency key under which they are sent.
  bytes: string
  idempotencyKey: string
  // The time of arming, by the service's clock and by that of this machine.
  at: number
  locallyAt: number
  // Whether the quote was guaranteed, and the limits of the run: the transaction is compared with
  // both.
  isGuaranteed: boolean
  limits: PriceLimits
  // How many times the bytes were, or may have been, sent. 0 if nothing left this machine.
  sends: number
}

// A refusal of the service. It is confirmed by a list without the transaction, if the bytes were
// sent once.
export interface Refusal {
  error: string
  statusCode: number
  isConfirmed: boolean
}

export interface Attempt {
  quote: AttemptQuote
  // Set if the content of the payment was changed since.
  hadOtherContent?: true
  // The customer of the quote, if the payment is of another customer by now.
  customerId?: string
  armed?: ArmedRequest
  // The time at which a complete list without this payment was first read after the quote had
  // expired, by both clocks.
  absentSince?: {service: number; local: number}
  refused?: Refusal
  // The status of an answer that left the outcome unknown.
  answered?: {statusCode: number}
  // The reason why the attempt ended, in svc's words: messages of the service may contain personal
  // data.
  reason?: string
}

export type AttemptChange = Partial<Omit<Attempt, 'quote'>>

interface PaymentBase {
  // The id of the service that the key belongs to: a profile's, or the database of a sandbox.
  serviceId: string
  key: string
  // The template and the slot that the key was made from, if any.
  template?: string
  slot?: string
  // A remark of the person who pays. It is neither sent nor compared, and no approval covers it.
  note?: string
  content: PaymentContent
  attempts: Attempt[]
  // Times of this machine, in milliseconds.
  createdAt: number
  updatedAt: number
}

// Fields of a payment that was not made. Its next state drops them.
interface NotMade {
  // The reason why the service last gave no quote: the code alone, since its words may contain
  // personal data. The digest and the number of attempts say which try it was.
  noQuote?: {error: string; statusCode?: number | undefined; contentDigest: string; attempts: number}
  // Set if a person said that the payment needs nobody any more. The next try of the key clears it.
  dismissed?: true
}

// Fields of a payment that was made.
export interface Made {
  transactionId: string
  // The time at which the service created the transaction, by its own clock, if it says so.
  madeAt?: number
  // Set once the transaction is seen to have ended badly. The state stays CREATED, since the
  // transaction exists.
  ended?: BadEnding
  // Set if the transaction went to another account than the payment names, which then does not
  // count as a payee that was paid.
  wentElsewhere?: true
  // The content that the payment asked for, if a person adopted a transaction that paid something
  // else.
  meant?: PaymentContent
  // The limits of the run that adopted a transaction whose quote this journal does not have.
  limits?: PriceLimits
  // Set if a person said which transaction it is. Otherwise svc did.
  settledBy?: 'person'
}

type Absent<Fields> = {[Field in keyof Fields]?: never}

export interface NotMadePayment extends PaymentBase, NotMade, Absent<Made> {
  state: 'INTENDED' | 'QUOTED' | 'STOPPED' | 'REJECTED' | 'ABANDONED'
}

export interface UnsettledPayment extends PaymentBase, Absent<NotMade>, Absent<Made> {
  state: 'ARMED' | 'UNKNOWN'
}

export interface MadePayment extends PaymentBase, Absent<NotMade>, Made {
  state: 'CREATED'
}

export type Payment = NotMadePayment | UnsettledPayment | MadePayment

export const isNotMade = (payment: Payment): payment is NotMadePayment => notMadeStates.includes(payment.state)

export const getLastAttempt = ({attempts}: Pick<Payment, 'attempts'>): Attempt | undefined => attempts.at(-1)

export const getSends = ({armed}: Attempt): number => armed?.sends ?? 0

// The customers that a key was ever tried for: the content may have been corrected since.
export const listCustomers = ({content, attempts}: Payment): string[] => [
  ...new Set([content.customerId, ...attempts.flatMap(({customerId}) => customerId ?? [])]),
]

// The time at which the payment was, or may have been, made, as far as that is known.
export const getMadeMs = (payment: Payment): number =>
  payment.madeAt ?? getLastAttempt(payment)?.armed?.at ?? payment.updatedAt

// Returns the attempts of the payment, of which the last one is changed.
export function changeLast({key, attempts}: Payment, change: AttemptChange): Attempt[] {
  const last = attempts.at(-1)
  if (!last) throw new Error(`the payment ${key} has no attempt to change`)
  return [...attempts.slice(0, -1), {...last, ...change}]
}

// The fields that a payment keeps in all of its states.
function toBase(payment: Payment): PaymentBase {
  const {state: _state, noQuote: _noQuote, dismissed: _dismissed, ...open} = payment
  const {transactionId: _id, madeAt: _madeAt, ended: _ended, wentElsewhere: _wentElsewhere, ...rest} = open
  const {meant: _meant, limits: _limits, settledBy: _settledBy, ...base} = rest
  return base
}

// Returns the payment in another state, without the fields that only its present one has.
export const changeState = (
  payment: Payment,
  state: Exclude<PaymentState, 'CREATED'>,
  attempts: Attempt[] = payment.attempts,
): NotMadePayment | UnsettledPayment => ({...toBase(payment), state, attempts})

export const armAttempt = (payment: Payment, armed: ArmedRequest) =>
  changeState(payment, 'ARMED', changeLast(payment, {armed}))

// Returns the payment with its transaction, without what was recorded of another one before.
export const toCreated = (payment: Payment, made: Made & Pick<Payment, 'content'>): MadePayment => ({
  ...toBase(payment),
  ...made,
  state: 'CREATED',
})

type QuoteBody = z.infer<typeof quoteCreate>

// The content of a payment: from where to where, how much, with what fee. Limits and guarantees are
// not part of it.
export type PaymentContent = Omit<QuoteBody, 'guaranteeQuote'> & {
  // What is to arrive, if the payment says that instead of the amount to send. That amount is then
  // found by asking for quotes (receive.ts), is empty until it was, and may be another one in the
  // next attempt.
  receive?: string
}

type PaymentMethod = PaymentContent['source']['sourcePaymentMethod']

// Takes the content from the body of a quote that was validated: it has no field that the interface
// does not have.
export function toContent(body: Readonly<Record<string, unknown>>): PaymentContent {
  const {customerId, source, destination, developerFee} = body as QuoteBody
  return {customerId, source, destination, ...(developerFee && {developerFee})}
}

// Adds the sum that is to arrive, if a payment says that: the amount to send is found later.
export const withReceive = (content: PaymentContent, receive: string | undefined): PaymentContent =>
  receive === undefined ? content : {...content, source: {...content.source, sourceAmount: ''}, receive}

export function omitReceive(content: PaymentContent): Omit<PaymentContent, 'receive'> {
  const {receive: _, ...body} = content
  return body
}

// A service may name a method that the interface does not have, or none.
const toMethod = (text: string) => text as PaymentMethod

export const isContentKnown = ({customerId}: PaymentContent) => customerId !== ''

// Both a plain label and an object with a label are accepted, since the two sides of a transaction
// may differ.
const readCurrency = (currency: LooseCurrency): string => readText(getCurrencyLabel(currency))

// Reads the content from a transaction. Fields that the service leaves out stay empty.
export function readContent({customerId, source, destination}: LooseTransaction): PaymentContent {
  return {
    customerId: readText(customerId),
    source: {
      sourcePaymentAccountId: readText(source?.sourcePaymentAccountId),
      sourceCurrency: readCurrency(source?.sourceCurrency),
      sourcePaymentMethod: toMethod(readText(source?.sourcePaymentMethod)),
      sourceAmount: readAmount(source?.sourceAmount),
    },
    destination: {
      destinationPaymentAccountId: readText(destination?.destinationPaymentAccountId),
      destinationPaymentMethod: toMethod(readText(destination?.destinationPaymentMethod)),
      destinationCurrency: readCurrency(destination?.destinationCurrency),
    },
  }
}

// The content of a payment whose quote was made elsewhere. It is unknown until the transaction
// shows it.
export const unknownContent: PaymentContent = readContent({})

const readFees = (fees: LooseQuote['fees']) => ({
  svcFee: readAmount(fees?.svcFee?.feeAmount),
  developerFee: readAmount(fees?.developerFee?.feeAmount),
  feeCurrency: readText(getCurrencyLabel(fees?.feeCurrency)),
})

export const readPrice = ({estimatedExchangeRate, destinationAmount, fees}: LooseQuote): Price => ({
  rate: readAmount(estimatedExchangeRate),
  received: readAmount(destinationAmount),
  ...readFees(fees),
})

// The price that a transaction was made at. Figures that the service leaves out are empty.
export const readTransactionPrice = ({destination, fees}: LooseTransaction): Price => ({
  rate: readAmount(destination?.exchangeRate),
  received: readAmount(destination?.destinationAmount),
  ...readFees(fees),
})

const digest = (...parts: string[]) => hash('sha256', JSON.stringify(parts))

const digestLength = 40

// Ids of a payment at the service. They are the same on every host and in every attempt, and do not
// reveal the key.
export const deriveCorrelationId = (serviceId: string, key: string) =>
  `svc_${digest('correlation', serviceId, key).slice(0, digestLength)}`
export const deriveIdempotencyKey = (serviceId: string, key: string) =>
  `svc_${digest('idempotency', serviceId, key).slice(0, digestLength)}`

// A correlationId that svc derived, for this payment or another.
const derivedCorrelationId = /^svc_[0-9a-f]{40}$/i

export const isDerivedCorrelationId = (id: unknown): boolean => derivedCorrelationId.test(readText(id))

// Brings a correlationId to one spelling, to compare it: a service may write in capitals what svc
// derived. Any other id is the caller's, to whom capitals may matter.
export function normalizeCorrelationId(value: unknown): string {
  const id = readText(value)
  return isDerivedCorrelationId(id) ? id.toLowerCase() : id
}

// Reads the correlationId of a request from its bytes. A caller may have chosen its own.
export const readCorrelationId = (bytes: string | undefined): string | undefined =>
  bytes === undefined ? undefined : (JSON.parse(bytes) as {correlationId?: string}).correlationId

// The keys of payments whose quote was made elsewhere: the id of the quote, with a prefix that no
// other key may have.
const prefix = 'quote:'

export const reservedPrefixRule = `must not begin with ${prefix}, which is reserved for quotes`
export const toQuoteKey = (quoteId: string) => `${prefix}${quoteId}`
export const isQuoteKey = (key: string): boolean => key.startsWith(prefix)
