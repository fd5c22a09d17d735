// Parses ISO 8601 dates and times. A date alone means midnight UTC.

const isoDateTime = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([Zz])|([+-]\d\d):?(\d\d))?)?$/

const dayLength = 'YYYY-MM-DD'.length

// Returns milliseconds since 1970, or undefined. A time without an offset is UTC, as in the interface.
export function toInstantMs(text: unknown): number | undefined {
  const [, day, time = '00:00', , hours, minutes] = (typeof text === 'string' && isoDateTime.exec(text)) || []
  if (day === undefined) return undefined
  const midnight = Date.parse(`${day}T00:00Z`)
  // Date.parse turns a day that does not exist, such as 31 February, into another day.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, dayLength) !== day) return undefined
  const instant = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
  return Number.isNaN(instant) ? undefined : instant
}
