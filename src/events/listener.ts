// The event listener: connects the receiver, the store and the forwarders.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Caller} from '../profiles/caller.ts'
import {findSandbox} from '../transport.ts'
import {svc} from '../values/text.ts'
import {isLoopbackHost} from '../values/urls.ts'
import {type ForwardOutcome, Forwarder, type Replay, makePendingDue, queueReplay} from './forward.ts'
import {type Receiver, type Rejection, startReceiver} from './receiver.ts'
import {
  type ReceivedEvent,
  type RecordedEvent,
  listEventPages,
  readAnnouncedSeq,
  recordEvent,
  toRecordedEvent,
  writeAnnouncedSeq,
} from './record.ts'
import {WebhookSecrets} from './signature.ts'
import type {EventStore} from './store.ts'

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
  replay: Replay | undefined
  reporter: ListenReporter
}

interface RunningListener {
  replayed: number
  // Resolves after `stopped` resolved and everything in progress was stored, answered and reported.
  runUntil(stopped: Promise<void>): Promise<void>
}

const behindPauseMs = 50

// Shows an event, and keeps in the store that it was shown.
function show(store: EventStore, reporter: ListenReporter, recorded: RecordedEvent): void {
  reporter.reportEvent(recorded, () => {
    try {
      writeAnnouncedSeq(store, recorded.seq)
    } catch {
      // It is shown once more after a restart.
    }
  })
}

// Shows events that were stored and not shown because svc was killed.
async function showUnannounced(store: EventStore, reporter: ListenReporter): Promise<void> {
  for (const page of listEventPages(store, readAnnouncedSeq(store))) {
    while (reporter.isBehind()) await sleep(behindPauseMs)
    for (const event of page) show(store, reporter, toRecordedEvent(event))
  }
}

export async function startListener(options: ListenOptions): Promise<RunningListener> {
  const {store, targets, reporter, subscribe} = options
  store.lock()
  const report = (outcome: ForwardOutcome) => reporter.reportForward(outcome)
  const forwarders = targets.map((target) => new Forwarder(store, target, report))
  makePendingDue(store, targets)
  const replayed = options.replay ? queueReplay(store, targets, options.replay) : 0
  // Before new events arrive, so that all events up to the last announced one were shown.
  await showUnannounced(store, reporter)

  let {secrets} = options
  let isStoreLost = false
  const storeEvent = async (received: ReceivedEvent): Promise<boolean> => {
    let recorded: RecordedEvent
    try {
      recorded = store.transact(() => recordEvent(store, received, targets))
    } catch (error) {
      const reason = `the store cannot be written: ${error instanceof Error ? error.message : String(error)}`
      if (!isStoreLost) reporter.reportState('lost', {reason})
      isStoreLost = true
      return false
    }
    if (isStoreLost) reporter.reportState('listening', {url: receiver.url})
    isStoreLost = false
    show(store, reporter, recorded)
    for (const forwarder of forwarders) forwarder.wake()
    return true
  }
  const receiver: Receiver = await startReceiver({
    ...options,
    isBehind: () => reporter.isBehind(),
    // Until the sandbox has said its secret, nobody can know the URL.
    verify: (headers, body) =>
      subscribe && !secrets
        ? {verified: false, reason: 'it came before the listener was ready'}
        : secrets?.verify(headers, body),
    onRejected: (rejection) => reporter.reportRejection(rejection),
    storeEvent,
  })
  const onSecret = (secret: string) => void (secrets = new WebhookSecrets([secret], 'The sandbox'))
  const unsubscribe = await subscribe?.(receiver.url, onSecret).catch(async (error: unknown) => {
    await receiver.stop()
    throw error
  })
  reporter.reportState('listening', {url: receiver.url})
  for (const forwarder of forwarders) forwarder.start()
  return {
    replayed,
    async runUntil(stopped) {
      try {
        await Promise.race([stopped, reporter.failure])
      } finally {
        await unsubscribe?.()
        await receiver.stop()
        await Promise.all(forwarders.map((forwarder) => forwarder.stop()))
        reporter.reportState('stopped', {})
        await reporter.drain()
      }
    },
  }
}

// Makes the sandbox send its events to a listener while it runs, without an endpoint or a secret that somebody has to set up.
// Calls `onSecret` with the secret that the events are signed with, and returns what ends it.
type Subscribe = (url: string, onSecret: (secret: string) => void) => Promise<() => Promise<void>>

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
    return async () => {
      try {
        await subscription.stop()
      } catch {
        // The sandbox was removed or is busy. What is left of the endpoint goes with the next listener.
        notice(`The endpoint could not be removed from the sandbox. The next ${svc`events listen`} removes it.`)
      } finally {
        sandbox.close()
      }
    }
  }
}
