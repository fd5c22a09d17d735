// The body that creates or updates a customer, from files, flags and --set, with documents as they were named.
import path from 'node:path'
import type {z} from 'zod'
import {mapDocuments, resolveDocumentPath} from './documents/document-fields.ts'
import {badUsage} from '../errors.ts'
import {type Body, applyAssignment} from '../cli/body/assignments.ts'
import {mergeBodies, readBody} from '../cli/body/body.ts'
import {UntypedText, coerceToSchema} from '../cli/body/coerce-to-schema.ts'

// What the flags of both commands say, by the names of the flags.
export interface SubmissionSources {
  file?: string | undefined
  'kyc-file'?: string | undefined
  'kyb-file'?: string | undefined
  set?: readonly string[] | undefined
}

const standardInput = '-'

// Paths of documents in a file are relative to it, those of standard input to where svc was started.
async function readWithResolvedPaths(file: string): Promise<Body> {
  const folder = file === standardInput ? process.cwd() : path.dirname(path.resolve(file))
  const inPlace = (value: unknown) => {
    const text = value instanceof UntypedText ? value.text : value
    return typeof text === 'string' ? resolveDocumentPath(text, folder) : value
  }
  return mapDocuments(await readBody(file), inPlace) as Body
}

// The data itself, or an object that holds nothing else.
async function readSubmission(field: 'kycData' | 'kybData', file: string | undefined): Promise<Body> {
  if (file === undefined) return {}
  const data = await readWithResolvedPaths(file)
  return Object.keys(data).join() === field ? data : {[field]: data}
}

function rejectSharedInput(sources: SubmissionSources): void {
  const flags = (['file', 'kyc-file', 'kyb-file'] as const).filter((flag) => sources[flag] === standardInput)
  if (flags.length < 2) return
  const named = flags.map((flag) => `--${flag}`).join(' and ')
  throw badUsage(`${named} cannot both be standard input`, 'Give one of them as a file')
}

// Each on top of the one before: the file of the whole body, the files of its parts, the other flags, --set.
export async function readCustomerBody(schema: z.ZodType, sources: SubmissionSources, flags: Body = {}): Promise<Body> {
  rejectSharedInput(sources)
  const layers = [
    // Once below, so that what the flags say comes first in the body, and once above, so that it counts.
    flags,
    sources.file === undefined ? {} : await readWithResolvedPaths(sources.file),
    await readSubmission('kycData', sources['kyc-file']),
    await readSubmission('kybData', sources['kyb-file']),
    flags,
  ]
  const body = layers.reduce<Body>(mergeBodies, {})
  for (const assignment of sources.set ?? []) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return coerceToSchema(body, schema) as Body
}
