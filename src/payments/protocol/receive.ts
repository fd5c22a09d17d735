// Finds how much to send so that a given amount arrives. The service prices only what is sent, so
// it is asked for quotes, and the best of them is the one that is paid.
import {Big} from 'big.js'
import type {LooseQuote} from '../../contract/loose.ts'
import {createRefusal} from '../../controls/limits.ts'
import {SvcError} from '../../errors.ts'
import {findCurrencyDecimals, formatAmount} from '../../values/currencies.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {type Payment, type PaymentContent, type PriceLimits, readPrice} from './payment.ts'

// A quote for an amount, as figures.
export interface Offer {
  sent: Big
  received: Big
  // What would be received, and less than 0 where the fees are more than what is sent.
  level: Big
  // How much more arrives for each unit that is sent, by this quote alone.
  rate: Big
  quote: LooseQuote
}

interface Target {
  received: Big
  // The most that may be sent.
  sentMax?: Big | undefined
}

// The smallest steps of both currencies.
interface Units {
  sent: Big
  received: Big
}

const roundUp = (amount: Big, unit: Big): Big => amount.div(unit).round(0, Big.roundUp).times(unit)

// The offer with which at least the target arrives, and as little more as possible.
const findBest = (offers: readonly Offer[], {received: least}: Target): Offer | undefined =>
  offers
    .filter(({received}) => received.gte(least))
    .toSorted((one, other) => one.received.cmp(other.received) || one.sent.cmp(other.sent))[0]

// The next amount to ask for a quote for, of `left` quotes that are left; undefined if nothing
// better is to be expected. The first amount is a guess, since the rate is not known. After that, a
// straight line through the first and the last quote says where the target is, rounded up. Two
// quotes close to each other give a wrong slope, since what arrives is rounded
// (docs/assumptions.md, P23).
//
// For example, 90 are to arrive, of 0.9 for each unit that is left after a fee of 2:
//   chooseAmount([])              90      a guess, of which (90 - 2) * 0.9 = 79.20 arrive
//   chooseAmount([90])           102      10.80 are missing, at 0.9 each: 90 + 12
//   chooseAmount([90, 102])      none     of 102, (102 - 2) * 0.9 = 90.00 arrive
export function chooseAmount(offers: readonly Offer[], target: Target, unit: Units, left: number): Big | undefined {
  const {sentMax} = target
  const [first, last] = [offers[0], offers.at(-1)]
  if (!first || !last) return sentMax ?? roundUp(target.received, unit.sent)

  const line = offers.length > 1 ? last.level.minus(first.level).div(last.sent.minus(first.sent)) : undefined
  const slope = line?.gt('0') ? line : last.rate
  const best = findBest(offers, target)
  // What one unit brings cannot be split.
  if (best?.received.minus(target.received).lte(slope.times(unit.sent))) return undefined

  // Fees are rounded, so the last quote leaves room for it rather than to miss the target.
  const room = left === 1 && !best ? unit.received : new Big(0)
  const missing = target.received.minus(last.level).plus(room)
  const amount = roundUp(last.sent.plus(missing.div(slope)), unit.sent)
  const least = amount.gt(unit.sent) ? amount : unit.sent
  const allowed = sentMax?.lt(least) ? sentMax : least
  const isKnown = offers.some(({sent}) => sent.eq(allowed)) || best?.sent.lte(allowed)
  return isKnown ? undefined : allowed
}

const quotesMax = 4
// A first guess that the service refuses, such as 5000000 USDC for that many rupiah, is followed by
// a modest one.
const modestAmount = new Big(100)
// For currencies whose decimals are not known.
const decimalsUnknown = 2

const findUnit = (currency: string) =>
  new Big(10).pow(-(findCurrencyDecimals(currency.toUpperCase()) ?? decimalsUnknown))

const withSent = (content: PaymentContent, sourceAmount: string): PaymentContent => ({
  ...content,
  source: {...content.source, sourceAmount},
})

function readOffer(sent: Big, quote: LooseQuote): Offer {
  const price = readPrice(quote)
  const read = (amount: string) => parsePositiveDecimal(amount) ?? new Big(0)
  const [received, told] = [read(price.received), read(price.rate)]

  const own = received.gt('0') ? received.div(sent) : new Big(1)
  const level = sent.minus(read(price.svcFee)).minus(read(price.developerFee)).times(told)
  return {sent, received, level: received.gt('0') ? received : level, rate: told.gt('0') ? told : own, quote}
}

function createNotReachedError(
  {key, content}: Pick<Payment, 'key' | 'content'>,
  {sentMax}: PriceLimits,
  offers: readonly Offer[],
): SvcError {
  const {source, destination, receive} = content
  const [from, to] = [source.sourceCurrency.toUpperCase(), destination.destinationCurrency.toUpperCase()]
  const [most] = offers.toSorted((one, other) => other.received.cmp(one.received))
  const found = most ? `: for ${most.sent.toFixed()} ${from}, ${most.received.toFixed()} ${to} would arrive` : ''
  const limit = sentMax === undefined ? '' : `, and at most ${sentMax} ${from} may be sent`
  return createRefusal(
    'LIMIT_REACHED',
    `The payment ${key} was not sent: ${countNoun(offers.length, 'quote')} did not reach the ${receive} ${to} that are to arrive${found}${limit}`,
    `${sentMax === undefined ? 'Try again later' : 'Allow more with --max-send, try again later'}, or say with --amount what is sent and with --min-received what is to arrive at least`,
  )
}

// Asks for quotes until nothing better is left. Returns the best, and the content with its amount.
export async function findOffer(
  payment: Pick<Payment, 'key' | 'content'>,
  limits: PriceLimits,
  ask: (content: PaymentContent) => Promise<LooseQuote>,
): Promise<{content: PaymentContent; quote: LooseQuote}> {
  const {content} = payment
  const {source, destination, receive = '0'} = content
  const sentMax = limits.sentMax === undefined ? undefined : new Big(limits.sentMax)
  const target = {received: new Big(receive), sentMax}
  const unit = {sent: findUnit(source.sourceCurrency), received: findUnit(destination.destinationCurrency)}
  const toContent = (sent: Big) => withSent(content, formatAmount(sent.toFixed(), 2))
  const offers: Offer[] = []

  let next = chooseAmount(offers, target, unit, quotesMax)
  for (let left = quotesMax - 1; next && left >= 0; left--) {
    const sent: Big = next
    try {
      offers.push(readOffer(sent, await ask(toContent(sent))))
      next = chooseAmount(offers, target, unit, left)
    } catch (error) {
      const isRefused = error instanceof SvcError && error.kind === 'refused'
      if (offers.length > 0 || !isRefused || sent.lte(modestAmount)) throw error
      next = modestAmount
    }
  }

  const best = findBest(offers, target)
  if (!best) throw createNotReachedError(payment, limits, offers)
  return {content: toContent(best.sent), quote: best.quote}
}
