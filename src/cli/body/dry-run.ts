// What would be sent, shown instead of sent.
import {type Result, itemResult} from '../output/result.ts'

export interface Unsent {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: unknown
}

export const dryRun = ({method, path, headers, body}: Unsent): Result =>
  itemResult({method, path, ...(headers && {headers}), ...(body !== undefined && {body})})
