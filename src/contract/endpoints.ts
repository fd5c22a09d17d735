// Every endpoint of the service, each as one value: method, path, parameters, query, headers, body, reply.
import {z} from 'zod'
import {account} from './accounts.ts'
import {customer, customerCreate, customerPatch} from './customers.ts'
import {limits} from './vocabulary.ts'
import {quote, quoteCreate} from './quotes.ts'
import {rule, ruleCreate, ruleUpdate} from './rules.ts'
import {opaqueId, text, uuid} from './scalars.ts'
import {transaction, transactionCreate} from './transactions.ts'

export interface Endpoint {
  summary: string
  // What a program that calls it must know.
  note?: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  // An alternative path, where the interface leaves open which one is right.
  pathAlso?: string
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodObject
  reply: z.ZodObject
  // The field of a list reply that has the items.
  items?: string
}

const endpoint = <const T extends Endpoint>(value: T) => value

const paging = {
  pageToken: text.optional().describe('nextPageToken of the previous page'),
  pageSize: z
    .int(`must be a whole number from ${limits.pageSizeMin} to ${limits.pageSizeMax}`)
    .min(limits.pageSizeMin, `must be at least ${limits.pageSizeMin}`)
    .max(limits.pageSizeMax, `must be at most ${limits.pageSizeMax}`)
    .optional()
    .meta({default: limits.pageSizeDefault}),
}

const nextPageToken = z.string().nullish().describe('Absent, null or empty on the last page')

const customerParams = z.object({customerId: uuid})
const ruleParams = z.object({ruleId: opaqueId})

export const endpoints = {
  customers: {
    create: endpoint({
      summary: 'Create a customer',
      method: 'POST',
      path: '/customers',
      body: customerCreate,
      reply: customer,
    }),
    list: endpoint({
      summary: 'List customers',
      method: 'GET',
      path: '/customers',
      query: z.object({...paging, organizationId: uuid.optional()}),
      reply: z.object({customers: z.array(customer), nextPageToken}),
      items: 'customers',
    }),
    update: endpoint({
      summary: 'Submit or correct verification data',
      method: 'PATCH',
      path: '/customers/{customerId}',
      params: customerParams,
      body: customerPatch,
      reply: customer,
    }),
    // The interface leaves this path open: docs/assumptions.md, C1.
    get: endpoint({
      summary: 'Read a customer',
      method: 'GET',
      path: '/customers/{customerId}',
      pathAlso: '/customer/{customerId}',
      params: customerParams,
      query: z.object({
        includePaymentMethods: z.boolean().optional().describe('Adds availablePaymentMethods to the reply'),
      }),
      reply: customer,
    }),
  },
  accounts: {
    list: endpoint({
      summary: 'List the payment accounts of a customer',
      method: 'GET',
      path: '/payment-accounts',
      query: z.object({customerId: uuid, ...paging}),
      reply: z.object({paymentAccounts: z.array(account), nextPageToken}),
      items: 'paymentAccounts',
    }),
  },
  quotes: {
    create: endpoint({
      summary: 'Price a route',
      method: 'POST',
      path: '/quotes',
      body: quoteCreate,
      reply: quote,
    }),
  },
  transactions: {
    create: endpoint({
      summary: 'Create a transaction from a quote',
      note: 'One whose outcome is unknown may be sent again with the same key, never with another one.',
      method: 'POST',
      path: '/transactions',
      headers: z.object({'x-idempotency-key': text}),
      body: transactionCreate,
      reply: transaction,
    }),
    list: endpoint({
      summary: 'List transactions',
      method: 'GET',
      path: '/transactions',
      query: z.object({
        ...paging,
        customerId: uuid.optional(),
        // The client sends any id, since accounts have opaque ones everywhere else (docs/assumptions.md, M19).
        paymentAccountId: opaqueId.optional().meta({'x-format': 'uuid', description: 'A UUID'}),
        organizationId: uuid.optional(),
      }),
      reply: z.object({transactions: z.array(transaction), nextPageToken}),
      items: 'transactions',
    }),
  },
  rules: {
    create: endpoint({
      summary: 'Create an automation rule',
      method: 'POST',
      path: '/automation-rules',
      body: ruleCreate,
      reply: rule,
    }),
    list: endpoint({
      summary: 'List automation rules',
      method: 'GET',
      path: '/automation-rules',
      query: z.object({customerId: uuid.optional(), sourcePaymentAccountId: opaqueId.optional()}),
      reply: z.object({automationRules: z.array(rule)}),
      items: 'automationRules',
    }),
    get: endpoint({
      summary: 'Read an automation rule',
      method: 'GET',
      path: '/automation-rules/{ruleId}',
      params: ruleParams,
      reply: rule,
    }),
    update: endpoint({
      summary: 'Update an automation rule',
      note: 'Replaces the whole rule.',
      method: 'PUT',
      path: '/automation-rules/{ruleId}',
      params: ruleParams,
      body: ruleUpdate,
      reply: rule,
    }),
    delete: endpoint({
      summary: 'Delete an automation rule',
      note: 'Returns the rule as it was.',
      method: 'DELETE',
      path: '/automation-rules/{ruleId}',
      params: ruleParams,
      reply: rule,
    }),
  },
} as const

export type Endpoints = typeof endpoints

// The sandbox's handlers and the OpenAPI document use these names, such as 'customers.list'.
export type EndpointName = {
  [T in keyof Endpoints]: `${T}.${keyof Endpoints[T] & string}`
}[keyof Endpoints]

export const endpointEntries = Object.entries(endpoints).flatMap(([topic, verbs]) =>
  Object.entries<Endpoint>(verbs).map(([verb, value]) => ({
    name: `${topic}.${verb}` as EndpointName,
    topic,
    endpoint: value,
  })),
)
