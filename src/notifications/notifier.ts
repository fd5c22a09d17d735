// Tells a person by the notify command of a profile, or of a run. Notifications are stored first
// and delivered when the payment is done, and no failure here ever fails a payment.
import type {ChildProcess, SpawnOptions} from 'node:child_process'
import {createHash} from 'node:crypto'
import type {Caller} from '../profiles/caller.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import {omitSecretVariables} from '../values/environment.ts'
import {svc} from '../values/text.ts'
import {minuteMs} from '../values/time.ts'
import {type Outbox, getOutboxFile, openOutbox} from './outbox.ts'

// An event that the notify command tells a person about, as one JSON object without secrets and
// personal data. svc does not get further by itself.
type NotificationEvent =
  // A payment's outcome has been unknown for longer than the profile allows, it was stopped (code
  // 10), or its transaction ended badly (code 11).
  | `payment.${'unknown' | 'stopped' | 'ended'}`
  // Rows of a file or of a batch were stopped (code 10).
  | 'payouts.stopped'
  // A wallet has too little for a payment.
  | 'wallet.drained'
  // Somebody has to approve something before it can be paid.
  | 'approval.asked'
  // Somebody changed the policy, or proposed a change.
  | 'policy.changed'

interface NewNotification {
  event: NotificationEvent
  // Facts that identify the event: they give it the same id on every host and in every run.
  facts: readonly string[]
  // Ids, codes, amounts and svc's own sentences. Messages of the service may contain personal data
  // and are left out.
  detail: Readonly<Record<string, string | number | readonly string[] | undefined>>
}

// The time within which svc could have settled a payment by itself, also with a slow service.
const unknownAfterDefaultMs = 30 * minuteMs
// The longest time that a run spends on delivery. The rest waits for the next run.
const deliveryMaxMs = 30_000

export interface Notifier {
  // The time that the outcome of a payment may be unknown before a person is told.
  unknownAfterMs: number
  // Stores a notification before it returns.
  add(notification: NewNotification): void
  // Gives what is due to the command, until one fails.
  deliver(): Promise<void>
  close(): void
}

export interface NotifierSettings {
  caller: Pick<Caller, 'profileName' | 'notify'>
  serviceId: string
  journal: JournalAddress
  // The command of --on-result, which takes the place of the profile's.
  command?: string | undefined
  // Says that somebody could not be told.
  notice: (text: string) => void
}

// Undefined if nobody wants to be told.
export function createNotifier(settings: NotifierSettings): Notifier | undefined {
  const {caller, serviceId, journal, notice} = settings
  const command = settings.command ?? caller.notify?.command
  if (!command) return undefined
  // A caller from the environment has no profile.
  const recipient = caller.profileName ?? ''
  const file = getOutboxFile(journal)

  let outbox: Outbox | undefined
  const open = () => (outbox ??= openOutbox(file))

  let hasWarned = false
  const warn = (text: string) => {
    if (!hasWarned) notice(text)
    hasWarned = true
  }

  const guard = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      warn(`A notification could not be stored (${error instanceof Error ? error.message : String(error)}).`)
      return undefined
    }
  }

  return {
    unknownAfterMs: caller.notify?.afterMs ?? unknownAfterDefaultMs,
    add({event, facts, detail}) {
      const hash = createHash('sha256').update(JSON.stringify([event, serviceId, ...facts]))
      const id = `ntf_${hash.digest('hex').slice(0, 32)}`
      const at = new Date().toISOString()
      const body = JSON.stringify({id, event, at, profile: caller.profileName, service: serviceId, ...detail})
      guard(() => open().add(recipient, id, body, Date.now()))
    },
    async deliver() {
      const endsAt = performance.now() + deliveryMaxMs
      while (performance.now() < endsAt) {
        const next = guard(() => open().claim(recipient, Date.now(), commandTimeoutMs + minuteMs))
        if (!next) return
        const failure = await runNotifyCommand(command, next.body)
        guard(() => open().record(recipient, next.id, Date.now(), failure))
        if (failure === undefined) continue
        return warn(`The notify command ${failure}; svc tries again later, and ${svc`doctor`} shows it.`)
      }
    },
    close() {
      outbox?.close()
      outbox = undefined
    },
  }
}

// Gives one notification to the notify command, on its standard input, and ends a command that
// takes too long.
const commandTimeoutMs = 10_000

// A group of its own, so that what the shell has started ends with it.
function endGroup({pid}: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // The command has ended by itself.
  }
}

// Returns why it failed, in words that end a sentence. Standard output is for svc's data, so that
// of the command is dropped.
export function runNotifyCommand(
  command: string,
  body: string,
  timeoutMs = commandTimeoutMs,
): Promise<string | undefined> {
  const {spawn} = process.getBuiltinModule('node:child_process')
  const options = {
    shell: true,
    detached: process.platform !== 'win32',
    env: omitSecretVariables(process.env),
    stdio: ['pipe', 'ignore', 'inherit'],
  } satisfies SpawnOptions

  return new Promise((resolve) => {
    let child: ChildProcess
    try {
      child = spawn(command, options)
    } catch {
      return resolve('could not be started')
    }

    const stop = () => endGroup(child)
    process.once('exit', stop)
    const finish = (failure?: string) => {
      clearTimeout(limit)
      process.off('exit', stop)
      resolve(failure)
    }

    const limit = setTimeout(() => {
      stop()
      finish(`did not end within ${timeoutMs / 1000} s`)
    }, timeoutMs)

    child.on('error', () => finish('could not be started'))
    child.on('exit', (code, signal) => {
      if (code === 0) finish()
      else finish(signal ? `was ended by ${signal}` : `ended with code ${code}`)
    })

    // A command that does not read its input decides by its exit code whether it was told.
    child.stdin?.on('error', () => {})
    child.stdin?.end(`${body}\n`)
  })
}
