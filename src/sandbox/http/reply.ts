// A reply before it is serialized. The log uses its value.
export interface Reply {
  status: number
  headers?: Readonly<Record<string, string>>
  // Becomes JSON.
  value?: unknown
  // Sent instead of the value, for a reply that is not JSON.
  text?: string
  // Sent instead of both, for a file.
  bytes?: Uint8Array<ArrayBuffer>
  // Not logged: the console sends a request every second, and would fill the log that it shows.
  isUnlogged?: boolean
}

// A reply that is already JSON text, so that a long list is not parsed and serialized again.

// A value as its JSON text, which the log parses if it has not just done so.
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class SerializedJson {
  readonly text: string
  // What the log gets instead of the whole value.
  readonly outline: unknown

  constructor(text: string, outline: unknown) {
    this.text = text
    this.outline = outline
  }
}
