// Instants as text, read without a library: a date and time of ISO 8601, or a date, which is its midnight in UTC.

const isoDateTime = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([Zz])|([+-]\d\d):?(\d\d))?)?$/

const dayLength = 'YYYY-MM-DD'.length

// Milliseconds since 1970, or undefined. Without an offset it is UTC, as the interface writes its times.
export function toInstantMs(text: unknown): number | undefined {
  const [, day, time = '00:00', , hours, minutes] = (typeof text === 'string' && isoDateTime.exec(text)) || []
  if (day === undefined) return undefined
  const midnight = Date.parse(`${day}T00:00Z`)
  // A day that no calendar has, such as 31 February, would come out as another one.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, dayLength) !== day) return undefined
  const instant = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
  return Number.isNaN(instant) ? undefined : instant
}
