// The tools that read. Each is a command of svc, so that an agent and an operator see the same: its words are those of the help, and
// its input is flags of the command.
import {z} from 'zod'
import type {CommandDescription, HelpSource} from '../cli/help/help-source.ts'
import {amountPattern} from '../contract/vocabulary.ts'
import {SvcError} from '../errors.ts'

interface CommandInput {
  // The id of the command.
  command: string
  // The flags that an agent may give, and those of them that it must.
  flags?: readonly string[]
  required?: readonly string[]
  // What the agent calls the argument of the command.
  argument?: string
}

export interface ReadTool extends CommandInput {
  name: string
  // What an agent has to know besides.
  note?: string
  // Flags that are always given.
  fixed?: readonly string[]
}

// Emails are masked, and nobody shall find them out by trying.
const searchesMax = 50
const limitDefault = 20
const limitMax = 50

const text = z.string().min(1).max(500)

// Where the words of the help are not for agents, or a value has narrower bounds.
const otherwise: Readonly<Record<string, z.ZodType>> = {
  limit: z.int().min(1).max(limitMax).describe(`How many to return: ${limitDefault} unless given, at most ${limitMax}`),
  'page-token': z.string().min(1).max(4000).describe('nextPageToken of the previous answer, for the next page'),
  guarantee: z
    .boolean()
    .describe('Whether the amount that arrives is guaranteed; receive, minRate and minReceived imply it'),
}

const toField = (flag: string) => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
const toFlag = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

// A flag as a field. Its words name other flags, which are fields to the agent.
function toSchema(flag: CommandDescription['flags'][string]): z.ZodType {
  const words = (flag.summary ?? '').replaceAll(/--([a-z-]+)/g, (_, name: string) => toField(name))
  if (flag.type === 'boolean') return z.boolean().describe(words)
  if (flag.options) return z.enum(flag.options).describe(words)
  if (flag.helpValue !== 'AMOUNT' && flag.helpValue !== 'RATE') return text.describe(words)
  return z.string().regex(amountPattern).describe(`${words}, as decimal text such as 120.50`)
}

export function createInput(help: HelpSource, {command, flags = [], required = [], argument}: CommandInput) {
  const {flags: known = {}, args = {}} = help.readCommands()[command] ?? {}
  const fields = flags.map((flag) => {
    const described = known[flag]
    const schema = otherwise[flag] ?? (described ? toSchema(described) : text)
    return [toField(flag), required.includes(flag) ? schema : schema.optional()] as const
  })
  const [described] = Object.values(args)
  const named = argument === undefined ? [] : [[argument, text.describe(described?.description ?? '')] as const]
  return z.strictObject(Object.fromEntries<z.ZodType>([...named, ...fields]))
}

export const describeTool = (help: HelpSource, {command, note}: ReadTool): string =>
  [help.summaries[command], note].filter(Boolean).join('. ')

const isSearch = ({search, customer}: Readonly<Record<string, unknown>>) =>
  search !== undefined || (typeof customer === 'string' && customer.includes('@'))

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

// Values are attached to their flags, so that one that begins with a dash is never read as a flag.
export const toFlags = (input: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(input).flatMap(([field, value]) => {
    if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${toFlag(field)}`]
    return typeof value === 'string' || typeof value === 'number' ? [`--${toFlag(field)}=${value}`] : []
  })

// An argument follows the mark after which there are no flags.
export function toArgv({argument = '', flags = [], fixed = []}: ReadTool, input: Readonly<Record<string, unknown>>) {
  const {[argument]: named, ...given} = input
  const paged = flags.includes('limit') ? {limit: limitDefault, ...given} : given
  return [...fixed, ...toFlags(paged), ...(typeof named === 'string' ? ['--', named] : [])]
}

const parties = ['customer', 'from', 'to']
const methods = ['from-currency', 'from-method', 'to-currency', 'to-method']

// A payment. An agent's key names one payment, so it has no slots, and nothing but a person allows
// a duplicate.
export const payInput: CommandInput = {
  command: 'pay',
  flags: [
    ...parties,
    'amount',
    'receive',
    ...methods,
    'developer-fee',
    'developer-fee-type',
    'guarantee',
    'max-fee',
    'max-send',
    'min-rate',
    'min-received',
  ],
  required: parties,
}

const paging = ['limit', 'page-token']

export const readTools: readonly ReadTool[] = [
  {
    name: 'customers_list',
    command: 'customers:list',
    flags: ['status', 'type', 'search', 'since', ...paging],
    fixed: ['--whole-words'],
    note: `Names and emails are masked. A search finds whole words; a session may search ${searchesMax} times`,
  },
  {name: 'customer_get', command: 'customers:get', argument: 'customer', fixed: ['--payment-methods']},
  {name: 'customer_issues', command: 'customers:issues', argument: 'customer'},
  {name: 'codes', command: 'codes', argument: 'code'},
  {name: 'accounts_list', command: 'accounts:list', flags: ['customer', ...paging], required: ['customer']},
  {
    name: 'quote',
    command: 'quotes:create',
    flags: [...parties, 'amount', ...methods],
    required: [...parties, 'amount'],
    note: 'A quote moves no money. To pay, use pay_prepare',
  },
  {
    name: 'transactions_list',
    command: 'transactions:list',
    flags: ['customer', 'account', 'status', 'since', ...paging],
  },
  {name: 'transaction_get', command: 'transactions:get', argument: 'transaction', flags: ['customer']},
  {name: 'rules_list', command: 'rules:list', flags: ['customer']},
  {name: 'rule_get', command: 'rules:get', argument: 'rule'},
  {name: 'journal_list', command: 'journal:list', flags: ['state', 'since', 'limit']},
  {name: 'journal_show', command: 'journal:show', argument: 'key'},
  {name: 'reconcile', command: 'reconcile', flags: ['since'], required: ['since']},
  {name: 'doctor', command: 'doctor'},
]
