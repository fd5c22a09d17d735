// Builds the body that creates or updates a customer from a file, flags and --set. Documents are still paths.
import path from 'node:path'
import type {z} from 'zod'
import {UntypedText, buildBody, mergeBodies} from '../cli/body/body.ts'
import type {Body} from '../values/body-paths.ts'
import {mapDocuments, resolveDocumentPath} from './documents.ts'

interface Sources {
  file?: string | undefined
  set?: readonly string[] | undefined
}

// Document paths in a file are relative to that file; on standard input, to the working folder. The fields of flags lead the body.
export function readCustomerBody(schema: z.ZodType, {file, set}: Sources, flags: Body = {}): Promise<Body> {
  const folder = file === undefined || file === '-' ? process.cwd() : path.dirname(path.resolve(file))
  const resolve = (value: unknown) => {
    const text = value instanceof UntypedText ? value.text : value
    return typeof text === 'string' ? resolveDocumentPath(text, folder) : value
  }
  const prepare = (body: Body) => mergeBodies(mergeBodies({}, flags), mapDocuments(body, resolve))
  return buildBody(() => schema, {file, flags, set, prepare})
}
