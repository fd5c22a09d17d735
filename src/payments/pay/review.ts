// What a person is shown of a priced payment, and the yes for it where svc pays for a program.
import {readParty} from '../../accounts/parties.ts'
import type {PaymentReview, PricedPayment} from '../../cli/config.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {createRefusal} from '../../controls/limits.ts'
import {digestPart} from '../../controls/statement.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {buildPriceBox, buildRow} from '../../quotes/price-box.ts'
import {readServiceState} from '../../transport.ts'
import {normalizeAmount} from '../../values/money.ts'
import {toInstantMs} from '../../values/time.ts'
import type {PaymentOrder} from '../protocol/drive.ts'
import {findUnlimitedFees} from '../protocol/limits.ts'
import {readPrice} from '../protocol/payment.ts'
import {digestPayment} from '../context/payment-fields.ts'
import type {Run} from '../context/open-context.ts'

// How long the quote is still valid by the service's clock.
export const calculateLifeMs = ({clock}: Run, quote: LooseQuote) =>
  Math.max(0, (toInstantMs(quote.expiresAt) ?? 0) - clock.latest())

// With the names and banks of both ends, if the service could be asked for them, and the share of fees that are high, for the question.
export async function buildPaymentBox(run: Run, order: PaymentOrder, quote: LooseQuote, key?: string) {
  const {caller, client} = run
  const {intent, limits, isGuaranteed} = order
  const {content} = intent
  const title = {title: `Pay ${describePlace(caller)}`, isLive: caller.environment === 'live'}
  const {describeMagicAmount} = await readServiceState(caller)
  const party = await readParty(client, content.customerId)
  const price = {body: {...content, guaranteeQuote: isGuaranteed}, quote, lifeMs: calculateLifeMs(run, quote)}
  const sandboxRemark = describeMagicAmount?.(normalizeAmount(content.source.sourceAmount))
  const highFees = findUnlimitedFees(limits, content, readPrice(quote))
  return {
    box: buildPriceBox(title, party, price, {key, sandboxRemark, highFees}),
    highFees,
    hasNames: party.customer !== undefined && party.accounts !== undefined,
  }
}

// A yes is for exactly this: another key, account, amount, limit or quote has another digest.
const digestPriced = ({intent: {serviceId, key, content}, limits, isGuaranteed}: PaymentOrder, quote: LooseQuote) =>
  digestPart([serviceId, digestPayment({key, content, limits, isGuaranteed}).toString('hex'), quote]).toString('hex')

// The box has no key, which the program chose: whoever shows it can tell what svc knows from what it was told.
export async function pricePayment(
  run: Run,
  order: PaymentOrder,
  {quote, findings}: {quote: LooseQuote; findings: readonly string[]},
): Promise<PricedPayment> {
  const {serviceId, content} = order.intent
  const {box, hasNames} = await buildPaymentBox(run, order, quote)
  const [route = [], ...prices] = box.groups
  const payees = await run.journal.listPayees(serviceId, [content.destination.destinationPaymentAccountId])
  const isPaid = payees.some((payee) => payee.isPaid)
  const payee = buildRow('Payee', isPaid ? 'Paid before' : 'New: svc has never paid this account')
  const unread = hasNames ? [] : ['The names could not be read from the service: you see ids alone.']
  const notes = [...unread, ...findings].map((note) => buildRow('Note', note))
  return {
    digest: digestPriced(order, quote),
    quote,
    box: {...box, groups: [[...route, payee], ...prices, notes]},
    lifeMs: calculateLifeMs(run, quote),
  }
}

export function takeYes(review: PaymentReview, order: PaymentOrder, quote: LooseQuote): void {
  if (review.takeYes(digestPriced(order, quote))) return
  throw createRefusal(
    'NOT_APPROVED',
    `The payment ${order.intent.key} was not sent: what was approved is no longer what it would be, or the quote ran out`,
    'Ask for a yes again',
  )
}
