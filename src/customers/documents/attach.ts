// Puts the content of files in the place of their paths, for every document of a body.
import {limits} from '../../contract/limits.ts'
import type {Problem} from '../../contract/problems.ts'
import {isDocumentText, mapDocuments, notAPath, rooted} from './document-fields.ts'
import {readDocument} from './document-file.ts'

export interface Attached<T> {
  // With every document in its place. Not to be sent while there are problems.
  whole: T
  // Without the documents that were files: those are judged, and are not decoded again to be judged once more.
  bare: T
  problems: Problem[]
  // The documents alone are more than a request can carry, so that not all of them are in `whole`.
  overflows: boolean
}

export async function attachDocuments<T>(body: T): Promise<Attached<T>> {
  const texts = new Map<string, string>()
  const bare = mapDocuments(body, (value, at) => {
    if (!isDocumentText(value)) return value
    texts.set(at, value)
    return undefined
  }) as T
  const problems: Problem[] = []
  const uris = new Map<string, string>()
  let bytes = 0
  // One after the other: what is too much for a request is judged, and let go of at once.
  for (const [at, text] of texts) {
    const message = notAPath(text)
    const read = message ? {problem: {path: at, message}} : await readDocument(at, rooted(text, process.cwd()))
    if ('problem' in read) {
      problems.push(read.problem)
      continue
    }
    bytes += read.uri.length
    if (bytes <= limits.requestBytesMax) uris.set(at, read.uri)
  }
  const whole = mapDocuments(body, (value, at) => (texts.has(at) ? uris.get(at) : value)) as T
  return {whole, bare, problems, overflows: bytes > limits.requestBytesMax}
}
