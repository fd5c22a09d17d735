// What a profile lets a command write, and which writes on live need a person's yes.
import {badUsage} from '../errors.ts'
import type {Caller} from './caller.ts'

export interface Write {
  method: string
  path: string
}

const isWrite = (method: string) => method !== 'GET' && method !== 'HEAD'

// Paths whose writes move money, or arm or delete what will.
// They are looked for anywhere in the path: a false alarm costs a yes, a miss costs money.
const consequential = /\b(transactions|automation-rules)\b/

const decodingsMax = 3

// The path as a service may read it, so that no spelling slips by: a URL drops tabs and turns backslashes around before
// it is sent, and a proxy may decode it once more.
function plainPath(path: string): string {
  let plain = URL.parse(`https://service.invalid${path}`)?.pathname ?? path
  for (let times = 0; times < decodingsMax; times++) {
    plain = plain.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
  return plain.toLowerCase()
}

export function needsYes(caller: Caller, {method, path}: Write): boolean {
  return caller.environment === 'live' && isWrite(method) && consequential.test(plainPath(path))
}

export function refuseIfReadOnly(caller: Caller, {method, path}: Write): void {
  if (!caller.readOnly || !isWrite(method)) return
  throw badUsage(
    `${method} ${path} is a write, and ${caller.label} is read-only`,
    'Use a profile that may write; nothing was sent',
  )
}
