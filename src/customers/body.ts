// Builds the body that creates or updates a customer from a file, flags and --set. Documents are still paths.
import path from 'node:path'
import type {z} from 'zod'
import {applyAssignment} from '../cli/body/assignments.ts'
import {UntypedText, coerceToSchema, mergeBodies, readBody} from '../cli/body/body.ts'
import type {Body} from '../values/body-paths.ts'
import {mapDocuments, resolveDocumentPath} from './documents.ts'

// Document paths in a file are relative to that file; on standard input, to the working folder.
async function readWithResolvedPaths(file: string): Promise<Body> {
  const folder = file === '-' ? process.cwd() : path.dirname(path.resolve(file))
  const resolve = (value: unknown) => {
    const text = value instanceof UntypedText ? value.text : value
    return typeof text === 'string' ? resolveDocumentPath(text, folder) : value
  }
  return mapDocuments(await readBody(file), resolve)
}

interface Sources {
  file?: string | undefined
  set?: readonly string[] | undefined
}

// The flags come first so that their fields lead the body, and again later so that they override the file.
export async function readCustomerBody(schema: z.ZodType, {file, set = []}: Sources, flags: Body = {}): Promise<Body> {
  const layers = [flags, file === undefined ? {} : await readWithResolvedPaths(file), flags]
  const body = layers.reduce<Body>(mergeBodies, {})
  for (const assignment of set) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return coerceToSchema(body, schema)
}
