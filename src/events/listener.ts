// Listens: puts the receiver, the store, the forwarders and the reads of customers together.
import {setTimeout as sleep} from 'node:timers/promises'
import type {JsonObject} from './event.ts'
import {type ForwardOutcome, Forwarder, type Replay, makePendingDue, queueReplay} from './forward.ts'
import {type Receiver, type Rejection, startReceiver} from './receiver.ts'
import {
  type RecordedEvent,
  readAnnouncedSeq,
  listEventsAfter,
  recordEvent,
  toRecordedEvent,
  writeAnnouncedSeq,
} from './record.ts'
import {type FetchResult, Refetcher} from './refetch.ts'
import type {WebhookSecrets} from './signature.ts'
import type {EventStore} from './store.ts'
import {GroupWriter} from './group-writer.ts'

// Whoever listens to the listener.
export interface ListenReporter {
  reportState(state: 'listening' | 'lost' | 'stopped', about: {url?: string; reason?: string}): void
  // `written` is to be called when the line has reached its reader.
  reportEvent(recorded: RecordedEvent, written: () => void): void
  reportRejection(refusal: Rejection): void
  reportForward(outcome: ForwardOutcome): void
  reportFetch(fetched: FetchResult): void
  isBehind(): boolean
  // Resolves when everything said so far has reached its reader.
  drain(): Promise<void>
  // Rejects when output cannot be written: what was not shown is shown at the next start.
  failure: Promise<never>
}

export interface ListenOptions {
  store: EventStore
  secrets: WebhookSecrets | undefined
  host: string
  port: number
  path: string
  targets: readonly string[]
  replay: Replay | undefined
  fetchCustomer: ((customerId: string) => Promise<JsonObject>) | undefined
  reporter: ListenReporter
}

export interface RunningListener {
  replayed: number
  // Resolves when it was told to stop and everything is in its place.
  runUntil(stopped: Promise<void>): Promise<void>
}

const pageSize = 100
const behindPauseMs = 50

// Remembers what was shown. It is written along with the next event, or by itself when it is quiet.
function trackAnnounced(store: EventStore, writer: GroupWriter) {
  let announced = readAnnouncedSeq(store)
  let isWriting = false
  const write = async () => {
    if (isWriting) return
    isWriting = true
    for (let written = 0; written < announced;) {
      const upTo = announced
      // If it fails, some events are shown once more after a restart.
      await writer.write(() => writeAnnouncedSeq(store, upTo)).catch(() => {})
      written = upTo
    }
    isWriting = false
  }
  return {
    announce: (seq: number) => {
      announced = Math.max(announced, seq)
      void write()
    },
    last: () => store.transact(() => writeAnnouncedSeq(store, announced)),
  }
}

export async function startListener(options: ListenOptions): Promise<RunningListener> {
  const {store, targets, reporter, fetchCustomer} = options
  store.lock()
  const writer = new GroupWriter(store)
  const {announce, last} = trackAnnounced(store, writer)
  const refetcher =
    fetchCustomer && new Refetcher(fetchCustomer, store, writer, (fetched) => reporter.reportFetch(fetched))
  const forwarders = targets.map(
    (target) => new Forwarder(store, writer, target, (outcome) => reporter.reportForward(outcome)),
  )
  let isStoreLost = false
  let receiver: Receiver | undefined

  function show(recorded: RecordedEvent) {
    reporter.reportEvent(recorded, () => announce(recorded.seq))
    const customerId = recorded.parsed?.customerId
    if (customerId !== undefined && !recorded.duplicate) refetcher?.request(customerId, recorded.id)
  }

  // What was stored and not shown, since svc was killed in between.
  async function showUnannounced() {
    for (let from = readAnnouncedSeq(store); ;) {
      const page = listEventsAfter(store, from, pageSize)
      for (const event of page) show(toRecordedEvent(store, event))
      from = page.at(-1)?.seq ?? from
      if (page.length < pageSize) return
      while (reporter.isBehind()) await sleep(behindPauseMs)
    }
  }

  makePendingDue(store, targets)
  const replayed = options.replay ? queueReplay(store, targets, options.replay) : 0
  // Before anything new arrives, so that what is remembered as shown has no gaps.
  await showUnannounced()
  receiver = await startReceiver({
    ...options,
    isBehind: () => reporter.isBehind(),
    onRejected: (refusal) => reporter.reportRejection(refusal),
    async storeEvent(arrival) {
      try {
        const recorded = await writer.write(() => recordEvent(store, arrival, targets))
        if (isStoreLost) reporter.reportState('listening', {url: receiver?.url ?? ''})
        isStoreLost = false
        show(recorded)
        for (const forwarder of forwarders) forwarder.wake()
        return true
      } catch (error) {
        const reason = `the store cannot be written: ${error instanceof Error ? error.message : String(error)}`
        if (!isStoreLost) reporter.reportState('lost', {reason})
        isStoreLost = true
        return false
      }
    },
  })
  reporter.reportState('listening', {url: receiver.url})
  for (const forwarder of forwarders) forwarder.start()
  return {
    replayed,
    async runUntil(stopped) {
      try {
        await Promise.race([stopped, reporter.failure])
      } finally {
        await receiver?.stop()
        await Promise.all([refetcher?.stop(), ...forwarders.map((forwarder) => forwarder.stop())])
        reporter.reportState('stopped', {})
        await reporter.drain()
        writer.flush()
        last()
      }
    },
  }
}
