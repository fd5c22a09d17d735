// Rejects, before anything is sent, a request that could leave the base URL or that HTTP cannot carry.
import {badUsage} from '../errors.ts'
import type {ServiceRequest} from './connection.ts'

// What URLs rewrite silently: dot segments, backslashes, spaces and control characters. Without Unicode properties, which take
// V8 longer to prepare than the rest of a request.
// oxlint-disable-next-line no-control-regex -- They are what it finds.
const rewrittenByUrl = /[\\\u0000-\u0020\u007F-\u009F]|(?:^|\/)(?:\.|%2[Ee]){1,2}(?:\/|$)/

// Returns the path with all characters encoded. The write gate decides by the path as it is written, so a path that a URL
// would rewrite is not sent at all. A path such as //host or /../ must not lead away from the base URL either.
export function encodePath(baseUrl: string, path: string): string {
  const [withoutQuery = ''] = path.split('?', 1)
  if (rewrittenByUrl.test(withoutQuery) || path.includes('#')) {
    throw badUsage(
      `The path ${path} contains ., .., #, a backslash, a space or a control character`,
      'Write the path as the service has it, with %20 for a space and %23 for #; nothing was sent',
    )
  }
  const base = new URL(baseUrl)
  const url = URL.parse(baseUrl + path)
  const folder = base.pathname.replace(/\/$/, '')
  if (!url || url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${folder}/`)) {
    throw badUsage(`The path ${path} leads away from ${baseUrl}`, 'Give a path below the base URL, such as /customers')
  }
  return url.pathname.slice(folder.length) + url.search
}

export function validateHeaders(headers: ServiceRequest['headers']): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!/^[\x20-\x7e]*$/.test(value))
      throw badUsage(`${name} contains characters that a header cannot carry`, 'Use plain ASCII; nothing was sent')
  }
}
