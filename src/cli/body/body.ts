// Builds the body of a request from a file, from flags and from --set. Each overrides the one before.
import type {z} from 'zod'
import {badUsage} from '../../errors.ts'
import {type Body, applyAssignment} from './assignments.ts'
import {readDataFile} from './input-file.ts'
import {UntypedText, coerceToSchema} from './coerce-to-schema.ts'

export interface BodySources {
  // A path, or - for standard input.
  file?: string | undefined
  // Fields from the command's own flags; undefined where a flag was not given.
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
  const data = await readDataFile(file, {readNumber: (text) => new UntypedText(text), omitsBlanksExcept: []})
  if (isObject(data)) return data
  throw badUsage(
    `The content of ${file === '-' ? 'standard input' : file} is not an object`,
    'Give fields and their values',
  )
}

// Merges `override` into `base` at every depth. Lists are replaced as a whole.
export function mergeBodies(base: Body, override: Body): Body {
  const fields = Object.entries(override).filter(([, value]) => value !== undefined)
  const merged = fields.map(([key, value]): [string, unknown] => {
    const current = Object.hasOwn(base, key) ? base[key] : undefined
    return [key, isObject(value) ? mergeBodies(isObject(current) ? current : {}, value) : value]
  })
  return {...base, ...Object.fromEntries(merged)}
}

// Flags have the types of their fields already, so a body of flags alone needs no schema.
export async function buildBody(getSchema: () => z.ZodType, {file, flags = {}, set = []}: BodySources): Promise<Body> {
  const body = mergeBodies(file === undefined ? {} : await readBody(file), flags)
  for (const assignment of set) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return file === undefined && set.length === 0 ? body : (coerceToSchema(body, getSchema()) as Body)
}
