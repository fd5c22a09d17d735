// Forwards stored events to one target, in order and at least once, also across restarts.
import {badUsage} from '../errors.ts'
import {isAccepted, postEvent} from './post-event.ts'
import type {EventStore} from './store.ts'
import {type ForwardableEvent, buildForwardHeaders} from './targets.ts'
import {minuteMs, secondMs} from '../values/time.ts'

// The pauses between attempts. After the last failed attempt, an event is only sent again by a replay.
const retryMs: readonly number[] = [
  secondMs,
  2 * secondMs,
  5 * secondMs,
  15 * secondMs,
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  60 * minuteMs,
]
const storePauseMs = secondMs
const waitMsMax = minuteMs
// How long an attempt in progress may take after the listener was asked to stop.
const stopGraceMs = secondMs

export interface ForwardOutcome {
  id: string
  target: string
  forward: 'delivered' | 'retrying' | 'failed'
  // An HTTP status, or the name of the failure.
  outcome: string
  attempts: number
  nextAttemptAt: number | undefined
}

interface PendingDelivery extends ForwardableEvent {
  seq: number
  attempts: number
  due: number
}

// An event waits for those before it, until they were accepted or given up.
const firstPending = `
  select d.seq, d.attempts, d.due, e.id, e.trust, e.headers, e.body
  from deliveries d join events e using (seq)
  where d.target = ? and d.status = 'PENDING' order by d.seq limit 1`

const setOutcome = `
  update deliveries set status = ?, attempts = attempts + 1, due = ?, outcome = ? where seq = ? and target = ?`

export class Forwarder {
  readonly #store: EventStore
  readonly #target: string
  readonly #report: (outcome: ForwardOutcome) => void
  readonly #abort = new AbortController()
  #isEnding = false
  #wake: () => void = () => {}
  #work: Promise<void> | undefined

  constructor(store: EventStore, target: string, report: (outcome: ForwardOutcome) => void) {
    this.#store = store
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
        const next = this.#store.one<PendingDelivery>(firstPending, this.#target)
        const waitMs = next ? next.due - Date.now() : waitMsMax
        if (next && waitMs <= 0) await this.#attempt(next)
        else await this.#pause(Math.min(waitMs, waitMsMax))
      } catch {
        // The store is busy or full. The delivery stays pending, so the event is sent again.
        await this.#pause(storePauseMs)
      }
    }
  }

  #pause(forMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), forMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #attempt(due: PendingDelivery): Promise<void> {
    const posted = await postEvent({
      url: this.#target,
      headers: buildForwardHeaders(due, this.#target),
      body: due.body,
      stop: this.#abort.signal,
    })
    if (!posted) return
    const {outcome} = posted
    const waitMs = retryMs[due.attempts]
    const forward = isAccepted(outcome) ? 'delivered' : waitMs === undefined ? 'failed' : 'retrying'
    const nextAttemptAt = forward === 'retrying' ? Date.now() + (waitMs ?? 0) : undefined
    const status = {delivered: 'DELIVERED', failed: 'FAILED', retrying: 'PENDING'}[forward]
    this.#store.run(setOutcome, status, nextAttemptAt ?? Date.now(), outcome, due.seq, this.#target)
    this.#report({
      id: due.id,
      target: this.#target,
      forward,
      outcome,
      attempts: due.attempts + 1,
      nextAttemptAt,
    })
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

const queue = `
  insert into deliveries (seq, target, due) values (?, ?, ?)
  on conflict (seq, target) do update set status = 'PENDING', attempts = 0, due = excluded.due`

// Queues one event for the targets, also if it was queued before. Call this inside a transaction.
export function queueEvent(store: EventStore, seq: number, targets: readonly string[], due: number): void {
  for (const target of targets) store.run(queue, seq, target, due)
}

// Queues stored events again for all targets, under their old ids. Returns how many.
export function queueReplay(store: EventStore, targets: readonly string[], {ids, sinceMs = 0}: Replay): number {
  const missing = ids.find((id) => !store.one('select 1 from events where id = ?', id))
  if (missing !== undefined) throw badUsage(`There is no event ${missing} in ${store.file}`, 'Nothing was sent')
  return store.transact(() => {
    const events = store.all<{id: string; seq: number}>('select id, seq from events where receivedAt >= ?', sinceMs)
    const selected = ids.length > 0 ? events.filter(({id}) => ids.includes(id)) : events
    for (const {seq} of selected) queueEvent(store, seq, targets, Date.now())
    return selected.length
  })
}
