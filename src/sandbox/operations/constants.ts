// Where a running server takes the operations of control, and how a request names a space.

// No path of the interface starts with an underscore, and none ever can: its nouns are words.
export const controlPrefix = '/_sandbox/v1'
export const controlDocumentPath = `${controlPrefix}/openapi.json`

// Whether a path, with its query or without, is below the prefix or the prefix itself.
export const isControlPath = (target: string): boolean =>
  target.startsWith(controlPrefix) && /^(?:[/?]|$)/.test(target.slice(controlPrefix.length))

export const spaceHeader = 'svc-sandbox-space'

// Between a credential and the name of a space, for clients that can only set a credential.
export const spaceMark = '@'

// A label of a host name, because the pages of a space are at http://NAME.localhost.
export const spaceNamePattern = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/
export const spaceNameRule = '1 to 63 lower-case letters, digits and dashes, and no dash at either end'
