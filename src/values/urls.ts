// Addresses, methods and statuses of HTTP: which address is of a service or of this machine, which part of it may be shown, which
// request may change something.
import {badUsage} from '../errors.ts'

// The URL parser normalizes addresses before this, so that 0x7f.1 is 127.0.0.1 here.
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname)

export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(URL.parse(url)?.hostname ?? '')

export const portMax = 65_535

// The id of an embedded sandbox begins with its scheme and names its database, so it is never the id of another service.
export const sandboxScheme = 'sandbox:'
export const isSandboxId = (serviceId: string): boolean => serviceId.startsWith(sandboxScheme)

// Where links to the forms of a sandbox lead that nobody serves.
export const unservedFormsUrl = 'https://forms.sandbox.invalid'

// For output: a query may contain secrets.
export const stripQuery = (url: string): string => url.replace(/[?#].*$/, '')

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

// Whether a request with this method may change something.
export const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

interface RequestLine {
  method: string
  path: string
}

const decodingsMax = 3

// The path as the service may read it. URLs drop tabs and turn backslashes into slashes, and a
// proxy may decode the path again.
export function decodePath(path: string): string {
  let decoded = URL.parse(`https://service.invalid${path}`)?.pathname ?? path
  for (let times = 0; times < decodingsMax; times++) {
    decoded = decoded.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return decoded.toLowerCase()
}

// Whether a request moves money, or creates, changes or deletes a rule that does. The names match
// anywhere in the decoded path: a false match costs one confirmation, a miss costs money.
export const isPayment = ({method, path}: RequestLine): boolean =>
  isWrite(method) && /\btransactions\b/.test(decodePath(path))

export const isRuleWrite = ({method, path}: RequestLine): boolean =>
  isWrite(method) && /\bautomation-rules\b/.test(decodePath(path))

const addressExample = 'Give an address such as https://api.example.com'

// The base URL of a service is HTTPS, or HTTP on loopback. Returns it without a slash at the end, the form in which svc stores it.
export function parseBaseUrl(text: string, from: string): string {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) {
    // The part before an @ may be a password, so the message does not repeat it.
    const shown = text.includes('@') ? '' : ` "${text}"`
    throw badUsage(`${from}${shown} is not an http(s) address`, addressExample)
  }
  if (url.username || url.password) throw badUsage(`${from} contains a user name or password`, addressExample)
  if (url.search || url.hash) throw badUsage(`${from} contains a query or a fragment`, addressExample)
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
