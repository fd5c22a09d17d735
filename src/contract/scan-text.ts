// The parts of JSON that have no parts of their own, as bytes: text, numbers, and the formats of text. See scan-shape.ts.

export const quote = 0x22
export const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
export const colon = 0x3a
const letterZ = 0x5a
export const openBracket = 0x5b
const backslash = 0x5c
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d
const space = 0x20
const deleteCode = 0x7f

// What the functions that scan return instead of the position behind what they found.
export const rejected = -1

// More digits may be rounded by a float.
const digitsMax = 15

const toTable = (isIn: (code: number) => boolean) => Uint8Array.from({length: 256}, (_, code) => (isIn(code) ? 1 : 0))
export const isDigit = (code: number) => code >= zero && code <= nine

// The bytes of a string that need no look: no quote, no backslash, no control character.
const plain = toTable((code) => code >= space && code !== quote && code !== backslash)
const hexadecimal = toTable((code) => /[\da-f]/i.test(String.fromCharCode(code)))
// A backslash with `u` is valid too, but a name could be spelled with it, and what is printed would depend on the spelling.
const escapable = toTable((code) => '"\\/bfnrt'.includes(String.fromCharCode(code)))

export const toBytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

export function startsWith(bytes: Uint8Array, at: number, token: Uint8Array): boolean {
  for (let index = 0; index < token.length; index++) if (bytes[at + index] !== token[index]) return false
  return true
}

export function readText(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0)
  return text
}

export function isAsciiText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) >= deleteCode) return false
  return true
}

// A whole number that a float represents exactly and prints the same way.
export function scanNumber(bytes: Uint8Array, start: number, min: number, max: number): number {
  const isNegative = bytes[start] === minus
  const first = isNegative ? start + 1 : start
  let at = first
  let value = 0
  while (isDigit(bytes[at] ?? 0)) value = value * 10 + (bytes[at++] ?? 0) - zero
  const digits = at - first
  if (digits === 0 || digits > digitsMax) return rejected
  if (bytes[first] === zero && (digits > 1 || isNegative)) return rejected
  const end = bytes[at]
  if (end !== comma && end !== closeBrace && end !== closeBracket) return rejected
  const signed = isNegative ? -value : value
  return signed >= min && signed <= max ? at : rejected
}

// From behind the opening quote to behind the closing one.
export function scanText(bytes: Uint8Array, start: number): number {
  let at = start
  while (plain[bytes[at] ?? 0] === 1) at++
  while (bytes[at] === backslash) {
    if (escapable[bytes[at + 1] ?? 0] !== 1) return rejected
    at += 2
    while (plain[bytes[at] ?? 0] === 1) at++
  }
  return bytes[at] === quote ? at + 1 : rejected
}

// The same for text without escapes.
export function scanPlainText(bytes: Uint8Array, start: number): number {
  let at = start
  while (plain[bytes[at] ?? 0] === 1) at++
  return bytes[at] === quote ? at + 1 : rejected
}

const uuidSample = toBytes('00000000-0000-0000-0000-000000000000')
const timeSample = toBytes('0000-00-00T00:00:00')

// The two formats of the contract without a regular expression. False only says that it is not the usual spelling.
export function isUsualUuid(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== uuidSample.length) return false
  for (let index = 0; index < uuidSample.length; index++) {
    const code = bytes[start + index] ?? 0
    if (uuidSample[index] === minus ? code !== minus : hexadecimal[code] !== 1) return false
  }
  return true
}

export function isUsualTime(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start <= timeSample.length || bytes[end - 1] !== letterZ) return false
  for (let index = 0; index < timeSample.length; index++) {
    const code = bytes[start + index] ?? 0
    if (timeSample[index] === zero ? !isDigit(code) : code !== timeSample[index]) return false
  }
  const rest = start + timeSample.length
  if (rest === end - 1) return true
  if (bytes[rest] !== point || rest + 1 === end - 1) return false
  for (let at = rest + 1; at < end - 1; at++) if (!isDigit(bytes[at] ?? 0)) return false
  return true
}
