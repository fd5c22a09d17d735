// The event listener: connects the receiver, the store and the forwarders.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Caller} from '../profiles/caller.ts'
import {findSandbox} from '../transport.ts'
import {isLoopbackHost} from '../values/urls.ts'
import {type ForwardOutcome, Forwarder, type Replay, makePendingDue, queueReplay} from './forward.ts'
import {type Receiver, type Rejection, startReceiver} from './receiver.ts'
import {
  type ReceivedEvent,
  type RecordedEvent,
  listEventsAfter,
  readAnnouncedSeq,
  recordEvent,
  toRecordedEvent,
  writeAnnouncedSeq,
} from './record.ts'
import {type EventHeaders, type SignatureCheck, WebhookSecrets} from './signature.ts'
import {type EventStore, GroupWriter} from './store.ts'

export interface ListenReporter {
  reportState(state: 'listening' | 'lost' | 'stopped', about: {url?: string; reason?: string}): void
  // Calls `written` when the line was written.
  reportEvent(recorded: RecordedEvent, written: () => void): void
  reportRejection(rejection: Rejection): void
  reportForward(outcome: ForwardOutcome): void
  isBehind(): boolean
  // Resolves when everything reported so far was written.
  drain(): Promise<void>
  // Rejects when output cannot be written. Events that were not shown are shown at the next start.
  failure: Promise<never>
}

interface ListenOptions {
  store: EventStore
  secrets: WebhookSecrets | undefined
  // Makes the sandbox send its events to this URL, with a secret of its own.
  subscribe: Subscribe | undefined
  host: string
  port: number
  path: string
  targets: readonly string[]
  // Whether the answers of the targets are reported.
  readsResponses: boolean
  replay: Replay | undefined
  reporter: ListenReporter
}

interface RunningListener {
  replayed: number
  // Resolves after `stopped` resolved and everything in progress was stored, answered and reported.
  runUntil(stopped: Promise<void>): Promise<void>
}

const pageSize = 100
const behindPauseMs = 50

// Stores which event was shown last. The write joins the transaction of the next event, or runs alone if there is none.
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
    saveLast: () => store.transact(() => writeAnnouncedSeq(store, announced)),
  }
}

function createDisplay(store: EventStore, writer: GroupWriter, reporter: ListenReporter) {
  const {announce, saveLast} = trackAnnounced(store, writer)

  const show = (recorded: RecordedEvent) => reporter.reportEvent(recorded, () => announce(recorded.seq))

  // Shows events that were stored and not shown because svc was killed.
  async function showUnannounced() {
    for (let from = readAnnouncedSeq(store); ;) {
      const page = listEventsAfter(store, from, pageSize)
      for (const event of page) show(toRecordedEvent(event))
      from = page.at(-1)?.seq ?? from
      if (page.length < pageSize) return
      while (reporter.isBehind()) await sleep(behindPauseMs)
    }
  }

  return {show, showUnannounced, saveLast}
}

// Stores what the receiver accepts, and reports when the store can no longer be written and when it can again.
function createEventWriter(
  {store, targets, reporter}: ListenOptions,
  writer: GroupWriter,
  onStored: (recorded: RecordedEvent) => void,
) {
  let isStoreLost = false
  return async (received: ReceivedEvent, url: string): Promise<boolean> => {
    try {
      const recorded = await writer.write(() => recordEvent(store, received, targets))
      if (isStoreLost) reporter.reportState('listening', {url})
      isStoreLost = false
      onStored(recorded)
      return true
    } catch (error) {
      const reason = `the store cannot be written: ${error instanceof Error ? error.message : String(error)}`
      if (!isStoreLost) reporter.reportState('lost', {reason})
      isStoreLost = true
      return false
    }
  }
}

// Checks signatures with the given secrets, or with the one that the sandbox says when it is told of the listener.
function createSignatureCheck({secrets: given, subscribe}: ListenOptions) {
  let secrets = given
  return {
    // Until the sandbox has said its secret, nobody can know the URL.
    verify: (headers: EventHeaders, body: Buffer): SignatureCheck | undefined =>
      subscribe && !secrets
        ? {verified: false, reason: 'it came before the listener was ready'}
        : secrets?.verify(headers, body),
    subscribeTo: async (receiver: Receiver): Promise<Subscription | undefined> => {
      try {
        return await subscribe?.(receiver.url, (secret) => (secrets = new WebhookSecrets([secret], 'The sandbox')))
      } catch (error) {
        await receiver.stop()
        throw error
      }
    },
  }
}

export async function startListener(options: ListenOptions): Promise<RunningListener> {
  const {store, targets, reporter} = options
  store.lock()
  const writer = new GroupWriter(store)
  const forwarders = targets.map(
    (target) =>
      new Forwarder(store, writer, {target, readsResponse: options.readsResponses}, (outcome) =>
        reporter.reportForward(outcome),
      ),
  )
  const {show, showUnannounced, saveLast} = createDisplay(store, writer, reporter)
  const storeEvent = createEventWriter(options, writer, (recorded) => {
    show(recorded)
    for (const forwarder of forwarders) forwarder.wake()
  })
  const {verify, subscribeTo} = createSignatureCheck(options)
  makePendingDue(store, targets)
  const replayed = options.replay ? queueReplay(store, targets, options.replay) : 0
  // Before new events arrive, so that all events up to the last announced one were shown.
  await showUnannounced()
  const receiver: Receiver = await startReceiver({
    ...options,
    isBehind: () => reporter.isBehind(),
    verify,
    onRejected: (rejection) => reporter.reportRejection(rejection),
    storeEvent: (received) => storeEvent(received, receiver.url),
  })
  const subscription = await subscribeTo(receiver)
  reporter.reportState('listening', {url: receiver.url})
  for (const forwarder of forwarders) forwarder.start()
  return {
    replayed,
    async runUntil(stopped) {
      try {
        await Promise.race([stopped, reporter.failure])
      } finally {
        await subscription?.stop()
        await receiver.stop()
        await Promise.all(forwarders.map((forwarder) => forwarder.stop()))
        reporter.reportState('stopped', {})
        await reporter.drain()
        writer.flush()
        saveLast()
      }
    },
  }
}

// Makes the sandbox send its events to a listener while it runs, without an endpoint or a secret that somebody has to set up.
interface Subscription {
  stop(): Promise<void>
}

// Calls `onSecret` with the secret that the events are signed with.
type Subscribe = (url: string, onSecret: (secret: string) => void) => Promise<Subscription>

// The sandbox sends over http to loopback addresses only.
export const isOwnHost = (host: string) => isLoopbackHost(host) || host === '0.0.0.0' || host === '::'

// A listener on all addresses is also at the loopback address.
const toOwnUrl = (url: string) =>
  url.replace(/^http:\/\/0\.0\.0\.0(?=[:/])/, 'http://127.0.0.1').replace(/^http:\/\/\[::\](?=[:/])/, 'http://[::1]')

// Undefined if the caller is not the sandbox of this machine: any other service has its own way to set up an endpoint.
export async function createSubscribe(
  caller: Caller | undefined,
  notice: (text: string) => void,
): Promise<Subscribe | undefined> {
  const sandbox = caller && (await findSandbox(caller))
  if (!sandbox) return undefined
  return async (listenerUrl, onSecret) => {
    const subscription = await sandbox.subscribe({url: toOwnUrl(listenerUrl), onSecret, notice})
    return {
      async stop() {
        try {
          await subscription.stop()
        } catch {
          // The sandbox was removed or is busy. What is left of the endpoint goes with the next listener.
          notice('The endpoint could not be removed from the sandbox. The next `svc events listen` removes it.')
        } finally {
          sandbox.close()
        }
      },
    }
  }
}
