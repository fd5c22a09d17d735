// The text of a payment, as the journal stores it and its history covers it. Reading never rewrites
// it.
import {isRecord} from '../../values/records.ts'
import {type Payment, paymentStates} from '../protocol/payment.ts'
import {JournalUnusable} from './journal.ts'

// The clock of the store writes the times, beside the text.
type WithoutTimes<P> = P extends unknown ? Omit<P, 'createdAt' | 'updatedAt'> : never
export type TimelessPayment = WithoutTimes<Payment>

// The form of the text. Another version of svc may have another one.
const textVersion = 1

export function toPaymentText(payment: Payment): string {
  const {createdAt: _created, updatedAt: _updated, ...rest} = payment
  return JSON.stringify({v: textVersion, ...rest})
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isBoolean: Check = (value) => typeof value === 'boolean'
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const isAbsentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

function hasFields(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields)
  return (value) => isRecord(value) && checks.every(([name, check]) => check(value[name]))
}

const isPrice = hasFields({rate: isText, received: isText, svcFee: isText, developerFee: isText, feeCurrency: isText})

const isContent = hasFields({
  customerId: isText,
  source: hasFields({
    sourcePaymentAccountId: isText,
    sourceCurrency: isText,
    sourcePaymentMethod: isText,
    sourceAmount: isText,
  }),
  destination: hasFields({
    destinationPaymentAccountId: isText,
    destinationPaymentMethod: isText,
    destinationCurrency: isText,
  }),
  developerFee: isAbsentOr(hasFields({developerFeeAmount: isText, developerFeeType: isText})),
  receive: isAbsentOr(isText),
})

const isAttempt = hasFields({
  quote: hasFields({id: isText, expiresAt: isNumber, price: isPrice, aheadMs: isNumber}),
  customerId: isAbsentOr(isText),
  armed: isAbsentOr(
    hasFields({
      bytes: isText,
      idempotencyKey: isText,
      at: isNumber,
      locallyAt: isNumber,
      isGuaranteed: isBoolean,
      limits: isRecord,
      sends: isNumber,
    }),
  ),
  absentSince: isAbsentOr(hasFields({service: isNumber, local: isNumber})),
  refused: isAbsentOr(hasFields({error: isText, statusCode: isNumber, isConfirmed: isBoolean})),
  answered: isAbsentOr(hasFields({statusCode: isNumber})),
  reason: isAbsentOr(isText),
})

const isAnyPayment = hasFields({
  serviceId: isText,
  key: isText,
  template: isAbsentOr(isText),
  slot: isAbsentOr(isText),
  note: isAbsentOr(isText),
  content: isContent,
  state: (value) => paymentStates.some((state) => state === value),
  attempts: isListOf(isAttempt),
})

const isNotMade = hasFields({
  noQuote: isAbsentOr(hasFields({error: isText, contentDigest: isText, attempts: isNumber})),
})

const isMade = hasFields({
  transactionId: isText,
  madeAt: isAbsentOr(isNumber),
  ended: isAbsentOr(isText),
  meant: isAbsentOr(isContent),
  limits: isAbsentOr(isRecord),
})

const isPayment = (value: Readonly<Record<string, unknown>>): value is TimelessPayment & Record<string, unknown> =>
  isAnyPayment(value) && (value['state'] === 'CREATED' ? isMade : isNotMade)(value)

// Throws a SyntaxError, as JSON.parse does, if the text is damaged.
export function readPayment(text: string): TimelessPayment {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw new SyntaxError('the text of a payment is no object')
  const {v: version, ...payment} = value
  if (version !== textVersion) {
    throw new JournalUnusable(
      `The journal has a payment that another version of svc wrote (form ${JSON.stringify(version) ?? 'unknown'}; this svc reads ${textVersion})`,
      'Update svc, and run the same command again',
    )
  }
  if (!isPayment(payment)) throw new SyntaxError('the text of a payment lacks a field')
  return payment
}
