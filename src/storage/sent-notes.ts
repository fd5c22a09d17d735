// Notes of what is sent to a service that has no idempotency key for it. A note is on disk before
// the request, so that the next run waits until the service's list would show what was made, and
// only one process at a time looks and sends.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {getStateFolder} from './folders.ts'
import {replacePrivateFile} from './private-file.ts'
import {withLock} from './process-lock.ts'

export interface SentNote {
  sentAtMs: number
  // How long the machine was up then. Nobody sets that, unlike the time of day.
  sentAtUptimeMs: number
  // A digest of what was sent.
  content: string
  // The ids that were known before.
  knownIds: readonly string[]
  // The id that the service answered with. Absent while the outcome is not known.
  madeId?: string | undefined
}

export interface SentNotes {
  // Of the last request with this subject.
  last: SentNote | undefined
  // How much longer the list may lack what was made.
  unlistedForMs: number
  // Sends under a note, and keeps what is known of the outcome.
  send: <T>(note: Omit<SentNote, keyof Instant>, request: () => Promise<T>, getId: (made: T) => string) => Promise<T>
  // Says that it was made after all.
  confirm: (madeId: string) => void
}

type Instant = Pick<SentNote, 'sentAtMs' | 'sentAtUptimeMs'>

const readInstant = (): Instant => ({sentAtMs: Date.now(), sentAtUptimeMs: Math.round(os.uptime() * 1000)})

export const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

// A process that is killed cannot say when, so its note is written anew this often while the service
// works on its request. It is older than the end of the process by that much, and by what a write
// and a connection take.
const renewalMs = 1_000
const marginMs = 2 * renewalMs

const lockWaitMs = 60_000
// Locks are shared by subjects whose digests begin alike, because their files stay.
const lockNameLength = 2

const rejectBusy = () =>
  new SvcError({
    error: 'STILL_BUSY',
    kind: 'pending',
    effect: 'none',
    message: 'Another svc has been creating this, or something with the same lock, for a minute; nothing was sent',
    hint: 'Run the command again when the other one has ended',
  })

// A note that cannot be read is as good as one that was just sent.
function readNote(file: string): SentNote | undefined {
  const stats = fs.statSync(file, {throwIfNoEntry: false})
  if (!stats) return undefined
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as SentNote
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {sentAtMs: stats.mtimeMs, sentAtUptimeMs: 0, content: '', knownIds: []}
  }
}

// Removes the notes of what was answered so long ago that a list shows it.
function removeListed(folder: string, listedWithinMs: number): void {
  for (const name of fs.readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const file = path.join(folder, name)
    const note = readNote(file)
    if (note?.madeId !== undefined && getUnlistedMs(note, listedWithinMs) === 0) fs.rmSync(file, {force: true})
  }
}

// How long ago that was, at least: the time of day may have been set since, and the machine may have
// been started anew. Undefined if neither tells.
function getAgeMs({sentAtMs, sentAtUptimeMs}: Instant): number | undefined {
  const now = readInstant()
  const ages = [now.sentAtMs - sentAtMs, now.sentAtUptimeMs - sentAtUptimeMs].filter((ageMs) => ageMs >= 0)
  return ages.length > 0 ? Math.min(...ages) : undefined
}

const getUnlistedMs = (note: SentNote, listedWithinMs: number) =>
  Math.max(0, listedWithinMs + marginMs - (getAgeMs(note) ?? 0))

function rejectUnwritable(file: string, cause: unknown): never {
  if (cause instanceof SvcError) throw cause
  throw badSettings(
    `The note ${file} of what is sent cannot be kept (${getSystemCode(cause) ?? 'unknown'}), so nothing was sent`,
    'Make room, or check who owns the folder; SVC_STATE_DIR names another',
    cause,
  )
}

// The subject is what must not be made twice, such as an email at a service.
export function withSentNotes<T>(
  kind: 'customers' | 'rules',
  subject: unknown,
  listedWithinMs: number,
  work: (notes: SentNotes) => Promise<T>,
): Promise<T> {
  const folder = path.join(getStateFolder(), `sent-${kind}`)
  const name = digest(subject)
  const openNotes = () => {
    const file = path.join(folder, `${name}.json`)
    try {
      removeListed(folder, listedWithinMs)
      return createNotes(file, readNote(file), listedWithinMs)
    } catch (cause) {
      return rejectUnwritable(file, cause)
    }
  }
  return withLock(folder, `lock-${name.slice(0, lockNameLength)}`, () => work(openNotes()), {
    waitMs: lockWaitMs,
    createError: rejectBusy,
  })
}

function createNotes(file: string, last: SentNote | undefined, listedWithinMs: number): SentNotes {
  const write = (note: SentNote) => replacePrivateFile(file, `${JSON.stringify(note)}\n`)
  // Without it, the note that was written before the request stays, and the next run only waits
  // longer.
  const tryTo = (change: () => void) => {
    try {
      change()
    } catch {}
  }
  let current = last
  // A note from the future must not hold the next runs up more than once.
  if (last && getAgeMs(last) === undefined) write((current = {...last, ...readInstant()}))

  const confirm = (madeId: string) => {
    if (current) tryTo(() => write({...(current as SentNote), madeId}))
  }

  return {
    last: current,
    unlistedForMs: current ? getUnlistedMs(current, listedWithinMs) : 0,
    confirm,
    async send(content, request, getId) {
      const renew = () => write((current = {...content, ...readInstant()}))
      try {
        renew()
      } catch (cause) {
        rejectUnwritable(file, cause)
      }

      const renewal = setInterval(() => tryTo(renew), renewalMs)
      try {
        const made = await request()
        const madeId = getId(made)
        if (madeId !== '') confirm(madeId)
        return made
      } catch (error) {
        const isUnsent = error instanceof SvcError && error.effect === 'none'
        // The service may have been at work until now.
        tryTo(isUnsent ? () => fs.rmSync(file, {force: true}) : renew)
        throw error
      } finally {
        clearInterval(renewal)
      }
    },
  }
}
