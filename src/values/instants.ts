// Parses dates and times of the service: ISO 8601 in bodies, where a date alone means midnight UTC, and HTTP dates in headers.
// Date.parse alone would read a time without an offset in the time zone of this machine.

const isoDateTime = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/

const dayLength = 'YYYY-MM-DD'.length

// Date.parse turns a day that does not exist, such as 31 February, into another day. Every month has 28 days.
const isInCalendar = (day: string) =>
  day.slice(-2) <= '28' || new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.slice(0, dayLength) === day

// Returns milliseconds since 1970, or undefined. A time without an offset is UTC, as in the interface.
export function toInstantMs(text: unknown): number | undefined {
  const [, day, time = '00:00', , hours, minutes = '00'] = (typeof text === 'string' && isoDateTime.exec(text)) || []
  if (day === undefined || !isInCalendar(day)) return undefined
  const instant = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
  return Number.isNaN(instant) ? undefined : instant
}

// The forms of a date in HTTP. Date.parse alone accepts nearly any text with a number in it. The oldest form, which servers may still
// send, names no zone and is in UTC as well: Sun Nov  1 12:00:00 2026.
const httpDate = /^[A-Z][a-z]{2,8}, .*GMT$/
const oldestHttpDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

// The same for a date in a header, such as Sun, 01 Nov 2026 12:00:00 GMT.
export function readHttpDateMs(text: string | null | undefined): number | undefined {
  const given = text ?? ''
  const instant = httpDate.test(given)
    ? Date.parse(given)
    : oldestHttpDate.test(given)
      ? Date.parse(`${given} GMT`)
      : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}
