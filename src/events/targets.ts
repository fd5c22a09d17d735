// Validates forwarding targets, and builds the headers of a forwarded event.
import {badUsage} from '../errors.ts'
import {resendHeader, signatureHeaders} from './signature.ts'
import {isLoopbackHost} from '../values/urls.ts'

function parseTarget(text: string, allowRemote: boolean): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw badUsage(`--forward-to "${text}" is not a URL`, 'Give one that begins with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw badUsage('--forward-to contains a credential, which would be stored and shown', 'Leave it out')
  }
  if (isLoopbackHost(url.hostname)) return url.href
  if (!allowRemote) {
    throw badUsage(
      `--forward-to names another machine, ${url.hostname}`,
      'Events contain personal data, so they stay on this machine unless you add --allow-remote',
    )
  }
  if (url.protocol === 'https:') return url.href
  throw badUsage(
    `--forward-to uses http:// for another machine, ${url.hostname}`,
    'Events leave this machine over https:// only',
  )
}

export const parseTargets = (urls: readonly string[] = [], allowRemote = false): string[] => [
  ...new Set(urls.map((url) => parseTarget(url.trim(), allowRemote))),
]

// Headers of one connection rather than of the message (RFC 9110, 7.6.1), and those that are set again for the next one.
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

const isSignatureHeader = (name: string) => signatureHeaders.some((each) => each === name)

// Headers that svc adds. The same headers of a sender are dropped, because a target relies on them.
const addedPrefix = 'svc-event-'

export interface ForwardableEvent {
  id: string
  trust: number
  // A JSON list in which names and values alternate, as they arrived.
  headers: string
  body: Uint8Array
}

// Names and values alternate, as they arrived.
export const parseRawHeaders = (stored: string): string[] => JSON.parse(stored) as string[]

export function buildForwardHeaders({id, trust, headers, body}: ForwardableEvent, target: string): string[] {
  const raw = parseRawHeaders(headers)
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
  const connectionOptions = new Set(
    pairs
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
  )
  const isResend = pairs.some(([name, value]) => name.toLowerCase() === resendHeader && value === 'true')
  const seen = new Set<string>()
  const kept = pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    // Many servers read webhook_id as webhook-id, so that it would count as a second header of that name.
    const usual = lower.replaceAll('_', '-')
    if (usual.startsWith(addedPrefix)) return false
    if (!isSignatureHeader(usual)) return !connectionHeaders.has(lower) && !connectionOptions.has(lower)
    // The first value was verified. A Connection header cannot remove it, and no other value can take its place.
    return lower === usual && !seen.has(lower) && Boolean(seen.add(lower))
  })
  const all: Array<readonly [string, string]> = [
    ['host', new URL(target).host],
    ...kept,
    ['content-length', String(body.length)],
    // The id never changes, and also exists if the sender set none. It may come from a body, so it may hold any character.
    [`${addedPrefix}id`, encodeURIComponent(id)],
    [`${addedPrefix}verified`, trust === 1 ? 'true' : 'false'],
    ...(isResend ? [[resendHeader, 'true'] as const] : []),
  ]
  return all.flat()
}
