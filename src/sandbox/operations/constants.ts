// Where a running server takes the operations of control.

// No path of the interface starts with an underscore, and none ever can: its nouns are words.
export const controlPrefix = '/_sandbox/v1'
export const controlDocumentPath = `${controlPrefix}/openapi.json`

// Whether a path, with its query or without, is below the prefix or the prefix itself.
export const isControlPath = (target: string): boolean =>
  target.startsWith(controlPrefix) && /^(?:[/?]|$)/.test(target.slice(controlPrefix.length))
