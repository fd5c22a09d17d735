// The body of a request, from a file, from flags and from --set, each on top of the one before.
import type {z} from 'zod'
import {badUsage} from '../../errors.ts'
import {type Body, applyAssignment} from './assignments.ts'
import {readDataFile} from './input-file.ts'
import {UntypedText, coerceToSchema} from './coerce-to-schema.ts'

export interface BodySources {
  // A path, or - for standard input.
  file?: string | undefined
  // What the command's own flags say; fields that are undefined were not given.
  flags?: Body | undefined
  set?: readonly string[] | undefined
}

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof UntypedText) &&
  !JSON.isRawJSON(value)

export async function readBody(file: string): Promise<Body> {
  const data = await readDataFile(file, (text) => new UntypedText(text))
  if (isObject(data)) return data
  throw badUsage(
    `What is in ${file === '-' ? 'standard input' : file} is not an object`,
    'Give fields with their values',
  )
}

// Lays the fields of one over those of the other, at every depth. Lists replace whole.
export function mergeBodies(below: Body, above: Body): Body {
  const given = Object.entries(above).filter(([, value]) => value !== undefined)
  const laid = given.map(([key, value]): [string, unknown] => {
    const under = Object.hasOwn(below, key) ? below[key] : undefined
    return [key, isObject(value) ? mergeBodies(isObject(under) ? under : {}, value) : value]
  })
  return {...below, ...Object.fromEntries(laid)}
}

export async function buildBody(schema: z.ZodType, {file, flags = {}, set = []}: BodySources): Promise<Body> {
  const body = mergeBodies(file === undefined ? {} : await readBody(file), flags)
  for (const assignment of set) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return coerceToSchema(body, schema) as Body
}
