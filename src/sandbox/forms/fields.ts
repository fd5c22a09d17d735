// Derives the fields of a form from the contract: their kinds, their choices and their rules.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import type {Label} from '../../contract/labels.ts'
import {limits} from '../../contract/limits.ts'
import {dropIndexes} from '../../values/records.ts'

type FieldKind =
  | 'text'
  | 'words'
  | 'phone'
  | 'email'
  | 'date'
  | 'number'
  | 'yes-no'
  | 'country'
  | 'one-of'
  | 'coded'
  | 'several-coded'
  | 'lines'
  | 'file'

export interface Field {
  is: 'field'
  // Its path in the body, which is also its name in the form.
  path: string
  kind: FieldKind
  label: string
  // Hints for the user, each a short sentence without a full stop.
  rules: readonly string[]
  isRequired: boolean
  autocomplete?: string | undefined
  // The choices. A coded field accepts other values too.
  values?: readonly string[] | undefined
  lengthMin?: number | undefined
  // The kind of document that has this field, if only one kind has it.
  only?: keyof typeof documentClasses | undefined
}

// The class of a field that only one kind of document has.
export const documentClasses = {GOVERNMENT_ID: 'for-id', PROOF_OF_ADDRESS: 'for-proof'} as const

export interface Section {
  is: 'section'
  title: string
  hint?: string | undefined
  nodes: readonly Node[]
}

export interface List {
  is: 'list'
  path: string
  title: string
  hint?: string | undefined
  // The name of one item: "Person" gives "Person 1" and "Add a person".
  item: string
  createNodes: (itemPath: string) => readonly Node[]
}

export type Node = Field | Section | List

const kilobyte = 1000
const megabyte = 1024 * 1024

const imageRule =
  `JPG, PNG or PDF, ${limits.documentBytesMin / kilobyte} KB to ${limits.documentBytesMax / megabyte} MB, ` +
  `at least ${limits.documentPixelsMin}x${limits.documentPixelsMin} pixels, all four corners visible`

const kindByPattern: ReadonlyArray<readonly [looks: RegExp, kind: FieldKind]> = [
  [/^\^\[A-Z\]\{2\}\$$/, 'country'],
  [/^\^data:/, 'file'],
  [/^\^\\\+/, 'phone'],
]

// Names of fields with long text, which get a textarea.
const longTextPattern = /(?:Description|Explanation|Other|^description)$/

type Kind = Pick<Field, 'kind' | 'values'>

const getValuesSeen = (schema: JsonSchema) => schema['x-values-seen'] as readonly string[] | undefined

function getKind(name: string, schema: JsonSchema): Kind {
  const {type, format, pattern} = schema
  const known = kindByPattern.find(([looks]) => looks.test(String(pattern)))?.[1]
  if (known) return {kind: known}
  if (type === 'boolean') return {kind: 'yes-no'}
  if (type === 'number') return {kind: 'number'}
  if (type === 'array') {
    const values = getValuesSeen(schema['items'] as JsonSchema)
    return values ? {kind: 'several-coded', values} : {kind: 'lines'}
  }
  if (schema['enum']) return {kind: 'one-of', values: schema['enum'] as readonly string[]}
  const values = getValuesSeen(schema)
  if (values) return {kind: 'coded', values}
  if (format === 'date') return {kind: 'date'}
  if (format === 'email') return {kind: 'email'}
  return {kind: longTextPattern.test(name) ? 'words' : 'text'}
}

// Describes the contract's limits in words.
function describeRules({kind}: Kind, {minLength, maxLength, minimum, maximum, examples}: JsonSchema): string[] {
  if (kind === 'file') return [imageRule]
  if (kind === 'phone') return [`In E.164 format, such as ${String((examples as unknown[])[0])}`]
  if (kind === 'number') return [`A number from ${String(minimum)} to ${String(maximum)}`]
  if (typeof maxLength === 'number') return [`${String(minLength)} to ${maxLength} characters`]
  return []
}

// The schema of each field of a contract object, with references resolved.
function readSchemas(object: z.ZodObject): Record<string, JsonSchema> {
  const schemas = createSchemaCollector('')
  const own = schemas.add(object)
  const whole = schemas.definitions[String(own['$ref'])] ?? own
  return (whole['properties'] ?? {}) as Record<string, JsonSchema>
}

// Converting the contract is slow, and the forms use the same objects repeatedly.
const schemaCache = new Map<z.ZodObject, Record<string, JsonSchema>>()

function getSchemas(object: z.ZodObject): Record<string, JsonSchema> {
  const known = schemaCache.get(object) ?? readSchemas(object)
  schemaCache.set(object, known)
  return known
}

export interface FieldOptions {
  // False makes all fields of this part optional.
  isRequired?: boolean
  // Whether the fields are about the person who fills them in, so that the browser may autocomplete them.
  isOwn?: boolean
}

// A field of the contract without a label is shown under its own name, so that no field is missing.
export function createFields(
  object: z.ZodObject,
  path: string,
  labels: Readonly<Record<string, Label>>,
  {isRequired = true, isOwn = false}: FieldOptions = {},
): Record<string, Field> {
  const fields = Object.entries(getSchemas(object))
    .filter(([, schema]) => schema['$ref'] === undefined && !(schema['items'] as JsonSchema | undefined)?.['$ref'])
    .map(([name, schema]): [string, Field] => {
      const {label = name, hint, autocomplete, isNeededForApproval = false, only} = labels[name] ?? {}
      const kind = getKind(name, schema)
      return [
        name,
        {
          is: 'field',
          ...kind,
          path: path === '' ? name : `${path}.${name}`,
          label,
          rules: [...(hint ? [hint] : []), ...describeRules(kind, schema)],
          isRequired: isRequired && isNeededForApproval,
          autocomplete: isOwn ? autocomplete : undefined,
          only,
          lengthMin: typeof schema['maxLength'] === 'number' ? Number(schema['minLength']) : undefined,
        },
      ]
    })
  return Object.fromEntries(fields)
}

// The fields with these names in this order, followed by all others.
export function orderFields(fields: Readonly<Record<string, Field>>, names: readonly string[]): Field[] {
  const rest = Object.keys(fields).filter((name) => !names.includes(name))
  return [...names, ...rest].flatMap((name) => fields[name] ?? [])
}

function flattenNodes(nodes: readonly Node[]): (Field | List)[] {
  return nodes.flatMap((node): (Field | List)[] => {
    if (node.is === 'field') return [node]
    if (node.is === 'section') return flattenNodes(node.nodes)
    return [node, ...flattenNodes(node.createNodes(`${node.path}[]`))]
  })
}

// Finds a field or list by its path, regardless of the indexes in it.
export function createFinder(nodes: readonly Node[]): (path: string) => Field | List | undefined {
  const known = new Map(flattenNodes(nodes).map((node) => [node.path, node]))
  return (path) => known.get(dropIndexes(path))
}
