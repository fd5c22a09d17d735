// Adds a quote for the first move to each simulation. A quote moves no money.
import type {Client} from '../../client/client.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import type {Simulation} from './simulate-rule.ts'

// After these failures the simulation is still useful without a quote. An invalid credential is not among them.
const quoteFailureKinds: ReadonlySet<ErrorKind> = new Set([
  'usage',
  'refused',
  'notFound',
  'unreachable',
  'unknownOutcome',
])

// How to request quotes, or why none are requested.
export type QuoteSource = {client: () => Promise<Client>} | {noQuote: string}

// Undefined if nothing would move.
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

export async function addQuotes(simulations: readonly Simulation[], source: QuoteSource): Promise<Simulation[]> {
  const quoted: Simulation[] = []
  for (const simulation of simulations) {
    const amount = findFirstAmount(simulation)
    const quote = 'noQuote' in source ? source : amount && (await fetchQuote(simulation, amount, await source.client()))
    const {notes, ...known} = simulation
    quoted.push(amount === undefined || !quote ? simulation : {...known, ...quote, notes})
  }
  return quoted
}
