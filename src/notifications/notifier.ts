// Tells a person by the notify command of a profile, or of a run. Notifications are stored first and delivered when the payment is
// done, and no failure here ever fails a payment.
import type {Caller} from '../profiles/caller.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import {type NewNotification, type Notification, deriveNotificationId} from './notification.ts'
import {type Outbox, getOutboxFile, openOutbox} from './outbox.ts'
import {commandTimeoutMs, runNotifyCommand} from './run-notify-command.ts'
import {minuteMs} from '../values/time.ts'

// By then svc could have settled it by itself, with a service that takes its time.
const unknownAfterDefaultMs = 30 * minuteMs
// What one run delivers at the most. The rest waits for the next run.
const deliveryMaxMs = 30_000

export interface Notifier {
  // How long the outcome of a payment may be unknown before a person is told.
  unknownAfterMs: number
  // Stored when it returns.
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
  now?: (() => number) | undefined
  timeoutMs?: number | undefined
}

// A caller from the environment has no profile.
export const getRecipient = ({profileName = ''}: Pick<Caller, 'profileName'>): string => profileName

// Undefined if nobody wants to be told.
export function createNotifier(settings: NotifierSettings): Notifier | undefined {
  const {caller, serviceId, journal, notice, now = Date.now, timeoutMs = commandTimeoutMs} = settings
  const command = settings.command ?? caller.notify?.command
  if (!command) return undefined
  const recipient = getRecipient(caller)
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
      const notification: Notification = {
        id: deriveNotificationId(serviceId, {event, facts}),
        event,
        at: new Date(now()).toISOString(),
        ...(caller.profileName !== undefined && {profile: caller.profileName}),
        service: serviceId,
        ...detail,
      }
      guard(() => open().add(recipient, notification, now()))
    },
    async deliver() {
      const endsAt = performance.now() + deliveryMaxMs
      while (performance.now() < endsAt) {
        const next = guard(() => open().claim(recipient, now(), timeoutMs + minuteMs))
        if (!next) return
        const failure = await runNotifyCommand(command, next.body, timeoutMs)
        if (failure !== undefined) {
          guard(() => open().recordFailed(recipient, next.id, failure, now()))
          return warn(`The notify command ${failure}; svc tries again later, and \`svc doctor\` shows it.`)
        }
        guard(() => open().recordDelivered(recipient, next.id, now()))
      }
    },
    close() {
      outbox?.close()
      outbox = undefined
    },
  }
}
