// Finds how much to send so that a given amount arrives. The service prices only what is sent, so it is asked for quotes, and the
// best of them is the one that is paid.
import {Big} from 'big.js'
import type {LooseQuote} from '../../contract/loose.ts'
import {createRefusal} from '../../controls/limits.ts'
import {SvcError} from '../../errors.ts'
import {findCurrencyDecimals, formatAmount} from '../../values/currencies.ts'
import {describeArrival, parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {isSameContent} from '../protocol/compare.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PaymentOrder} from '../protocol/drive.ts'
import {canChangeContent} from '../protocol/key-use.ts'
import {readPrice} from '../protocol/payment.ts'
import {fetchQuote} from '../protocol/service.ts'

const quotesMax = 4
// For currencies whose decimals are not known.
const decimalsUnknown = 2
// The first amount is a guess, since the rate is not known. One that the service refuses, such as 5000000 USDC for that many rupiah, is
// followed by a modest one.
const modestAmount = new Big(100)

type SearchContext = Pick<PaymentContext, 'service' | 'pause' | 'clock' | 'journal'>

interface Offer {
  sent: Big
  received: Big
  // The same, and less than 0 where the fees are more than what is sent.
  level: Big
  // How much more arrives for each unit that is sent, by this quote alone.
  rate: Big
  quote: LooseQuote
}

const findUnit = (currency: string) =>
  new Big(10).pow(-(findCurrencyDecimals(currency.toUpperCase()) ?? decimalsUnknown))

const roundUp = (amount: Big, unit: Big): Big => amount.div(unit).round(0, Big.roundUp).times(unit)

// The order with the amount to send.
function withSent(order: PaymentOrder, sourceAmount: string): PaymentOrder {
  const {intent} = order
  const source = {...intent.content.source, sourceAmount}
  return {...order, intent: {...intent, content: {...intent.content, source}}}
}

async function requestOffer(context: SearchContext, order: PaymentOrder, sent: Big): Promise<Offer> {
  const {intent, isGuaranteed} = withSent(order, formatAmount(sent.toFixed(), 2))
  const quote = await fetchQuote(context, intent.content, isGuaranteed)
  const price = readPrice(quote)
  const read = (amount: string) => parsePositiveDecimal(amount) ?? new Big(0)
  const [received, told] = [read(price.received), read(price.rate)]
  const own = received.gt('0') ? received.div(sent) : new Big(1)
  const left = sent.minus(read(price.svcFee)).minus(read(price.developerFee)).times(told)
  return {sent, received, level: received.gt('0') ? received : left, rate: told.gt('0') ? told : own, quote}
}

// The offer with which at least the target arrives, and as little more as possible.
const findBest = (offers: readonly Offer[], target: Big): Offer | undefined =>
  offers
    .filter(({received}) => received.gte(target))
    .toSorted((one, other) => one.received.cmp(other.received) || one.sent.cmp(other.sent))[0]

function createNotReachedError({intent, limits: {sentMax}}: PaymentOrder, offers: readonly Offer[]): SvcError {
  const {source, destination, receive} = intent.content
  const [from, to] = [source.sourceCurrency.toUpperCase(), destination.destinationCurrency.toUpperCase()]
  const [most] = offers.toSorted((one, other) => other.received.cmp(one.received))
  const found = most ? `: for ${most.sent.toFixed()} ${from}, ${most.received.toFixed()} ${to} would arrive` : ''
  const limit = sentMax === undefined ? '' : `, and at most ${sentMax} ${from} may be sent`
  return createRefusal(
    'LIMIT_REACHED',
    `The payment ${intent.key} was not sent: ${countNoun(offers.length, 'quote')} did not reach the ${receive} ${to} that are to arrive${found}${limit}`,
    `${sentMax === undefined ? 'Try again later' : 'Allow more with --max-send, try again later'}, or say with --amount what is sent and with --min-received what is to arrive at least`,
  )
}

// Asks for quotes until nothing better is left. A straight line through the first and the last quote gives the next amount, rounded up.
// Two quotes close to each other give a wrong slope, since what arrives is rounded (docs/assumptions.md, P23).
async function findOffer(context: SearchContext, order: PaymentOrder, target: Big): Promise<Offer> {
  const {source, destination} = order.intent.content
  const sourceUnit = findUnit(source.sourceCurrency)
  const sentMax = order.limits.sentMax === undefined ? undefined : new Big(order.limits.sentMax)
  const offers: Offer[] = []
  const chooseNext = (last: Offer, quotesLeft: number): Big | undefined => {
    const first = offers.length > 1 ? offers[0] : undefined
    const line = first && last.level.minus(first.level).div(last.sent.minus(first.sent))
    const slope = line?.gt('0') ? line : last.rate
    const enough = findBest(offers, target)
    // What one unit brings cannot be split.
    if (enough?.received.minus(target).lte(slope.times(sourceUnit))) return undefined
    // Fees are rounded, so the last quote leaves room for it rather than to miss the target.
    const room = quotesLeft === 1 && !enough ? findUnit(destination.destinationCurrency) : 0
    const next = roundUp(last.sent.plus(target.minus(last.level).plus(room).div(slope)), sourceUnit)
    const least = next.gt(sourceUnit) ? next : sourceUnit
    const capped = sentMax?.lt(least) ? sentMax : least
    return offers.some(({sent}) => sent.eq(capped)) || enough?.sent.lte(capped) ? undefined : capped
  }
  let next: Big | undefined = sentMax ?? roundUp(target, sourceUnit)
  for (let left = quotesMax - 1; next && left >= 0; left--) {
    const sent: Big = next
    try {
      const offer = await requestOffer(context, order, sent)
      offers.push(offer)
      next = chooseNext(offer, left)
    } catch (error) {
      const isRefused = error instanceof SvcError && error.kind === 'refused'
      if (offers.length > 0 || !isRefused || sent.lte(modestAmount)) throw error
      next = modestAmount
    }
  }
  const best = findBest(offers, target)
  if (!best) throw createNotReachedError(order, offers)
  return best
}

// The order with the amount to send, and with the quote that brings what is to arrive, which is also a limit of the payment, whichever
// quote it is made with. Once a request may have been sent, its amount is the only one, and nothing is asked.
export async function resolveReceive(context: SearchContext, order: PaymentOrder): Promise<PaymentOrder> {
  const {serviceId, key, content} = order.intent
  const {receive} = content
  if (receive === undefined) return order
  const limited = {...order, limits: {...order.limits, receivedMin: receive}}
  const known = await context.journal.find(serviceId, key)
  if (known && !canChangeContent(known)) {
    return isSameContent(known.content, content) ? withSent(limited, known.content.source.sourceAmount) : order
  }
  const {sent, quote} = await findOffer(context, order, new Big(receive))
  return {...withSent(limited, formatAmount(sent.toFixed(), 2)), approvedQuote: quote}
}

// What the quote says is sent, and what arrives.
export function describeSent({intent: {content}, isGuaranteed}: PaymentOrder, quote: LooseQuote): string {
  const {source, destination} = content
  const received = `${readPrice(quote).received} ${destination.destinationCurrency.toUpperCase()}`
  const sent = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  return `To send: ${sent}. Arrives: ${describeArrival(received, isGuaranteed)}.`
}
