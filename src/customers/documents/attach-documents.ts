// Replaces the path of every document in a body by the content of its file.
import {limits} from '../../contract/limits.ts'
import type {Problem} from '../../contract/problems.ts'
import {findPathProblem, isDocumentPath, mapDocuments, resolveDocumentPath} from './document-fields.ts'
import {readDocumentUri} from './document-file.ts'

export interface AttachedDocuments<T> {
  // With the content of all documents. Must not be sent if there are problems.
  body: T
  // Without the documents that were files. These are validated here, so that they need not be decoded again.
  bodyWithoutFiles: T
  problems: Problem[]
  // Whether the documents exceed the size of a request. Then `body` has only some of them.
  isTooLarge: boolean
}

export async function attachDocuments<T>(given: T): Promise<AttachedDocuments<T>> {
  const pathsByField = new Map<string, string>()
  const bodyWithoutFiles = mapDocuments(given, (value, field) => {
    if (!isDocumentPath(value)) return value
    pathsByField.set(field, value)
    return undefined
  }) as T
  const problems: Problem[] = []
  const urisByField = new Map<string, string>()
  let bytes = 0
  // One file at a time: content beyond the limit is validated and dropped, so that memory stays bounded.
  for (const [field, text] of pathsByField) {
    const message = findPathProblem(text)
    const result = message
      ? {problem: {path: field, message}}
      : await readDocumentUri(field, resolveDocumentPath(text, process.cwd()))
    if ('problem' in result) {
      problems.push(result.problem)
      continue
    }
    bytes += result.uri.length
    if (bytes <= limits.requestBytesMax) urisByField.set(field, result.uri)
  }
  const body = mapDocuments(given, (value, field) => (pathsByField.has(field) ? urisByField.get(field) : value)) as T
  return {body, bodyWithoutFiles, problems, isTooLarge: bytes > limits.requestBytesMax}
}
