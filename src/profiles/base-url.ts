// The address of a service, as a profile or the environment names it: HTTPS, or HTTP on loopback.
import {badUsage} from '../errors.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const isLoopback = (address: string) => loopback.test(URL.parse(address)?.hostname ?? '')

const example = 'Give an address such as https://api.example.com'

// Returns the address in the one form svc keeps, without a slash at the end.
export function parseBaseUrl(text: string, from: string): string {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) {
    // What stands before an @ may be a password, so such a text is not repeated.
    const shown = text.includes('@') ? '' : ` "${text}"`
    throw badUsage(`${from}${shown} is not an http(s) address`, example)
  }
  if (url.username || url.password) throw badUsage(`${from} carries a user name or password`, example)
  if (url.search || url.hash) throw badUsage(`${from} carries a query or a fragment`, example)
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    throw badUsage(
      `${from} ${url.origin} is not HTTPS, and a credential is never sent in the clear`,
      'Use https://; plain http:// is for loopback alone',
    )
  }
  return url.href.replace(/\/+$/, '')
}
