// Parses the base URL of a service: HTTPS, or HTTP on loopback.
import {badUsage} from '../errors.ts'
import {isLoopbackHost} from '../values/urls.ts'

const example = 'Give an address such as https://api.example.com'

// Returns the URL without a slash at the end, the form in which svc stores it.
export function parseBaseUrl(text: string, from: string): string {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) {
    // The part before an @ may be a password, so the message does not repeat it.
    const shown = text.includes('@') ? '' : ` "${text}"`
    throw badUsage(`${from}${shown} is not an http(s) address`, example)
  }
  if (url.username || url.password) throw badUsage(`${from} contains a user name or password`, example)
  if (url.search || url.hash) throw badUsage(`${from} contains a query or a fragment`, example)
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw badUsage(
      `${from} ${url.origin} is not HTTPS, and svc never sends a credential unencrypted`,
      'Use https://; plain http:// is for loopback only',
    )
  }
  return toStoredForm(url)
}

const toStoredForm = (url: URL) => url.href.replace(/\/+$/, '')

// The same form for an address that was stored before, without the checks.
export function normalizeBaseUrl(stored: string): string {
  const url = URL.parse(stored.trim())
  return url ? toStoredForm(url) : stored
}
