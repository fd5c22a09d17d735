// Recognizes the addresses of this machine.

// The URL parser normalizes addresses before this, so that 0x7f.1 is 127.0.0.1 here.
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname)

export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(URL.parse(url)?.hostname ?? '')
