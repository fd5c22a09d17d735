// What a profile lets a command write, and which writes on live need a person's yes.
import {badUsage} from '../errors.ts'
import type {Caller} from './caller.ts'

export interface Write {
  method: string
  path: string
}

const isWrite = (method: string) => method !== 'GET' && method !== 'HEAD'

// Paths whose writes move money, or arm or delete what will.
const consequential = /^\/(transactions|automation-rules)(\/|$)/

// The path as the service would read it, so that no spelling of it slips by.
function plainPath(path: string): string {
  const [bare = ''] = path.split(/[?#]/, 1)
  let decoded = bare
  try {
    decoded = decodeURIComponent(bare)
  } catch {
    // A path that cannot be decoded is judged as it stands; the service will refuse it.
  }
  return decoded.replace(/\/+/g, '/').toLowerCase()
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
