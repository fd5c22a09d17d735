// An answer before it is text: the log reads the value, the wire gets the text.
export interface Reply {
  status: number
  headers?: Readonly<Record<string, string>>
  // Becomes JSON.
  value?: unknown
  // Stands instead of the value where an answer is no JSON.
  text?: string
  // Stands instead of both where an answer is a file.
  bytes?: Uint8Array<ArrayBuffer>
  // Left out of the log: the console asks every second, and shows the log itself.
  isUnlogged?: boolean
}
