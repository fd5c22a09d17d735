// The result of a dry run: the request that would be sent.
import {type Result, itemResult} from '../output/result.ts'

export interface UnsentRequest {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: unknown
}

export const toDryRunResult = ({method, path, headers, body}: UnsentRequest): Result =>
  itemResult({method, path, ...(headers && {headers}), ...(body !== undefined && {body})})
