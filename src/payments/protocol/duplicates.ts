// Possible duplicates of a payment: the same amount to the same account, under another key.
import {createRefusal} from '../../controls/limits.ts'
import {SvcError, ignoreFailure} from '../../errors.ts'
import {normalizeAmount} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {formatUtcTime} from '../../values/time.ts'
import type {Intent, PaidToQuery} from '../journal/journal.ts'
import type {PaymentContext} from './context.ts'
import {reportMade} from './made.ts'
import {type Payment, type PaymentContent, getMadeMs} from './payment.ts'

export const duplicateCode = 'POSSIBLE_DUPLICATE'

const describeSum = ({destination}: PaymentContent, currency: string, amount: string) =>
  JSON.stringify([destination.destinationPaymentAccountId, currency.toUpperCase(), normalizeAmount(amount)])

// A text that is equal for payments of the same amount and currency to the same account.
export const toDuplicateKey = (content: PaymentContent): string =>
  describeSum(content, content.source.sourceCurrency, content.source.sourceAmount)

// Whether two payments send the same to one account, or let the same arrive there.
const isAlike = (one: PaymentContent, other: PaymentContent): boolean =>
  toDuplicateKey(one) === toDuplicateKey(other) ||
  (one.receive !== undefined &&
    other.receive !== undefined &&
    describeSum(one, one.destination.destinationCurrency, one.receive) ===
      describeSum(other, other.destination.destinationCurrency, other.receive))

// Builds the query for payments that may be duplicates. For a sum that is to arrive, payments that
// sent any amount may be.
export const buildDuplicateQuery = (
  {serviceId, content: {source, destination, receive}}: Pick<Intent, 'serviceId' | 'content'>,
  sinceMs: number,
): PaidToQuery => ({
  serviceId,
  destination: destination.destinationPaymentAccountId,
  currency: source.sourceCurrency,
  amount: receive === undefined ? source.sourceAmount : undefined,
  sinceMs,
})

// Picks the payments that may be duplicates of this one. A payment that ended badly has to be paid
// again under another key, so it is no duplicate, and neither is another slot of the same template.
export const pickDuplicates = (
  {key, template, content}: Pick<Intent, 'key' | 'template' | 'content'>,
  paid: readonly Payment[],
): Payment[] =>
  paid.filter(
    (payment) =>
      payment.key !== key &&
      payment.ended === undefined &&
      (template === undefined || payment.template !== template) &&
      isAlike(payment.content, content),
  )

// Reads the journal's payments that may be duplicates, oldest first.
const listDuplicates = async ({journal, clock}: PaymentContext, payment: Payment, windowMs: number) =>
  pickDuplicates(payment, await journal.listPaidTo(buildDuplicateQuery(payment, clock.earliest() - windowMs)))

const refreshedMax = 5

// Finds the payments that were, or may have been, made in the window, oldest first. The latest are
// looked up in the service's list, and left out if they have ended badly by now; the rest are
// reason enough to ask. Nothing is requested if the journal has none, and a list that cannot be
// read changes nothing.
export async function findDuplicates(context: PaymentContext, payment: Payment, windowMs: number): Promise<Payment[]> {
  if (windowMs === 0) return []
  const found = await listDuplicates(context, payment, windowMs)
  for (const duplicate of found.slice(-refreshedMax)) {
    if (duplicate.state === 'CREATED') await ignoreFailure(reportMade(context, duplicate, true))
  }
  return found.length === 0 ? [] : listDuplicates(context, payment, windowMs)
}

const stateWords: Readonly<Record<string, string>> = {CREATED: 'made', ARMED: 'being sent', UNKNOWN: 'maybe made'}

// Says under which key, when, how much, to where, and what is known of it.
export function describeDuplicate(payment: Payment): string {
  const {key, content, state} = payment
  const {source, destination} = content
  const when = formatUtcTime(getMadeMs(payment))
  const amount = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  return `${amount} to ${destination.destinationPaymentAccountId} under the key ${key}, ${stateWords[state] ?? state} at ${when}`
}

// The error of a payment that has these duplicates, oldest first, if it has any.
export function createDuplicateError({key}: Pick<Intent, 'key'>, duplicates: readonly Payment[]): SvcError | undefined {
  const latest = duplicates.at(-1)
  if (!latest) return undefined
  const more = duplicates.length > 1 ? `, and ${countNoun(duplicates.length - 1, 'other')}` : ''
  return createRefusal(
    duplicateCode,
    `The payment ${key} was not sent, since it may be a duplicate: there is already ${describeDuplicate(latest)}${more}`,
    'If it is meant as another payment, run it again with --allow-duplicates',
  )
}
