// Collects the evidence of a payment while it is worked on: the answers of the service, and the lists that were read. It is
// written with the next line of history, so that it needs no write of its own.
import {AsyncLocalStorage} from 'node:async_hooks'
import {createHash, hash} from 'node:crypto'
import type {ObservedReply} from '../../client/connection.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {parseJson} from '../../values/json.ts'
import {readText} from '../../values/records.ts'

interface Collected {
  answers: Answer[]
  lists: ListWitness[]
  // The Date header of the last reply.
  date?: string | undefined
}

// Several payments share a client, so a reply belongs to the payment in whose course it arrived.
const current = new AsyncLocalStorage<Collected>()

const create = (): Collected => ({answers: [], lists: []})

// Evidence that was collected before, such as for a price that a person approved, is kept.
export const withEvidence = <T>(work: () => Promise<T>): Promise<T> =>
  current.getStore() ? work() : current.run(create(), work)

// For another payment in the course of one.
export const withOwnEvidence = <T>(work: () => Promise<T>): Promise<T> => current.run(create(), work)

// Ids, states, times and amounts. Everything else of a reply may name a person or an account of his.
const keptFields: ReadonlySet<string> = new Set([
  'transactionId',
  'quoteId',
  'correlationId',
  'customerId',
  'transactionStatus',
  'createdAt',
  'updatedAt',
  'expiresAt',
  'error',
  'statusCode',
  'sourcePaymentAccountId',
  'sourcePaymentMethod',
  'sourceCurrency',
  'sourceAmount',
  'destinationPaymentAccountId',
  'destinationPaymentMethod',
  'destinationCurrency',
  'destinationAmount',
  'exchangeRate',
  'estimatedExchangeRate',
  'feeAmount',
  'feeCurrency',
  'label',
  'guaranteeQuote',
  'isGuaranteed',
])

// The objects that have such fields. Others may have a field of the same name that is about a person.
const keptObjects: ReadonlySet<string> = new Set([
  'source',
  'destination',
  'fees',
  'svcFee',
  'developerFee',
  'sourceCurrency',
  'destinationCurrency',
  'feeCurrency',
  // Some services wrap what they return.
  'data',
  'transaction',
  'quote',
  'result',
])

const keptTextMax = 200
const fieldsTextMax = 100_000
const depthMax = 6
const codePattern = /^[A-Z][A-Z0-9_]{0,63}$/

function keepValue(name: string, value: unknown): unknown {
  if (!keptFields.has(name)) return undefined
  if (typeof value === 'number' || typeof value === 'boolean' || JSON.isRawJSON(value)) return value
  if (typeof value !== 'string' || value.length > keptTextMax) return undefined
  // Some services send a sentence where a code belongs.
  return name === 'error' && !codePattern.test(value) ? undefined : value
}

function keepFields(value: unknown, depth = 0): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return undefined
  if (depth > depthMax) return undefined
  let kept: Record<string, unknown> | undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = keepValue(name, inner) ?? (keptObjects.has(name) ? keepFields(inner, depth + 1) : undefined)
    if (found !== undefined) (kept ??= {})[name] = found
  }
  return kept
}

function readFields(text: string, json: unknown): Record<string, unknown> | undefined {
  if (text.length > fieldsTextMax) return undefined
  try {
    return keepFields(json ?? parseJson(text))
  } catch {
    return undefined
  }
}

// Only the replies to requests of the payment itself are answers: lists are witnessed as a whole.
export function observeAnswer({method, path, status, headers, text = '', json}: ObservedReply): void {
  const collected = current.getStore()
  if (!collected) return
  const date = headers.get('date') ?? undefined
  collected.date = date
  if (method !== 'POST') return
  collected.answers.push({
    method,
    path,
    status,
    date,
    receivedAt: new Date().toISOString(),
    digest: hash('sha256', text),
    fields: readFields(text, json),
  })
}

// Follows the read of a list, page by page.
export class ListObserver {
  readonly #startedAt = new Date().toISOString()
  readonly #ids = createHash('sha256')
  #pages = 0
  #transactions = 0

  add(page: readonly LooseTransaction[]): void {
    this.#pages++
    this.#transactions += page.length
    for (const {transactionId} of page) this.#ids.update(`${readText(transactionId)}\n`)
  }

  // What the read showed, without the transactions of any payment.
  finish(isComplete: boolean): Omit<ListWitness, 'matches'> {
    const date = current.getStore()?.date
    return {
      startedAt: this.#startedAt,
      endedAt: new Date().toISOString(),
      ...(date !== undefined && {date}),
      pages: this.#pages,
      transactions: this.#transactions,
      isComplete,
      digest: this.#ids.digest('hex'),
    }
  }
}

// A list that is read for many payments is a witness for each of them.
export function noteList(read: Omit<ListWitness, 'matches'>, matches: readonly LooseTransaction[]): void {
  const collected = current.getStore()
  if (!collected) return
  const ids = matches.map(({transactionId}) => readText(transactionId))
  // A payment is looked for by each of its ids.
  const last = collected.lists.at(-1)
  const isSame = last?.startedAt === read.startedAt && last.digest === read.digest
  const others = isSame ? collected.lists.splice(-1).flatMap((list) => list.matches) : []
  collected.lists.push({...read, matches: [...new Set([...others, ...ids])]})
}

// What was collected since the last line. `markWritten` forgets it, once it is in the journal.
export function takeEvidence(): {evidence: Evidence | undefined; markWritten: () => void} {
  const collected = current.getStore()
  const answers = collected?.answers ?? []
  const lists = collected?.lists ?? []
  const isEmpty = answers.length === 0 && lists.length === 0
  return {
    evidence: isEmpty
      ? undefined
      : {...(answers.length > 0 && {answers: [...answers]}), ...(lists.length > 0 && {lists: [...lists]})},
    markWritten() {
      if (!collected) return
      collected.answers = []
      collected.lists = []
    },
  }
}

// What the journal keeps as evidence of a line of its history: what the service answered, by whose clock, and which of its
// lists were read. It has ids, amounts and digests, but no personal data: a transaction may name the owner of an account.

// A reply to a request of the payment.
export interface Answer {
  method: string
  path: string
  status: number
  // The service's clock: the Date header of the reply, as it came.
  date?: string | undefined
  // When it arrived, by the clock of this machine.
  receivedAt: string
  // SHA-256 of the exact text of the reply, which itself is not kept.
  digest: string
  // The fields of the reply that name no person.
  fields?: Readonly<Record<string, unknown>> | undefined
}

// A list of the service's transactions that was read to see whether it has this payment.
export interface ListWitness {
  // When the read began and ended, by the clock of this machine.
  startedAt: string
  endedAt: string
  // The Date header of its last page.
  date?: string | undefined
  pages: number
  transactions: number
  isComplete: boolean
  // SHA-256 of the ids that it had, in their order, one a line.
  digest: string
  // The transactions of this payment among them.
  matches: readonly string[]
}

export interface Evidence {
  answers?: readonly Answer[] | undefined
  lists?: readonly ListWitness[] | undefined
}
