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

// Keeps a page reload from posting a form again.
export const createRedirect = (location: string): Reply => ({
  status: 303,
  headers: {location, 'cache-control': 'no-store'},
  text: '',
})

// A list in a reply whose items are stored as JSON.
export class StoredList {
  readonly texts: readonly string[]

  constructor(texts: readonly string[]) {
    this.texts = texts
  }
}

// Stored items are sent as they are stored: to parse and to write them again would take longer than the rest of a request for a page.
export function writeJson(value: object): string {
  let text = ''
  for (const [name, inner] of Object.entries(value)) {
    const written = inner instanceof StoredList ? `[${inner.texts.join(',')}]` : JSON.stringify(inner)
    if (written !== undefined) text += `${text && ','}${JSON.stringify(name)}:${written}`
  }
  return `{${text}}`
}
