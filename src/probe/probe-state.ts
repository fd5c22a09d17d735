// How far the probe of a service has got, in a private file. Every request is in it before it is sent, so that an
// interrupted probe continues without repeating what it knows or may have created.
import {hash, randomBytes} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badSettings, badUsage, getSystemCode} from '../errors.ts'
import type {PaymentContent} from '../payments/protocol/payment.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {holdLock} from '../storage/process-lock.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'

export type TryReply =
  | {kind: 'transaction'; transactionId: string}
  | {kind: 'rejected'; statusCode: number; error: string}
  // No reply, or one that does not say what happened.
  | {kind: 'lost'; reason: string}

// Times are those of this machine, in milliseconds, unless they say otherwise.
export interface SentTry {
  name: TryName
  // Which first transaction it refers to: its index in `tries`.
  first: number
  key: string
  quoteId: string
  // By the service's clock.
  quoteExpiresAt?: number
  correlationId: string
  bytes: string
  sends: number
  armedAt: number
  answeredAt?: number
  // How long after the first use of its key it was sent.
  keyAgeMs?: number
  // For a key whose first request is to be rejected: what came of that request.
  rejection?: TryReply
  // Empty if the process ended before an answer came.
  replies: TryReply[]
  // Set once it is known that the money of this try was not spent.
  isReleased?: boolean
}

export interface ListedTransaction {
  transactionId: string
  quoteId: string
  correlationId?: string
  // When this transaction first appeared in the list, by this machine's clock.
  seenAt: number
}

export interface ErrorSample {
  request: string
  statusCode: number
  isDocumented: boolean
  bytes: number
}

export interface ProbeState {
  version: 1
  run: string
  serviceId: string
  content: PaymentContent
  startedAt: number
  tries: SentTry[]
  // The transactions of these tries that the service has listed.
  listed: ListedTransaction[]
  // When the last complete read of the list began.
  listReadAt?: number
  // The longest time until a transaction was listed, or for how long one was looked for in vain.
  listLagMs?: number
  listLagOverMs?: number
  listOrder?: 'newest-first' | 'oldest-first' | 'other'
  // A quote that is left to expire. `expiresAt` is by the service's clock.
  oldQuote?: {quoteId: string; expiresAt: number; takenAt: number}
  pageToken?: {token: string; takenAt: number; lifeMs?: number; diedAfterMs?: number}
  date?: {isAbsent: boolean; aheadMs?: number}
  errors: ErrorSample[]
  hasErrorSamples?: boolean
}

export interface ProbeFile {
  state: ProbeState | undefined
  save(state: ProbeState): void
  remove(): void
  close(): void
}

export const createProbeState = (serviceId: string, content: PaymentContent, startedAt: number): ProbeState => ({
  version: 1,
  run: randomBytes(6).toString('hex'),
  serviceId,
  content,
  startedAt,
  tries: [],
  listed: [],
  errors: [],
})

// By this a person recognizes the transactions of a probe.
export const correlationPrefix = 'svc_probe_'

const idLength = 16

const getProbeFile = (serviceId: string) =>
  path.join(getStateFolder(), 'probes', `${hash('sha256', serviceId).slice(0, idLength)}.json`)

function readState(file: string): ProbeState | undefined {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    if (getSystemCode(cause) === 'ENOENT') return undefined
    throw badSettings(
      `The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`,
      'Check who owns it',
      cause,
    )
  }
  try {
    const state = JSON.parse(text) as ProbeState
    if (state.version === 1) return state
  } catch (cause) {
    throw badSettings(`The file ${file} is damaged`, 'Remove it, or start again with --restart', cause)
  }
  throw badSettings(`The file ${file} was written by another svc`, 'Start again with --restart')
}

// Only one process at a time probes a service.
export function openProbeFile(serviceId: string, {isRestarted}: {isRestarted: boolean}): ProbeFile {
  const file = getProbeFile(serviceId)
  makePrivateFolder(path.dirname(file))
  const lock = holdLock(`${file}.lock`, 0)
  if (!lock) throw badUsage('Another process is probing this service', 'Wait until it ends; nothing was sent')
  try {
    return {
      // A new probe replaces the file when it sends its first request.
      state: isRestarted ? undefined : readState(file),
      save: (state) => replacePrivateFile(file, JSON.stringify(state)),
      remove: () => fs.rmSync(file, {force: true}),
      close: () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

// The requests with which a probe finds out how a service treats keys and quotes, in the order in which they are sent.

// When a try is made: at once, a minute after the first use of the key, shortly before the quote expires, after a quote has
// expired, or last.
export type Moment = 'now' | 'minute' | 'late' | 'expired' | 'last'

export interface TryKind {
  name: TryName
  // The question that it answers. Tries of one subject ask the same at different times.
  subject: Subject
  moment: Moment
  // The earlier transaction that it refers to, and whether it reuses its key, its quote or its exact bytes.
  first?: FirstName
  uses: {key?: true; quote?: true; bytes?: true}
  // How many times it is sent, at the same moment.
  sends: 1 | 2
  // What the progress line says.
  words: string
}

export type Subject = 'first' | 'sameRequest' | 'otherRequest' | 'usedQuote' | 'keyAfterRejection' | 'expiredQuote'

export type TryName =
  | FirstName
  | 'same-now'
  | 'other-now'
  | 'used-quote'
  | 'after-rejection'
  | 'same-minute'
  | 'other-minute'
  | 'same-late'
  | 'other-late'
  | 'expired'
  | 'at-once'
  | 'control'

// The same and another request are tried under two keys: what a service keeps of the one must not hide what it does with the
// other.
export type FirstName = 'first' | 'first-other'

const same = {subject: 'sameRequest', first: 'first', uses: {key: true, quote: true, bytes: true}, sends: 1} as const
const other = {subject: 'otherRequest', first: 'first-other', uses: {key: true}, sends: 1} as const

const ordinary = {subject: 'first', uses: {}, sends: 1} as const

export const firstTries: Readonly<Record<FirstName, TryKind>> = {
  first: {...ordinary, name: 'first', moment: 'now', words: 'the first transaction'},
  'first-other': {...ordinary, name: 'first-other', moment: 'now', words: 'a transaction under another key'},
}

// An ordinary transaction. If it is made, an earlier rejection was not about money or limits.
export const controlTry: TryKind = {...ordinary, name: 'control', moment: 'last', words: 'an ordinary transaction'}

// The last one is an ordinary transaction as well, so it also serves as the control of those before it.
export const followingTries: readonly TryKind[] = [
  {...same, name: 'same-now', moment: 'now', words: 'the same request again'},
  {...other, name: 'other-now', moment: 'now', words: 'another quote under the same key'},
  {
    name: 'used-quote',
    subject: 'usedQuote',
    first: 'first',
    moment: 'now',
    uses: {quote: true},
    sends: 1,
    words: 'a quote used twice',
  },
  {
    name: 'after-rejection',
    subject: 'keyAfterRejection',
    moment: 'now',
    uses: {},
    sends: 1,
    words: 'a key whose first request is rejected',
  },
  {...same, name: 'same-minute', moment: 'minute', words: 'the same request a minute later'},
  {...other, name: 'other-minute', moment: 'minute', words: 'another quote under the same key, a minute later'},
  {...same, name: 'same-late', moment: 'late', words: 'the same request just before the quote expires'},
  {...other, name: 'other-late', moment: 'late', words: 'another quote under the same key, four minutes later'},
  {name: 'expired', subject: 'expiredQuote', moment: 'expired', uses: {}, sends: 1, words: 'an expired quote'},
  {
    name: 'at-once',
    subject: 'sameRequest',
    moment: 'last',
    uses: {},
    sends: 2,
    words: 'the same request twice at the same moment',
  },
]

export const isLater = ({moment}: TryKind) => moment === 'minute' || moment === 'late' || moment === 'expired'

// Tries with a key and a quote of their own, which any service accepts.
export const isOrdinary = (name: TryName) => isPlain(name) || name === 'at-once' || name === 'after-rejection'

// Tries that ask nothing themselves.
export const isPlain = (name: TryName) => name === 'first' || name === 'first-other' || name === 'control'
