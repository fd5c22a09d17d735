// The route whose rate is watched, from flags and a file, and the rate of a quote.
import {Directory} from '../accounts/directory.ts'
import type {Client} from '../client/client.ts'
import {type Body, getValue} from '../values/body-paths.ts'
import type {Finder} from '../cli/ids/finder.ts'
import {toText} from '../cli/output/view.ts'
import type {Figure} from '../cli/watch/watch-figure.ts'
import type {LooseQuote} from '../contract/loose.ts'
import type {Problem} from '../contract/problems.ts'
import {SvcError} from '../errors.ts'
import {completeRoute, createOpenChoiceError, isDetailPath, lacksDetails, omitDetailFlags} from './complete-route.ts'
import {type QuoteFlags, readQuoteBody, validateQuote} from './quote-body.ts'
import {checkRouteFlags, resolveRoute} from './resolve-route.ts'

interface RouteToQuote {
  unresolved: Body
  // The flags of missing fields.
  missing: string[]
  // What is wrong with the fields that are present.
  problems: Problem[]
  // Looks up what the flags mean, and completes the route with what its accounts decide.
  resolve: (finder: Finder, client: Client) => Promise<{body: Body; unit: string}>
}

export async function readRouteToQuote(flags: QuoteFlags, finder: Finder): Promise<RouteToQuote> {
  const unresolved = await readQuoteBody(checkRouteFlags(flags, finder))
  const {missing, wrong} = validateQuote(unresolved)
  return {
    unresolved,
    missing: omitDetailFlags(missing),
    problems: wrong.filter(({kind, path}) => !(kind === 'missing' && isDetailPath('', path))),
    async resolve(connected, client) {
      const body = await complete(client, await resolveRoute(connected, unresolved, flags, ''))
      const currencies = ['source.sourceCurrency', 'destination.destinationCurrency']
      return {body, unit: currencies.map((path) => toText(getValue(body, path)).toUpperCase()).join('/')}
    },
  }
}

async function complete(client: Client, given: Body): Promise<Body> {
  if (!lacksDetails(given, '')) return given
  const accounts = await new Directory(client).readAccounts(toText(given['customerId']))
  const {body, choices} = completeRoute(accounts, given, '')
  if (choices.length > 0) throw createOpenChoiceError(choices)
  return body
}

const decimalPattern = /^\d{1,30}(\.\d{1,30})?$/

export function toRateFigure({estimatedExchangeRate, destinationAmount}: LooseQuote, body: Body): Figure {
  const value = toText(estimatedExchangeRate)
  if (!decimalPattern.test(value)) {
    throw new SvcError({
      error: 'QUOTE_UNREADABLE',
      kind: 'unreachable',
      message: 'The service sent a quote without a rate that can be read',
    })
  }
  return {
    value,
    fields: {
      from: getValue(body, 'source.sourceCurrency'),
      to: getValue(body, 'destination.destinationCurrency'),
      amount: getValue(body, 'source.sourceAmount'),
      received: destinationAmount,
    },
  }
}
