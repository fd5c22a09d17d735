// The schema of the body of a request, by the name of its endpoint. The two requests of a payment need a small part of the
// contract, so that part is loaded alone.
import type {z} from 'zod'

const ownModules: Readonly<Record<string, () => Promise<z.ZodType>>> = {
  'quotes.create': async () => (await import('./quotes.ts')).quoteCreate,
  'transactions.create': async () => (await import('./transactions.ts')).transactionCreate,
}

async function findInEndpoints(name: string): Promise<z.ZodType | undefined> {
  const {endpointEntries} = await import('./endpoints.ts')
  return endpointEntries.find((entry) => entry.name === name)?.endpoint.body
}

export const loadBodySchema = (name: string): Promise<z.ZodType | undefined> =>
  ownModules[name]?.() ?? findInEndpoints(name)
