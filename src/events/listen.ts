// Listens: puts the receiver, the store, the forwarders and the reads of customers together.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Item} from './event.ts'
import {type ForwardOutcome, Forwarder, type Replay, hurry, replay} from './forward.ts'
import {type Receiver, type Refusal, startReceiver} from './receive.ts'
import {type Recorded, announcedSeq, eventsAfter, record, recordedOf, setAnnounced} from './record.ts'
import {type Fetched, Refetcher} from './refetch.ts'
import type {Secrets} from './signature.ts'
import type {EventStore} from './store.ts'
import {Writer} from './writer.ts'

// Whoever listens to the listener.
export interface Audience {
  state(state: 'listening' | 'lost' | 'stopped', about: {url?: string; reason?: string}): void
  // `written` is to be called when the line has reached its reader.
  event(recorded: Recorded, written: () => void): void
  refused(refusal: Refusal): void
  forwarded(outcome: ForwardOutcome): void
  fetched(fetched: Fetched): void
  isBehind(): boolean
  // Resolves when everything said so far has reached its reader.
  settled(): Promise<void>
  // Rejects when output cannot be written: what was not shown is shown at the next start.
  failure: Promise<never>
}

export interface ListenOptions {
  store: EventStore
  secrets: Secrets | undefined
  host: string
  port: number
  path: string
  targets: readonly string[]
  replay: Replay | undefined
  fetchCustomer: ((customerId: string) => Promise<Item>) | undefined
  audience: Audience
}

export interface Listening {
  replayed: number
  // Resolves when it was told to stop and everything is in its place.
  until(stopped: Promise<void>): Promise<void>
}

const pageSize = 100
const behindPauseMs = 50

// Remembers what was shown. It is written along with the next event, or by itself when it is quiet.
function announcer(store: EventStore, writer: Writer) {
  let announced = announcedSeq(store)
  let isWriting = false
  const write = async () => {
    if (isWriting) return
    isWriting = true
    for (let written = 0; written < announced;) {
      const upTo = announced
      // If it fails, some events are shown once more after a restart.
      await writer.write(() => setAnnounced(store, upTo)).catch(() => {})
      written = upTo
    }
    isWriting = false
  }
  return {
    announce: (seq: number) => {
      announced = Math.max(announced, seq)
      void write()
    },
    last: () => store.transact(() => setAnnounced(store, announced)),
  }
}

export async function listen(options: ListenOptions): Promise<Listening> {
  const {store, targets, audience, fetchCustomer} = options
  store.lock()
  const writer = new Writer(store)
  const {announce, last} = announcer(store, writer)
  const refetcher = fetchCustomer && new Refetcher(fetchCustomer, store, writer, (fetched) => audience.fetched(fetched))
  const forwarders = targets.map(
    (target) => new Forwarder(store, writer, target, (outcome) => audience.forwarded(outcome)),
  )
  let isLost = false
  let receiver: Receiver | undefined

  function show(recorded: Recorded) {
    audience.event(recorded, () => announce(recorded.seq))
    const customerId = recorded.facts?.customerId
    if (customerId !== undefined && !recorded.duplicate) refetcher?.want(customerId, recorded.id)
  }

  // What was stored and not shown, since svc was killed in between.
  async function showForgotten() {
    for (let from = announcedSeq(store); ;) {
      const page = eventsAfter(store, from, pageSize)
      for (const event of page) show(recordedOf(store, event))
      from = page.at(-1)?.seq ?? from
      if (page.length < pageSize) return
      while (audience.isBehind()) await sleep(behindPauseMs)
    }
  }

  hurry(store, targets)
  const replayed = options.replay ? replay(store, targets, options.replay) : 0
  // Before anything new arrives, so that what is remembered as shown has no gaps.
  await showForgotten()
  receiver = await startReceiver({
    ...options,
    isBehind: () => audience.isBehind(),
    refused: (refusal) => audience.refused(refusal),
    async store(arrival) {
      try {
        const recorded = await writer.write(() => record(store, arrival, targets))
        if (isLost) audience.state('listening', {url: receiver?.url ?? ''})
        isLost = false
        show(recorded)
        for (const forwarder of forwarders) forwarder.wake()
        return true
      } catch (error) {
        const reason = `the store cannot be written: ${error instanceof Error ? error.message : String(error)}`
        if (!isLost) audience.state('lost', {reason})
        isLost = true
        return false
      }
    },
  })
  audience.state('listening', {url: receiver.url})
  for (const forwarder of forwarders) forwarder.start()
  return {
    replayed,
    async until(stopped) {
      try {
        await Promise.race([stopped, audience.failure])
      } finally {
        await receiver?.stop()
        await Promise.all([refetcher?.stop(), ...forwarders.map((forwarder) => forwarder.stop())])
        audience.state('stopped', {})
        await audience.settled()
        writer.flush()
        last()
      }
    },
  }
}
