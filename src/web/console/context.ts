// What every page of the console is given, and how a page reads without failing as a whole.
import type {Content} from '../html.ts'
import type {ConsoleSource} from './source.ts'

type Parameters = Readonly<Record<string, string | undefined>>

// What an operator of the sandbox can do with the item of a page. A profile's console has no actions.
export type ActionSubject = 'customer' | 'account' | 'transaction'

export interface ConsoleContext {
  source: ConsoleSource
  // The path of this page.
  path: string
  // The query of this page, without the token.
  query: Parameters
  now: number
  // An address of the console, with what it takes to be let in.
  link: (path: string, parameters?: Parameters) => string
  // Hidden inputs that a search form needs to stay in the console.
  hiddenInputs: Parameters
  // Shown at the bottom of a detail page.
  renderActions?: ((subject: ActionSubject, id: string) => Content) | undefined
}

export interface ConsolePage {
  title: string
  body: Content
  status?: number
}

export const paths = {
  overview: '/',
  customers: '/console/customers',
  customer: '/console/customer',
  accounts: '/console/accounts',
  account: '/console/account',
  transactions: '/console/transactions',
  transaction: '/console/transaction',
  rules: '/console/rules',
  rule: '/console/rule',
  events: '/console/events',
  event: '/console/event',
  journal: '/console/journal',
  payment: '/console/payment',
  requests: '/console/requests',
  request: '/console/request',
} as const

// Either the value, or one sentence about why it could not be read.
export type Outcome<T> = {value: T; failure?: undefined} | {value?: undefined; failure: string}

// A failed read becomes a sentence on the page. A fault in svc itself is not hidden.
export async function tryRead<T>({source}: ConsoleContext, read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return {value: await read()}
  } catch (error) {
    const failure = source.describeFailure(error)
    if (failure === undefined) throw error
    return {failure}
  }
}
