// The fields that steps of a scenario have in common. Numbers arrive as the text that the file has, so that no amount is rounded.
import {z} from 'zod'
import {dayMs, readDurationMs, toInstantMs} from '../../values/time.ts'
import {text} from '../../contract/scalars.ts'

export const name = z.string('must be a name').regex(/^[a-z][\w-]{0,63}$/i, 'must be a name such as ada or first-quote')

// A thing that an earlier step made, such as $ada, or an id.
export const reference = text

export const instant = z
  .string('must be a point in time, such as 2026-03-02T09:00:00Z')
  .refine((value) => toInstantMs(value) !== undefined, 'must be a point in time, such as 2026-03-02T09:00:00Z')
  .transform((value) => new Date(toInstantMs(value) ?? 0))

const durationMsMax = 100 * 366 * dayMs
const durationMessage = 'must be a duration, such as 30s, 5m, 2h or 7d'

export const duration = z
  .string(durationMessage)
  .refine((value) => {
    const ms = readDurationMs(value)
    return ms !== undefined && ms <= durationMsMax
  }, durationMessage)
  .transform((value) => readDurationMs(value) ?? 0)

export function wholeNumber(min: number, max = 1_000_000) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string(message)
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

const shareMessage = 'must be a number above 0 and up to 1, such as 0.3'

export const share = z
  .string(shareMessage)
  .regex(/^(0?\.\d{1,9}|1(\.0+)?)$/, shareMessage)
  .transform(Number)
  .refine((value) => value > 0, shareMessage)

// Data for the service, which decides what of it is valid. A refusal may be what the scenario is about.
export const data = z.record(z.string(), z.unknown(), 'must be an object')

// What a request to the service takes besides its content: whether it is to be refused, and in which words.
export const refusal = {fails: text.optional(), message: text.optional()}
