// Who may speak to a server on the loopback: a page of the web must not, even if its name was made to point here.

const localNames = /^(?:(?:[a-z\d-]+\.)*localhost|127\.0\.0\.1|\[::1\])$/i

// A Host header: a name and perhaps a port.
function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && localNames.test(host.replace(/:\d*$/, ''))
}

// An Origin header comes from a browser. "null" is a page that hides where it is from.
function isLocalOrigin(origin: string | undefined): boolean {
  return origin === undefined || localNames.test(URL.parse(origin)?.hostname ?? '')
}

// Why a request is turned away, or undefined if it is not.
export function findForeignHeader(headers: {
  host?: string | undefined
  origin?: string | undefined
}): string | undefined {
  if (!isLocalHost(headers.host)) return 'The Host header names another machine: the sandbox answers on this one only'
  if (!isLocalOrigin(headers.origin)) return 'The Origin header names another site: the sandbox answers no web pages'
  return undefined
}
