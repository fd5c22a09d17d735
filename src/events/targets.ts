// Where events may be forwarded to, and which of their headers go along.
import {badUsage} from '../errors.ts'

// The URL parser has brought every way to write an address into its usual form.
export const isLoopback = (hostname: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname)

function parseTarget(text: string, allowRemote: boolean): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw badUsage(`--forward-to "${text}" is no address`, 'Give one that begins with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw badUsage('--forward-to carries a credential, which would be kept and shown', 'Leave it out')
  }
  if (isLoopback(url.hostname)) return url.href
  if (!allowRemote) {
    throw badUsage(
      `--forward-to names another machine, ${url.hostname}`,
      'Events carry personal data, so they stay on this one unless you say --allow-remote',
    )
  }
  if (url.protocol === 'https:') return url.href
  throw badUsage(`--forward-to ${url.hostname} is given with http://`, 'Events leave this machine over https:// only')
}

// The flag may be repeated; the variable, which oclif hands over as one text, holds several with blanks between them.
export function parseTargets(given: string | readonly string[] = [], allowRemote = false): string[] {
  const urls = [given].flat().flatMap((text) => text.trim().split(/\s+/))
  return [...new Set(urls.map((url) => parseTarget(url, allowRemote)))]
}

// Without the query, in which some people keep secrets.
export const withoutQuery = (url: string) => url.replace(/[?#].*$/, '')

// They belong to one connection, not to the message (RFC 9110, 7.6.1), or are written anew for the next one.
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
])

// What svc itself says of an event; a sender who says the same is not believed.
const ownPrefix = 'svc-event-'

export interface ForwardableEvent {
  id: string
  trust: number
  // JSON of names and values in turn, as they came.
  headers: string
  body: Uint8Array
}

export function forwardHeaders({id, trust, headers, body}: ForwardableEvent, target: string): string[] {
  const raw = JSON.parse(headers) as string[]
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
  const named = new Set(
    pairs
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
  )
  const kept = pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !connectionHeaders.has(lower) && !named.has(lower) && !lower.startsWith(ownPrefix)
  })
  const all: Array<readonly [string, string]> = [
    ['host', new URL(target).host],
    ...kept,
    ['content-length', String(body.length)],
    // An id that holds for ever, also where the sender gave none. One that a body carries may hold any letter.
    [`${ownPrefix}id`, encodeURIComponent(id)],
    [`${ownPrefix}verified`, trust === 1 ? 'true' : 'false'],
  ]
  return all.flat()
}
