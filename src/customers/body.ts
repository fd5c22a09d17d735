// Builds the body that creates or updates a customer from files, flags and --set. Documents are still paths.
import path from 'node:path'
import type {z} from 'zod'
import {badUsage} from '../errors.ts'
import {applyAssignment} from '../cli/body/assignments.ts'
import type {Body} from '../values/body-paths.ts'
import {UntypedText, coerceToSchema, mergeBodies, readBody} from '../cli/body/body.ts'
import {mapDocuments, resolveDocumentPath} from './documents/document-fields.ts'

// The flags that name the sources.
export interface SubmissionSources {
  file?: string | undefined
  'kyc-file'?: string | undefined
  'kyb-file'?: string | undefined
  set?: readonly string[] | undefined
}

const standardInput = '-'

// Document paths in a file are relative to that file; on standard input, to the working folder.
async function readWithResolvedPaths(file: string): Promise<Body> {
  const folder = file === standardInput ? process.cwd() : path.dirname(path.resolve(file))
  const resolve = (value: unknown) => {
    const text = value instanceof UntypedText ? value.text : value
    return typeof text === 'string' ? resolveDocumentPath(text, folder) : value
  }
  return mapDocuments(await readBody(file), resolve)
}

// The file holds the data itself, or an object with the data as its only field.
async function readSubmission(field: 'kycData' | 'kybData', file: string | undefined): Promise<Body> {
  if (file === undefined) return {}
  const data = await readWithResolvedPaths(file)
  return Object.keys(data).join() === field ? data : {[field]: data}
}

function rejectSharedInput(sources: SubmissionSources): void {
  const flags = (['file', 'kyc-file', 'kyb-file'] as const).filter((flag) => sources[flag] === standardInput)
  if (flags.length < 2) return
  const names = flags.map((flag) => `--${flag}`).join(' and ')
  throw badUsage(`${names} cannot both be standard input`, 'Give one of them as a file')
}

// Later sources override earlier ones: --file, --kyc-file or --kyb-file, the other flags, --set.
export async function readCustomerBody(schema: z.ZodType, sources: SubmissionSources, flags: Body = {}): Promise<Body> {
  rejectSharedInput(sources)
  const layers = [
    // The flags come first so that their fields lead the body, and again later so that they override the files.
    flags,
    sources.file === undefined ? {} : await readWithResolvedPaths(sources.file),
    await readSubmission('kycData', sources['kyc-file']),
    await readSubmission('kybData', sources['kyb-file']),
    flags,
  ]
  const body = layers.reduce<Body>(mergeBodies, {})
  for (const assignment of sources.set ?? []) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return coerceToSchema(body, schema)
}
