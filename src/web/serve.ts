// What every server of pages has: security headers, secret tokens, and an orderly end.
import {randomBytes, timingSafeEqual} from 'node:crypto'
import type {Server} from 'node:http'
import {gzipSync} from 'node:zlib'

const tokenBytes = 24
const stopGraceMs = 5_000

export const createToken = (): string => randomBytes(tokenBytes).toString('base64url')

// Takes the same time wherever the two differ.
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

// Idle connections are closed at once. The others are answered first, unless that takes longer than the grace period.
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), stopGraceMs)
    server.close(() => {
      clearTimeout(limit)
      resolve()
    })
    server.closeIdleConnections()
  })
}

// Allows only what the server of the page serves itself: no inline scripts or styles, and no form that posts elsewhere.
const createPolicy = (frameAncestors: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; ')

// The referrer is sent within the site only. With no referrer at all, browsers send the origin "null" with a form, which
// the server rejects.
export const createPageHeaders = (frameAncestors: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': createPolicy(frameAncestors),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
})

const compressedTypes = /^text\/(?:html|css|javascript)\b/
// Shorter ones fit into a packet as they are.
const compressedMin = 1_000

interface TextReply {
  headers: Readonly<Record<string, string>>
  text: string
}

// A page, a stylesheet or a script as a browser takes it that reads gzip; undefined for anything else. Nobody can measure the size of
// a page that another site asks for: browsers send it no cookie, and so it gets none.
export function compressPage(
  {headers, text}: TextReply,
  accepted: string | string[] | undefined,
): {headers: Record<string, string>; bytes: Buffer} | undefined {
  if (text.length < compressedMin || !compressedTypes.test(headers['content-type'] ?? '')) return undefined
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(String(accepted ?? ''))) return undefined
  return {headers: {...headers, 'content-encoding': 'gzip', vary: 'accept-encoding'}, bytes: gzipSync(text)}
}
