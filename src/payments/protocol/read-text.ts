// Reads scalars of a reply, whose types are not certain: what has another type counts as missing.

export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

// An amount as text, also if the service sends it as a JSON number. Numbers that a float would change were kept as text when
// the reply was parsed (values/json.ts), so no digit is lost.
export function readAmount(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return JSON.isRawJSON(value) ? value.rawJSON : readText(value)
}
