// A reply before it is serialized. The log uses its value.
export interface Reply {
  status: number
  headers?: Readonly<Record<string, string>>
  // Becomes JSON.
  value?: object | undefined
  // Sent instead of the value, for a reply that is not JSON.
  text?: string
  // Not logged: the console sends a request every second, and would fill the log that it shows.
  isUnlogged?: boolean
}

// A list in a reply whose items are stored as JSON.
export class StoredList<Item> {
  readonly texts: readonly string[]

  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  parse(count: number): Item[] {
    return this.texts.slice(0, count).map((text) => JSON.parse(text) as Item)
  }
}

// Stored items are sent as they are stored: to parse and to write them again would take longer than the rest of a request for a page.
export function writeJson(value: object): string {
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const texts = fields.map(([name, inner]) => {
    const text = inner instanceof StoredList ? `[${inner.texts.join(',')}]` : JSON.stringify(inner)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${texts.join(',')}}`
}
