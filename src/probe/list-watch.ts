// Watches the customer's list for the transactions of a probe: which tries they belong to, how long they took to be listed, and
// in which order they are.
import {quoteLifetimeMs} from '../payments/protocol/service.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'
import {readText} from '../values/records.ts'
import {toInstantMs} from '../values/time.ts'
import {type ProbeContext, requireTime} from './context.ts'
import {findRequestIds, getFirstUse} from './outcomes.ts'
import type {Moment, ProbeState, SentTry} from './probe-state.ts'

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

// Waits for a moment of the service's clock, and reads the list meanwhile.

// A key that a service forgets after a minute is forgotten by then.
const afterMinuteMs = 65_000
// The last try before a quote expires needs time to arrive.
const lateMarginMs = 20_000
const arrivalMs = 5_000
// The clocks of a service's machines may differ.
const expiredMarginMs = 10_000

const pauseFirstMs = 1_000
const pauseMaxMs = 15_000
// Each read also shows the service's clock.
const readEveryMs = 30_000

// A quote is valid for five minutes, even if it expires by another clock than that of the Date header.

// The quote must be valid when a request that uses it arrives.
const getLifeLeft = ({clock, time}: ProbeContext, {quoteExpiresAt = 0, armedAt}: SentTry) =>
  Math.min(quoteExpiresAt - clock.latest(), armedAt + quoteLifetimeMs - time.now())

// The last try of a key must come after this part of the quote's life has passed since the first use of the key.
const lateAgeMin = 0.85

// Whether a try at this moment can still use the first transaction: its quote must be valid then, and its key old enough.
export function canReach(context: ProbeContext, moment: Moment, first: SentTry): boolean {
  if (moment !== 'minute' && moment !== 'late') return getLifeLeft(context, first) > arrivalMs
  const waitMs = Math.max(0, getWaitMs(context, moment, first))
  if (getLifeLeft(context, first) - waitMs <= arrivalMs) return false
  if (moment === 'minute') return true
  const momentMs = context.time.now() + waitMs
  return momentMs - getFirstUse(context.state, first) >= lateAgeMin * (momentMs - first.armedAt)
}

// How long it is until the moment.
export function getWaitMs(context: ProbeContext, moment: Moment, first?: SentTry): number {
  const {state, time, clock} = context
  if (moment === 'minute' && first) return getFirstUse(state, first) + afterMinuteMs - time.now()
  if (moment === 'late' && first) return getLifeLeft(context, first) - lateMarginMs
  if (moment !== 'expired' || !state.oldQuote) return 0
  const {expiresAt, takenAt} = state.oldQuote
  return expiredMarginMs + Math.max(expiresAt - clock.earliest(), takenAt + quoteLifetimeMs - time.now())
}

// Whether the clock of the service stands still, or is much slower than this one, so that its quotes do not expire.
function hasStopped({time, clock}: ProbeContext, started: {now: number; service: number}): boolean {
  const waitedMs = time.now() - started.now
  return waitedMs >= readEveryMs && clock.earliest() - started.service < waitedMs / 2
}

// Returns false if the clock of the service stands still, so that the moment never comes.
export async function waitFor(
  context: ProbeContext,
  list: ListWatch,
  words: string,
  getLeftMs: () => number,
): Promise<boolean> {
  const {time, clock} = context
  let pauseMs = pauseFirstMs
  let readAt = time.now()
  const started = {now: time.now(), service: clock.earliest()}
  for (let leftMs = getLeftMs(); leftMs > 0; leftMs = getLeftMs()) {
    requireTime(context, Math.min(leftMs, pauseMaxMs))
    context.report(words, time.now() + leftMs)
    await time.sleep(Math.min(leftMs, pauseMs))
    pauseMs = Math.min(pauseMaxMs, pauseMs * 2)
    if (!list.isWaiting && time.now() - readAt < readEveryMs) continue
    await list.read({isComplete: false})
    readAt = time.now()
    if (hasStopped(context, started)) return false
  }
  return true
}
