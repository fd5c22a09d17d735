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
import {fetchQuote, observeExpiry, readPrice} from '../protocol/quote.ts'

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
  const quote = observeExpiry(context.clock, await fetchQuote(context, intent.content, isGuaranteed))
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

interface Wanted {
  // What is to arrive.
  target: Big
  // The most that may be sent, if that is limited.
  sentMax: Big | undefined
  // The smallest amounts of both currencies.
  sourceUnit: Big
  destinationUnit: Big
}

// The next amount to ask for: a straight line through the nearest offers, rounded up (docs/assumptions.md, P23). Undefined if nothing
// better is left.
function chooseNext(wanted: Wanted, offers: readonly Offer[], quotesLeft: number): Big | undefined {
  const {target, sourceUnit, destinationUnit, sentMax} = wanted
  const [nearest, second] = offers.toSorted((one, other) =>
    one.level.minus(target).abs().cmp(other.level.minus(target).abs()),
  )
  if (!nearest) return undefined
  const line = second && nearest.level.minus(second.level).div(nearest.sent.minus(second.sent))
  const slope = line?.gt('0') ? line : nearest.rate
  const enough = findBest(offers, target)
  // What one unit brings cannot be split.
  if (enough?.received.minus(target).lte(slope.times(sourceUnit))) return undefined
  // Fees are rounded, so the last quote leaves room for it rather than to miss the target.
  const missing = target.minus(nearest.level).plus(quotesLeft === 1 && !enough ? destinationUnit : 0)
  const tooLittle = offers.filter(({received}) => received.lt(target)).map(({sent}) => sent.plus(sourceUnit))
  const next = [roundUp(nearest.sent.plus(missing.div(slope)), sourceUnit), sourceUnit, ...tooLittle]
  const most = next.reduce((one, other) => (one.gt(other) ? one : other))
  const capped = sentMax?.lt(most) ? sentMax : most
  return offers.some(({sent}) => sent.eq(capped)) || enough?.sent.lte(capped) ? undefined : capped
}

function createNotReachedError({intent}: PaymentOrder, {target, sentMax}: Wanted, offers: readonly Offer[]): SvcError {
  const {source, destination} = intent.content
  const [from, to] = [source.sourceCurrency.toUpperCase(), destination.destinationCurrency.toUpperCase()]
  const [most] = offers.toSorted((one, other) => other.received.cmp(one.received))
  const found = most ? `: for ${most.sent.toFixed()} ${from}, ${most.received.toFixed()} ${to} would arrive` : ''
  const limit = sentMax ? `, and at most ${sentMax.toFixed()} ${from} may be sent` : ''
  return createRefusal(
    'LIMIT_REACHED',
    `The payment ${intent.key} was not sent: ${countNoun(offers.length, 'quote')} did not reach the ${target.toFixed()} ${to} that are to arrive${found}${limit}`,
    'Try again later, or say with --amount what is sent and with --min-received what is to arrive at least',
  )
}

async function findOffer(context: SearchContext, order: PaymentOrder, target: Big): Promise<Offer> {
  const {sentMax} = order.limits
  const {source, destination} = order.intent.content
  const wanted: Wanted = {
    target,
    sentMax: sentMax === undefined ? undefined : new Big(sentMax),
    sourceUnit: findUnit(source.sourceCurrency),
    destinationUnit: findUnit(destination.destinationCurrency),
  }
  const offers: Offer[] = []
  let next: Big | undefined = wanted.sentMax ?? roundUp(target, wanted.sourceUnit)
  for (let left = quotesMax - 1; next && left >= 0; left--) {
    const sent: Big = next
    try {
      offers.push(await requestOffer(context, order, sent))
      next = chooseNext(wanted, offers, left)
    } catch (error) {
      const isRefused = error instanceof SvcError && error.kind === 'refused'
      if (offers.length > 0 || !isRefused || sent.lte(modestAmount)) throw error
      next = modestAmount
    }
  }
  const best = findBest(offers, target)
  if (!best) throw createNotReachedError(order, wanted, offers)
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
