// What a rule's next move would cost: a quote of the service, which moves nothing.
import type {Client} from '../../client/client.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import type {Simulation} from './simulate-rule.ts'

// A quote that cannot be had, or not even be asked for, leaves the rest of a simulation true; a refused credential is
// no matter of the quote alone.
const quoteFailureKinds: ReadonlySet<ErrorKind> = new Set([
  'usage',
  'refused',
  'notFound',
  'unreachable',
  'unknownOutcome',
])

// Either a way to ask, or the reason why nobody is asked.
export type QuoteSource = {client: () => Promise<Client>} | {noQuote: string}

// The amount that would move first, if any would.
const findFirstAmount = ({moves: [first]}: Simulation): string | undefined =>
  first?.refused === undefined ? first?.amount : undefined

async function fetchQuote({rule}: Simulation, sourceAmount: string, client: Client): Promise<Partial<Simulation>> {
  const {source, destination, developerFee} = rule.transactionTemplate
  const body = {
    customerId: rule.customerId,
    source: {...source, sourceAmount},
    destination,
    ...(developerFee && {developerFee}),
  }
  try {
    return {quote: await client.quotes.create({body})}
  } catch (error) {
    if (!(error instanceof SvcError) || !quoteFailureKinds.has(error.kind)) throw error
    return {noQuote: error.message}
  }
}

// The same simulations, each with the price of its first move, or with the reason why there is none.
export async function addQuotes(simulations: readonly Simulation[], asking: QuoteSource): Promise<Simulation[]> {
  const priced: Simulation[] = []
  for (const simulation of simulations) {
    const amount = findFirstAmount(simulation)
    const price = 'noQuote' in asking ? asking : amount && (await fetchQuote(simulation, amount, await asking.client()))
    const {notes, ...known} = simulation
    priced.push(amount === undefined || !price ? simulation : {...known, ...price, notes})
  }
  return priced
}
