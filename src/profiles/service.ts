// What a profile says of its service where the interface is silent: its name, which payment keys belong to, whether it honours
// idempotency keys, and how long its lists lag.
import {badSettings, badUsage} from '../errors.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import {quoteForShell} from '../values/text.ts'
import {formatDuration, minuteMs, parseDuration} from '../values/time.ts'
import {isSandboxId} from '../values/urls.ts'

// What payments need to know about a service.
export interface ServiceTraits {
  serviceId: string
  // The profile in which its name can be changed. A caller from the environment has none.
  profileName?: string | undefined
  // Whether a reused idempotency key is known to create no second transaction.
  areKeysHonoured: boolean
  listLagMaxMs: number
  // Where payments at the service are recorded.
  journal: JournalAddress
}

// How long a service may take to list a transaction; longer than a quote is valid (docs/assumptions.md, P4).
export const listLagDefaultMs = 6 * minuteMs

// A shorter time than the default would let svc give up a payment that the service may still list.
export function parseListLagMax(text: string): number {
  const ms = parseDuration(text, '--list-lag-max')
  if (ms >= listLagDefaultMs) return ms
  throw badUsage(
    `--list-lag-max ${text} is less than ${formatDuration(listLagDefaultMs)}`,
    'svc waits that long in any case; nothing was changed',
  )
}

// Whether the service honours idempotency keys, so that sending the same bytes again is safe. Its interface does not say, so
// unless a person says yes, payments assume nothing.
export const resendAnswers = ['yes', 'unknown'] as const
export type ResendAnswer = (typeof resendAnswers)[number]

// SVC_RESEND overrides the profile, and is the only source for callers without one.
export function readResendAnswer(stored: ResendAnswer | undefined): ResendAnswer | undefined {
  const text = process.env['SVC_RESEND']
  if (!text) return stored
  const answer = resendAnswers.find((each) => each === text)
  if (answer) return answer
  throw badSettings(`SVC_RESEND is "${text}"`, `Set it to ${resendAnswers.join(' or ')}, or unset it`)
}

// Visible ASCII that begins like a word, so that it can be an argument of a command.
const idPattern = /^[a-z0-9][\x21-\x7e]{0,199}$/i

export function parseServiceId(text: string, from: string): string {
  if (!idPattern.test(text)) {
    throw badUsage(
      `${from} ${JSON.stringify(text)} cannot name a service`,
      'Use at most 200 visible ASCII characters without blanks, beginning with a letter or a digit',
    )
  }
  if (isSandboxId(text)) throw badUsage(`${from} "${text}" belongs to the embedded sandbox`, 'Choose another id')
  return text
}

// How a caller states that its service has this id: a command, or a variable if it has no profile.
export const describeStatement = (profileName: string | undefined, serviceId: string) =>
  profileName === undefined
    ? `SVC_SERVICE=${quoteForShell(serviceId)}`
    : `svc profiles set ${quoteForShell(profileName)} --service ${quoteForShell(serviceId)}`
