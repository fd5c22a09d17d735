// Puts the content of files in the place of their paths, for every document of a body.
import {limits} from '../../contract/limits.ts'
import type {Problem} from '../../contract/problems.ts'
import {isDocumentPath, mapDocuments, findPathProblem, resolveDocumentPath} from './document-fields.ts'
import {readDocumentUri} from './document-file.ts'

export interface AttachedDocuments<T> {
  // With every document in its place. Not to be sent while there are problems.
  body: T
  // Without the documents that were files: those are judged, and are not decoded again to be judged once more.
  bodyWithoutFiles: T
  problems: Problem[]
  // The documents alone are more than a request can carry, so that not all of them are in `whole`.
  isTooLarge: boolean
}

export async function attachDocuments<T>(body: T): Promise<AttachedDocuments<T>> {
  const texts = new Map<string, string>()
  const bare = mapDocuments(body, (value, at) => {
    if (!isDocumentPath(value)) return value
    texts.set(at, value)
    return undefined
  }) as T
  const problems: Problem[] = []
  const uris = new Map<string, string>()
  let bytes = 0
  // One after the other: what is too much for a request is judged, and let go of at once.
  for (const [at, text] of texts) {
    const message = findPathProblem(text)
    const read = message
      ? {problem: {path: at, message}}
      : await readDocumentUri(at, resolveDocumentPath(text, process.cwd()))
    if ('problem' in read) {
      problems.push(read.problem)
      continue
    }
    bytes += read.uri.length
    if (bytes <= limits.requestBytesMax) uris.set(at, read.uri)
  }
  const whole = mapDocuments(body, (value, at) => (texts.has(at) ? uris.get(at) : value)) as T
  return {body: whole, bodyWithoutFiles: bare, problems, isTooLarge: bytes > limits.requestBytesMax}
}
