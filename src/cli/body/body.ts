// Builds the body of a request from a file, from flags and from --set. Each overrides the one before.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import {isPlainObject} from '../../contract/shape.ts'
import {badUsage} from '../../errors.ts'
import {applyAssignment, convertUntyped} from './assignments.ts'
import type {Body} from '../../values/body-paths.ts'
import {readDataFile} from './input-file.ts'
import {lookUp} from '../../values/records.ts'

interface BodySources {
  // A path, or - for standard input.
  file?: string | undefined
  // Fields from the command's own flags; undefined where a flag was not given.
  flags?: Body | undefined
  set?: readonly string[] | undefined
  // Turns what the file says into the form of a request.
  prepare?: (body: Body) => Body
}

async function readBody(file: string): Promise<Body> {
  const data = await readDataFile(file, {readNumber: (text) => new UntypedText(text), omitsBlanks: true})
  if (isPlainObject(data)) return data
  throw badUsage(
    `The content of ${file === '-' ? 'standard input' : file} is not an object`,
    'Give fields and their values',
  )
}

// Merges `override` into `base` at every depth. Lists are replaced as a whole.
export function mergeBodies<T extends Body>(base: T, override: Body): T {
  const fields = Object.entries(override).filter(([, value]) => value !== undefined)
  const merged = fields.map(([key, value]): [string, unknown] => {
    const current = Object.hasOwn(base, key) ? base[key] : undefined
    return [key, isPlainObject(value) ? mergeBodies(isPlainObject(current) ? current : {}, value) : value]
  })
  return {...base, ...Object.fromEntries(merged)}
}

// Flags have the types of their fields already, so a body of flags alone needs no schema.
export async function buildBody(
  getSchema: () => z.ZodType,
  {file, flags = {}, set = [], prepare = (body) => body}: BodySources,
): Promise<Body> {
  const body = mergeBodies(file === undefined ? {} : prepare(await readBody(file)), flags)
  for (const assignment of set) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return file === undefined && set.length === 0 ? body : coerceToSchema(body, getSchema())
}

// A value of a YAML file or of --set exactly as it was written. The contract decides whether 02139 is a number or text.
export class UntypedText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const wholeOrDecimal = /^[+-]?\d+(\.\d+)?$/

function coerceText({text}: UntypedText, types: ReadonlySet<string>): unknown {
  if (types.has('string')) return text
  if ((types.has('number') || types.has('integer')) && wholeOrDecimal.test(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  // The contract does not have this field, and validation reports it later.
  return types.size === 0 ? convertUntyped(text) : text
}

type Definitions = Readonly<Record<string, JsonSchema>>

// The schema itself and all members of its unions, without references. Validation decides later which member applies.
function expandUnions(schema: JsonSchema, definitions: Definitions): JsonSchema[] {
  const {$ref: reference, anyOf = [], oneOf = [], allOf = []} = schema
  if (reference) return expandUnions(definitions[reference] ?? {}, definitions)
  const members = [...anyOf, ...oneOf, ...allOf]
  return [schema, ...members.flatMap((member) => expandUnions(member, definitions))]
}

function coerceToSchemas(value: unknown, schemas: readonly JsonSchema[], definitions: Definitions): unknown {
  const members = schemas.flatMap((schema) => expandUnions(schema, definitions))
  const types = new Set(members.flatMap(({type}) => type ?? []))
  if (value instanceof UntypedText) return coerceText(value, types)
  // A JSON number with its exact digits, such as 12.50. A field of type number needs only the value.
  if (JSON.isRawJSON(value)) return types.has('number') ? Number(value.rawJSON) : value
  if (Array.isArray(value)) {
    const items = members.flatMap(({items: each}) => (each ? [each] : []))
    return value.map((item) => coerceToSchemas(item, items, definitions))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const fields = members.map(({properties = {}}) => lookUp(properties, key)).filter((field) => field !== undefined)
      return [key, coerceToSchemas(inner, fields, definitions)]
    }),
  )
}

// A copy of the value in which every UntypedText has the type of its field.
export function coerceToSchema<T>(value: T, schema: z.ZodType): T {
  const schemas = createSchemaCollector('')
  const own = schemas.add(schema)
  return coerceToSchemas(value, [own], schemas.definitions) as T
}
