// Finds how much to send so that a given amount arrives. The service prices only what is sent, so it is asked for quotes, and the
// best of them is the one that is paid.
import {Big} from 'big.js'
import type {LooseQuote} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {findCurrencyDecimals, formatAmount} from '../../values/currencies.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {fetchQuote, observeExpiry, readPrice} from '../protocol/fetch-quote.ts'
import {canChangeContent} from '../protocol/key-use.ts'
import type {PaymentOrder} from '../protocol/pay.ts'
import {type PaymentContent, type Price, type PriceLimits, isSameContent} from '../protocol/payment.ts'

const quotesMax = 4
// For currencies whose decimals are not known.
const decimalsUnknown = 2

type SearchContext = Pick<PaymentContext, 'service' | 'pause' | 'clock' | 'journal'>

interface Offer {
  sent: Big
  received: Big
  // The same, and less than 0 where the fees are more than what is sent.
  level: Big
  rate: Big | undefined
  quote: LooseQuote
}

interface Wanted {
  key: string
  content: PaymentContent
  // What is to arrive.
  target: Big
  // The most that may be sent, if that is limited.
  sentMax: Big | undefined
  isGuaranteed: boolean
  // The smallest amounts of both currencies.
  sourceUnit: Big
  destinationUnit: Big
}

const findUnit = (currency: string) =>
  new Big(10).pow(-(findCurrencyDecimals(currency.toUpperCase()) ?? decimalsUnknown))

const roundUp = (amount: Big, unit: Big): Big => amount.div(unit).round(0, Big.roundUp).times(unit)

const toSentAmount = (sent: Big): string => formatAmount(sent.toFixed(), 2)

const withSent = (content: PaymentContent, sourceAmount: string): PaymentContent => ({
  ...content,
  source: {...content.source, sourceAmount},
})

function toWanted({intent, limits, isGuaranteed}: PaymentOrder, receive: string): Wanted {
  const {key, content} = intent
  return {
    key,
    content,
    target: new Big(receive),
    sentMax: limits.sentMax === undefined ? undefined : new Big(limits.sentMax),
    isGuaranteed,
    sourceUnit: findUnit(content.source.sourceCurrency),
    destinationUnit: findUnit(content.destination.destinationCurrency),
  }
}

function findLevel({destinationUnit}: Wanted, sent: Big, rate: Big | undefined, {svcFee, developerFee}: Price): Big {
  const fees = [svcFee, developerFee].reduce((sum, fee) => sum.plus(parsePositiveDecimal(fee) ?? 0), new Big(0))
  const level = sent.minus(fees).times(rate ?? 0)
  // A service that says that nothing arrives although more is left than its fees take has other costs.
  return fees.gt('0') && level.lt(destinationUnit) ? level : new Big(0)
}

async function requestOffer(context: SearchContext, wanted: Wanted, sent: Big): Promise<Offer> {
  const content = withSent(wanted.content, toSentAmount(sent))
  const quote = observeExpiry(context.clock, await fetchQuote(context, content, wanted.isGuaranteed))
  const price = readPrice(quote)
  const received = parsePositiveDecimal(price.received)
  const rate = parsePositiveDecimal(price.rate)
  if (received)
    return {sent, received, level: received.gt('0') ? received : findLevel(wanted, sent, rate, price), rate, quote}
  throw new SvcError({
    error: 'QUOTE_UNREADABLE',
    kind: 'unreachable',
    message: `The service sent a quote without the amount that arrives, so svc cannot find how much to send for ${wanted.key}`,
    hint: 'Nothing was sent; give --amount instead of --receive',
  })
}

const measureDistance = ({target}: Wanted, {level}: Offer) => level.minus(target).abs()

// How much more arrives for each unit that is sent: between the two offers that are nearest to the target, or by the rate of the
// only one.
function estimateSlope(nearest: Offer, second: Offer | undefined): Big {
  const {sent, received, level, rate} = nearest
  const slope = second && !second.sent.eq(sent) ? level.minus(second.level).div(sent.minus(second.sent)) : undefined
  if (slope?.gt('0')) return slope
  if (rate?.gt('0')) return rate
  return received.gt('0') ? received.div(sent) : new Big(1)
}

// The next amount to ask for: a straight line through the nearest offers, rounded up (docs/assumptions.md, P23). Undefined if nothing
// better is left.
function chooseNext(wanted: Wanted, offers: readonly Offer[], quotesLeft: number): Big | undefined {
  const {target, sourceUnit, destinationUnit, sentMax} = wanted
  // Where the fees use everything up, nothing can be told about the price.
  const telling = offers.filter(({level}) => !level.eq('0'))
  const [nearest, second] = (telling.length > 0 ? telling : offers).toSorted((one, other) =>
    measureDistance(wanted, one).cmp(measureDistance(wanted, other)),
  )
  if (!nearest) return undefined
  const slope = estimateSlope(nearest, second)
  const enough = findBest(wanted, offers)
  // What one unit brings cannot be split.
  if (enough?.received.minus(target).lte(slope.times(sourceUnit))) return undefined
  // Fees are rounded, so the last quote leaves room for it rather than to miss the target.
  const missing = target.minus(nearest.level).plus(quotesLeft === 1 && !enough ? destinationUnit : 0)
  const tooLittle = offers.filter(({received}) => received.lt(target)).map(({sent}) => sent.plus(sourceUnit))
  const line = roundUp(nearest.sent.plus(missing.div(slope)), sourceUnit)
  const next = [line, sourceUnit, ...tooLittle].reduce((most, one) => (one.gt(most) ? one : most))
  const capped = sentMax?.lt(next) ? sentMax : next
  return offers.some(({sent}) => sent.eq(capped)) || enough?.sent.lte(capped) ? undefined : capped
}

// The offer with which at least the target arrives, and as little more as possible.
function findBest({target}: Pick<Wanted, 'target'>, offers: readonly Offer[]): Offer | undefined {
  const enough = offers.filter(({received}) => received.gte(target))
  return enough.toSorted((one, other) => one.received.cmp(other.received) || one.sent.cmp(other.sent))[0]
}

const notReached = ({key, content, target, sentMax}: Wanted, offers: readonly Offer[]) => {
  const [from, to] = [content.source.sourceCurrency, content.destination.destinationCurrency].map((code) =>
    code.toUpperCase(),
  )
  const most = offers.toSorted((one, other) => other.received.cmp(one.received))[0]
  const found = most ? `: for ${most.sent.toFixed()} ${from}, ${most.received.toFixed()} ${to} would arrive` : ''
  const limit = sentMax ? `, and at most ${sentMax.toFixed()} ${from} may be sent` : ''
  return new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `The payment ${key} was not sent: ${countNoun(offers.length, 'quote')} did not reach the ${target.toFixed()} ${to} that are to arrive${found}${limit}`,
    hint: 'Try again later, or say with --amount what is sent and with --min-received what is to arrive at least',
  })
}

// The first amount is a guess, since the rate is not known. One that the service refuses, such as 5000000 USDC for that many rupiah, is
// followed by a modest one.
const modestAmount = new Big(100)

async function findOffer(context: SearchContext, wanted: Wanted): Promise<Offer> {
  const {target, sentMax, sourceUnit} = wanted
  const offers: Offer[] = []
  let next: Big | undefined = sentMax ?? roundUp(target, sourceUnit)
  for (let asked = 0; next && asked < quotesMax; asked++) {
    const amount: Big = next
    try {
      offers.push(await requestOffer(context, wanted, amount))
      next = chooseNext(wanted, offers, quotesMax - asked - 1)
    } catch (error) {
      const isRefused = error instanceof SvcError && error.kind === 'refused'
      if (asked > 0 || !isRefused || amount.lte(modestAmount)) throw error
      next = modestAmount
    }
  }
  const best = findBest(wanted, offers)
  if (!best) throw notReached(wanted, offers)
  return best
}

// What is to arrive is also a limit of the payment, whichever quote it is made with.
const addReceived = (limits: PriceLimits, receivedMin: string): PriceLimits => ({...limits, receivedMin})

// The order with the amount to send, and with the quote that brings what is to arrive. Once a request may have been sent, its amount
// is the only one, and nothing is asked.
export async function resolveReceive(context: SearchContext, order: PaymentOrder): Promise<PaymentOrder> {
  const {serviceId, key, content} = order.intent
  if (content.receive === undefined) return order
  const limits = addReceived(order.limits, content.receive)
  const complete = (sourceAmount: string): PaymentOrder => ({
    ...order,
    limits,
    intent: {...order.intent, content: withSent(content, sourceAmount)},
  })
  const known = await context.journal.find(serviceId, key)
  if (known && !canChangeContent(known)) {
    return isSameContent(known.content, content) ? complete(known.content.source.sourceAmount) : order
  }
  const {sent, quote} = await findOffer(context, toWanted(order, content.receive))
  return {...complete(toSentAmount(sent)), approvedQuote: quote}
}
