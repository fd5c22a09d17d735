// Watches the customer's list for the transactions of a probe: which tries they belong to, how long they took to be listed, and
// in which order they are.
import type {LooseTransaction} from '../contract/loose.ts'
import {readText} from '../values/records.ts'
import {toInstantMs} from '../values/time.ts'
import {SvcError} from '../errors.ts'
import type {ProbeContext} from './context.ts'
import {findRequestIds} from './outcomes.ts'
import type {ProbeState, SentTry} from './probe-state.ts'

// The transactions of this run that were not listed when the list was last read.
export class ListWatch {
  // By transaction id, the time of the reply.
  readonly #waiting = new Map<string, number>()
  readonly #context: ProbeContext

  constructor(context: ProbeContext) {
    this.#context = context
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  // How long the oldest of them has been missing.
  get missingMs(): number {
    return this.#context.time.now() - Math.min(...this.#waiting.values())
  }

  expect(sent: SentTry): void {
    const {state} = this.#context
    const listed = new Set(state.listed.map(({transactionId}) => transactionId))
    for (const reply of sent.replies) {
      if (reply.kind !== 'transaction' || listed.has(reply.transactionId)) continue
      if (!this.#waiting.has(reply.transactionId)) this.#waiting.set(reply.transactionId, sent.answeredAt ?? 0)
    }
  }

  // Reads the whole list, or its first page if that is where new transactions are. A list that cannot be read shows nothing.
  async read({isComplete}: {isComplete: boolean}): Promise<boolean> {
    const {state, service, time, save, checkpoint} = this.#context
    const isFirstPageEnough = !isComplete && state.listOrder === 'newest-first'
    const startedAt = time.now()
    const transactions: LooseTransaction[] = []
    try {
      for await (const page of service.transactions(state.content.customerId, {isFirstPageEnough})) {
        transactions.push(...page)
      }
    } catch (error) {
      if (error instanceof SvcError && error.kind === 'unreachable') return false
      throw error
    }
    for (const transaction of transactions) this.#observe(transaction)
    if (!isFirstPageEnough) {
      state.listReadAt = startedAt
      const order = findOrder(transactions)
      if (order) state.listOrder = order
    }
    save()
    checkpoint('listed')
    return true
  }

  #observe(transaction: LooseTransaction): void {
    const {state, time} = this.#context
    const id = readText(transaction.transactionId)
    if (id === '' || !isOurs(state, transaction)) return
    if (!state.listed.some(({transactionId}) => transactionId === id)) {
      const correlationId = readText(transaction.correlationId)
      const quoteId = readText(transaction.quoteId)
      state.listed.push({transactionId: id, quoteId, ...(correlationId !== '' && {correlationId}), seenAt: time.now()})
    }
    const answeredAt = this.#waiting.get(id)
    if (answeredAt === undefined) return
    this.#waiting.delete(id)
    state.listLagMs = Math.max(state.listLagMs ?? 0, time.now() - answeredAt, 0)
  }
}

const isOurs = ({tries}: ProbeState, {transactionId, quoteId, correlationId}: LooseTransaction) =>
  tries.some(
    (sent) =>
      sent.correlationId === correlationId ||
      sent.quoteId === quoteId ||
      sent.replies.some((reply) => reply.kind === 'transaction' && reply.transactionId === transactionId),
  )

// Undefined if the times do not tell.
function findOrder(transactions: readonly LooseTransaction[]): ProbeState['listOrder'] {
  const times = transactions.map(({createdAt}) => toInstantMs(createdAt)).filter((time) => time !== undefined)
  const steps = new Set(times.slice(1).map((time, index) => Math.sign(time - (times[index] ?? time))))
  const [hasRise, hasFall] = [steps.has(1), steps.has(-1)]
  if (hasRise && hasFall) return 'other'
  if (!hasRise && !hasFall) return undefined
  return hasFall ? 'newest-first' : 'oldest-first'
}

// Whether the list shows a transaction of a try whose reply was lost.
export const isFound = (state: ProbeState, sent: SentTry): boolean => findRequestIds(state, sent).length > 0
