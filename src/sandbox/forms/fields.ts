// Fields of a form, made from the contract: what kind of answer each takes, from what it is chosen, and which rule it has.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import type {Label} from '../../contract/labels.ts'
import {limits} from '../../contract/limits.ts'

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
  // Where it stands in the body, which is its name in the form as well.
  path: string
  kind: FieldKind
  label: string
  // Every rule that it follows, each a short sentence without its stop.
  rules: readonly string[]
  isRequired: boolean
  autocomplete?: string | undefined
  // What may be chosen. A coded field takes others too.
  values?: readonly string[] | undefined
  lengthMin?: number | undefined
  // Of which kind of document it is a detail, where it is of one only.
  only?: 'for-id' | 'for-proof' | undefined
}

export interface Section {
  is: 'section'
  title: string
  hint?: string | undefined
  nodes: readonly Node[]
}

// As many of something as there are.
export interface List {
  is: 'list'
  path: string
  title: string
  hint?: string | undefined
  // What one of them is called: "Person" makes "Person 1" and "Add a person".
  item: string
  createNodes: (itemPath: string) => readonly Node[]
}

export type Node = Field | Section | List

const kilobyte = 1024
const megabyte = 1024 * kilobyte

const imageRule =
  `JPG, PNG or PDF, ${limits.documentBytesMin / kilobyte} KB to ${limits.documentBytesMax / megabyte} MB, ` +
  `at least ${limits.documentPixelsMin}x${limits.documentPixelsMin} pixels, all four corners visible`

const kindByPattern: ReadonlyArray<readonly [looks: RegExp, kind: FieldKind]> = [
  [/^\^\[A-Z\]\{2\}\$$/, 'country'],
  [/^\^data:/, 'file'],
  [/^\^\\\+/, 'phone'],
]

// Free text that is more than a few words long.
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

// What the contract states about a value, in words.
function describeRules({kind}: Kind, {minLength, maxLength, minimum, maximum, examples}: JsonSchema): string[] {
  if (kind === 'file') return [imageRule]
  if (kind === 'phone') return [`In E.164 format, such as ${String((examples as unknown[])[0])}`]
  if (kind === 'date') return ['A day of the calendar']
  if (kind === 'number') return [`A number from ${String(minimum)} to ${String(maximum)}`]
  if (typeof maxLength === 'number') return [`${String(minLength)} to ${maxLength} characters`]
  return []
}

// The schema of each field of an object of the contract, with references followed.
function readSchemas(object: z.ZodObject): Record<string, JsonSchema> {
  const schemas = createSchemaCollector('')
  const own = schemas.add(object)
  const whole = schemas.definitions[String(own['$ref'])] ?? own
  return (whole['properties'] ?? {}) as Record<string, JsonSchema>
}

// Reading the contract takes a while, and the forms ask for the same objects again and again.
const schemaCache = new Map<z.ZodObject, Record<string, JsonSchema>>()

function getSchemas(object: z.ZodObject): Record<string, JsonSchema> {
  const known = schemaCache.get(object) ?? readSchemas(object)
  schemaCache.set(object, known)
  return known
}

export interface FieldOptions {
  // Whether the part that the fields stand in is wanted at all.
  isRequired?: boolean
  // Whether the fields are about whoever fills them in, so that a browser may offer what it knows.
  isOwn?: boolean
}

// A field that the contract has and the labels do not is called by its name: it is never missing.
export function createFields(
  object: z.ZodObject,
  path: string,
  labels: Readonly<Record<string, Label>>,
  {isRequired: isWanted = true, isOwn = false}: FieldOptions = {},
): Record<string, Field> {
  const fields = Object.entries(getSchemas(object))
    .filter(([, schema]) => schema['$ref'] === undefined && !(schema['items'] as JsonSchema | undefined)?.['$ref'])
    .map(([name, schema]): [string, Field] => {
      const {label = name, hint, autocomplete, isNeededForApproval: isLabelWanted = false} = labels[name] ?? {}
      const kind = getKind(name, schema)
      return [
        name,
        {
          is: 'field',
          ...kind,
          path: path === '' ? name : `${path}.${name}`,
          label,
          rules: [...(hint ? [hint] : []), ...describeRules(kind, schema)],
          isRequired: isWanted && isLabelWanted,
          autocomplete: isOwn ? autocomplete : undefined,
          lengthMin: typeof schema['maxLength'] === 'number' ? Number(schema['minLength']) : undefined,
        },
      ]
    })
  return Object.fromEntries(fields)
}

// The fields of these names, in this order, and then those that nobody has named yet.
export function orderFields(fields: Readonly<Record<string, Field>>, names: readonly string[]): Field[] {
  const rest = Object.keys(fields).filter((name) => !names.includes(name))
  return [...names, ...rest].flatMap((name) => fields[name] ?? [])
}

const toGenericPath = (path: string) => path.replaceAll(/\[\d+\]/g, '[]')

function flattenNodes(nodes: readonly Node[]): (Field | List)[] {
  return nodes.flatMap((node): (Field | List)[] => {
    if (node.is === 'field') return [node]
    if (node.is === 'section') return flattenNodes(node.nodes)
    return [node, ...flattenNodes(node.createNodes(`${node.path}[]`))]
  })
}

// Looks a field or list up by its path, whatever the numbers in it.
export function createFinder(nodes: readonly Node[]): (path: string) => Field | List | undefined {
  const known = new Map(flattenNodes(nodes).map((node) => [node.path, node]))
  return (path) => known.get(toGenericPath(path))
}
