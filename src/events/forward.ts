// Forwards stored events to one target, in order and at least once, also across restarts.
import {badUsage} from '../errors.ts'
import type {EventStore} from './store.ts'
import {type ForwardableEvent, buildForwardHeaders} from './targets.ts'
import type {GroupWriter} from './group-writer.ts'

const second = 1_000
const minute = 60 * second

// The pauses between attempts. After the last failed attempt, an event is only sent again by a replay.
const retryMs: readonly number[] = [
  second,
  2 * second,
  5 * second,
  15 * second,
  minute,
  5 * minute,
  15 * minute,
  60 * minute,
]
const attemptMsMax = 15 * second
const storePauseMs = second
const waitMsMax = minute
// How long an attempt in progress may take after the listener was asked to stop.
const stopGraceMs = second

export interface ForwardOutcome {
  id: string
  target: string
  forward: 'delivered' | 'retrying' | 'failed'
  // An HTTP status, or the name of the failure.
  outcome: string
  attempts: number
  nextAttemptAt: number | undefined
}

interface DueDelivery extends ForwardableEvent {
  seq: number
  attempts: number
}

const firstDue = `
  select d.seq, d.attempts, e.id, e.trust, e.headers, e.body
  from deliveries d join events e using (seq)
  where d.target = ? and d.status = 'PENDING' and d.due <= ? order by d.due, d.seq limit 1`

const nextDue = "select min(due) as due from deliveries where target = ? and status = 'PENDING'"

const setOutcome = `
  update deliveries set status = ?, attempts = attempts + 1, due = ?, outcome = ? where seq = ? and target = ?`

const isDelivered = (outcome: string) => /^2\d\d$/.test(outcome)

// Redirects are not followed: their status is the outcome. An attempt that was stopped has no outcome.
function send(event: ForwardableEvent, target: string, stop: AbortSignal): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(attemptMsMax)
  const {request} = process.getBuiltinModule(target.startsWith('https:') ? 'node:https' : 'node:http')
  return new Promise((resolve) => {
    const outgoing = request(target, {
      method: 'POST',
      headers: buildForwardHeaders(event, target),
      // A new connection for each attempt: the target may close a kept one at the moment it is used again.
      agent: false,
      signal: AbortSignal.any([timeout, stop]),
    })
    outgoing.on('response', (response) => {
      response.on('error', () => {})
      response.resume()
      resolve(String(response.statusCode ?? 0))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      resolve(stop.aborted ? undefined : timeout.aborted ? 'TIMEOUT' : (error.code ?? error.message))
    })
    outgoing.end(event.body)
  })
}

export class Forwarder {
  readonly #store: EventStore
  readonly #writer: GroupWriter
  readonly #target: string
  readonly #report: (outcome: ForwardOutcome) => void
  readonly #abort = new AbortController()
  #isEnding = false
  #wake: () => void = () => {}
  #work: Promise<void> | undefined

  constructor(store: EventStore, writer: GroupWriter, target: string, report: (outcome: ForwardOutcome) => void) {
    this.#store = store
    this.#writer = writer
    this.#target = target
    this.#report = report
  }

  start(): void {
    this.#work = this.#run()
  }

  // Call this when there is a new event to forward.
  wake(): void {
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    this.#wake()
    const limit = setTimeout(() => this.#abort.abort(), stopGraceMs)
    await this.#work
    clearTimeout(limit)
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      try {
        const due = this.#store.one<DueDelivery>(firstDue, this.#target, Date.now())
        if (due) await this.#attempt(due)
        else await this.#pause()
      } catch {
        // The store is busy or full. The delivery stays pending, so the event is sent again.
        await this.#pause(storePauseMs)
      }
    }
  }

  #pause(forMs?: number): Promise<void> {
    const due = this.#store.one<{due: number | null}>(nextDue, this.#target)?.due ?? Number.POSITIVE_INFINITY
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), forMs ?? Math.min(waitMsMax, Math.max(1, due - Date.now())))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #attempt(due: DueDelivery): Promise<void> {
    const outcome = await send(due, this.#target, this.#abort.signal)
    if (outcome === undefined) return
    const waitMs = retryMs[due.attempts]
    const forward = isDelivered(outcome) ? 'delivered' : waitMs === undefined ? 'failed' : 'retrying'
    const nextAttemptAt = forward === 'retrying' ? Date.now() + (waitMs ?? 0) : undefined
    const status = {delivered: 'DELIVERED', failed: 'FAILED', retrying: 'PENDING'}[forward]
    await this.#writer.write(() =>
      this.#store.run(setOutcome, status, nextAttemptAt ?? Date.now(), outcome, due.seq, this.#target),
    )
    this.#report({id: due.id, target: this.#target, forward, outcome, attempts: due.attempts + 1, nextAttemptAt})
  }
}

// Makes pending deliveries due now: whoever starts the listener has probably just repaired the targets.
export function makePendingDue(store: EventStore, targets: readonly string[]): void {
  for (const target of targets) {
    store.run("update deliveries set due = ? where target = ? and status = 'PENDING'", Date.now(), target)
  }
}

export interface Replay {
  ids: readonly string[]
  sinceMs: number | undefined
}

const requeue = `
  insert into deliveries (seq, target, due) select seq, ?, ? from events where (? is null or id = ?) and receivedAt >= ?
  on conflict (seq, target) do update set status = 'PENDING', attempts = 0, due = excluded.due`

// Queues stored events again for all targets, under their old ids. Returns how many.
export function queueReplay(store: EventStore, targets: readonly string[], {ids, sinceMs = 0}: Replay): number {
  const missing = ids.find((id) => !store.one('select 1 from events where id = ?', id))
  if (missing !== undefined) throw badUsage(`There is no event ${missing} in ${store.file}`, 'Nothing was sent')
  const selected = ids.length > 0 ? [...ids] : [null]
  store.transact(() => {
    for (const target of targets) for (const id of selected) store.run(requeue, target, Date.now(), id, id, sinceMs)
  })
  const count = (id: string | null) =>
    store.one<{n: number}>(
      'select count(*) as n from events where (? is null or id = ?) and receivedAt >= ?',
      id,
      id,
      sinceMs,
    )?.n ?? 0
  return selected.reduce((sum, id) => sum + count(id), 0)
}
