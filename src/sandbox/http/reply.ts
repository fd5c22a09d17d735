// A reply before it is serialized. The log uses its value.
export interface Reply {
  status: number
  headers?: Readonly<Record<string, string>>
  // Becomes JSON.
  value?: unknown
  // Sent instead of the value, for a reply that is not JSON.
  text?: string
  // Not logged: the console sends a request every second, and would fill the log that it shows.
  isUnlogged?: boolean
}
