// The tools that read. Each is a command of svc, so that an agent and an operator see the same.
import {z} from 'zod'
import {SvcError} from '../errors.ts'

export interface ReadTool {
  name: string
  title: string
  description: string
  // The id of the command. Each field of the input is the flag of that name, but for one that is an argument.
  command: string
  argument?: string
  // Flags that are always given.
  fixed?: readonly string[]
  input: z.ZodObject
}

const limitDefault = 20
const limitMax = 50

const paging = {
  limit: z
    .int()
    .min(1)
    .max(limitMax)
    .optional()
    .describe(`How many to return: ${limitDefault} unless given, at most ${limitMax}`),
  pageToken: z.string().min(1).max(4000).optional().describe('nextPageToken of the previous answer, for the next page'),
}

const text = z.string().min(1).max(500)

// Emails are masked, and nobody shall find them out by trying.
const searchesMax = 50
const searchRule = `a session may search ${searchesMax} times`

const customer = text.describe(
  'The id of a customer, its first 8 characters, or its email, which counts as a search; customers_list with search finds it by name',
)
const since = text.describe('A point in time or an age, such as 2026-11-01 or 7d')

const isSearch = ({search, customer: named}: Readonly<Record<string, unknown>>) =>
  search !== undefined || (typeof named === 'string' && named.includes('@'))

// Counts the searches of a session, in whichever tool. Returns why there can be no more.
export function createSearchLimit(): (input: Readonly<Record<string, unknown>>) => SvcError | undefined {
  let left = searchesMax
  return (input) => {
    if (!isSearch(input) || left-- > 0) return undefined
    return new SvcError({
      error: 'SEARCHED_TOO_OFTEN',
      kind: 'limit',
      message: `This session has searched ${searchesMax} times, and may not search again`,
      hint: 'Use the ids that were found, or customers_list without search',
    })
  }
}

// The input of a payment and of its price.
export const routeInput = {
  customer,
  from: text.describe('The payment account that is paid from'),
  to: text.describe('The payment account that is paid to'),
  amount: z
    .string()
    .regex(/^\d{1,30}(\.\d{1,30})?$/)
    .describe('What is paid, as decimal text such as 120.50'),
  fromCurrency: text.optional(),
  fromMethod: text.optional(),
  toCurrency: text.optional(),
  toMethod: text.optional(),
}

const toFlagName = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

// Values are attached to their flags, so that one that begins with a dash is never read as a flag.
export const toFlags = (input: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(input).flatMap(([field, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [`--${toFlagName(field)}=${value}`] : [],
  )

// An argument follows the mark after which there are no flags.
export function toArgv(
  {argument, fixed = [], input: schema}: ReadTool,
  input: Readonly<Record<string, unknown>>,
): string[] {
  const given: Record<string, unknown> = {...('limit' in schema.shape && {limit: limitDefault}), ...input}
  const named = argument === undefined ? undefined : given[argument]
  if (argument !== undefined) delete given[argument]
  return [...fixed, ...toFlags(given), ...(typeof named === 'string' ? ['--', named] : [])]
}

export const readTools: readonly ReadTool[] = [
  {
    name: 'customers_list',
    title: 'List customers',
    description: 'Customers with their verification status. Names and emails are masked.',
    input: z.strictObject({
      status: text.optional().describe('Such as ACTIVE or NEEDS_ADDITIONAL_INFORMATION'),
      type: z.enum(['INDIVIDUAL', 'BUSINESS']).optional(),
      search: text
        .optional()
        .describe(`Only those whose name, email or id has these words, each as a whole; ${searchRule}`),
      since: since.optional(),
      ...paging,
    }),
    command: 'customers:list',
    fixed: ['--whole-words'],
  },
  {
    name: 'customer_get',
    title: 'Show a customer',
    description: 'One customer: status, type, and the payment methods that are open to it.',
    input: z.strictObject({customer}),
    command: 'customers:get',
    argument: 'customer',
    fixed: ['--payment-methods'],
  },
  {
    name: 'customer_issues',
    title: 'Explain what verification refused',
    description: 'The verification issues of a customer, each with its meaning, who can resolve it, and what to do.',
    input: z.strictObject({customer}),
    command: 'customers:issues',
    argument: 'customer',
  },
  {
    name: 'codes',
    title: 'Explain issue codes',
    description: 'The meaning of verification issue codes and what to do about them. Without a code, all of them.',
    input: z.strictObject({code: text.optional()}),
    command: 'codes',
    argument: 'code',
  },
  {
    name: 'accounts_list',
    title: 'List payment accounts',
    description: 'The payment accounts of a customer: bank accounts and wallets, with currency and method.',
    input: z.strictObject({customer, ...paging}),
    command: 'accounts:list',
  },
  {
    name: 'quote',
    title: 'Price a payment',
    description:
      'Requests a quote: what arrives, the fees and the rate. A quote moves no money and is valid for five minutes. To pay, use pay_prepare.',
    input: z.strictObject(routeInput),
    command: 'quotes:create',
  },
  {
    name: 'transactions_list',
    title: 'List transactions',
    description: 'Transactions with status, amounts and fees, newest first as the service sorts them.',
    input: z.strictObject({
      customer: customer.optional(),
      account: text.optional().describe('The id of a payment account'),
      status: text.optional().describe('Such as COMPLETED or AWAITING_TRANSFER'),
      since: since.optional(),
      ...paging,
    }),
    command: 'transactions:list',
  },
  {
    name: 'transaction_get',
    title: 'Show a transaction',
    description: 'One transaction. Naming its customer makes it quicker to find.',
    input: z.strictObject({transaction: text, customer: customer.optional()}),
    command: 'transactions:get',
    argument: 'transaction',
  },
  {
    name: 'rules_list',
    title: 'List automation rules',
    description: 'The automation rules, with their triggers and amounts.',
    input: z.strictObject({customer: customer.optional()}),
    command: 'rules:list',
  },
  {
    name: 'rule_get',
    title: 'Show a rule',
    description: 'One automation rule.',
    input: z.strictObject({rule: text}),
    command: 'rules:get',
    argument: 'rule',
  },
  {
    name: 'journal_list',
    title: 'List payments of the journal',
    description:
      'The payments that svc made or tried, by key, with the state of each. UNKNOWN ones need to be settled.',
    input: z.strictObject({
      state: text.optional().describe('Such as UNKNOWN or CREATED'),
      since: since.optional(),
      limit: paging.limit,
    }),
    command: 'journal:list',
  },
  {
    name: 'journal_show',
    title: 'Show a payment of the journal',
    description: 'One payment and its history, by key.',
    input: z.strictObject({key: text}),
    command: 'journal:show',
    argument: 'key',
  },
  {
    name: 'reconcile',
    title: 'Compare the journal with the service',
    description: 'Finds payments that the journal and the service see differently.',
    input: z.strictObject({since}),
    command: 'reconcile',
  },
  {
    name: 'doctor',
    title: 'Check the set-up',
    description: 'Checks settings, credential, clock and service, and says what to do about what is wrong.',
    input: z.strictObject({}),
    command: 'doctor',
  },
]
