// Addresses, methods and statuses of HTTP: which address is of this machine, which part of it may be shown, which request
// may change something.

// The URL parser normalizes addresses before this, so that 0x7f.1 is 127.0.0.1 here.
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname)

export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(URL.parse(url)?.hostname ?? '')

// For output: a query may contain secrets.
export const stripQuery = (url: string): string => url.replace(/[?#].*$/, '')

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

// Whether a request with this method may change something.
export const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD'
