// The fields of what a person fills in, derived from the contract and its labels: what each is called, what it takes and when
// it applies. The wizard, the hosted form and the file template are three faces of them.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../contract/json-schema.ts'
import {type Label, findLabels} from '../contract/labels.ts'
import {limits} from '../contract/vocabulary.ts'
import {dropIndexes, joinPath} from '../values/records.ts'

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

export interface Field extends Pick<
  Label,
  'label' | 'hint' | 'autocomplete' | 'follows' | 'isHidden' | 'isMasked' | 'only'
> {
  is: 'field'
  // Its path in the body, which is also its name in a form.
  path: string
  name: string
  kind: FieldKind
  // Hints for the user, each a short sentence without a full stop.
  rules: readonly string[]
  isRequired: boolean
  // The choices. A coded field accepts other values too.
  values?: readonly string[] | undefined
  lengthMin?: number | undefined
}

// Fields that belong together: a part that can be given or corrected by itself.
export interface Section {
  is: 'section'
  // The path of its object, or of its name in the object that has its fields.
  path: string
  name: string
  title: string
  hint?: string | undefined
  // Each of its fields can be corrected by itself.
  isDivisible?: boolean
  // Asks whether the section applies. All of its fields are given then, or none.
  question?: string
  // Most people say yes to it.
  isUsual?: boolean
  nodes: readonly Node[]
}

export interface List {
  is: 'list'
  path: string
  name: string
  title: string
  hint?: string | undefined
  // The name of one item: "Person" gives "Person 1" and "Add another person".
  item: string
  // Asks whether there is a first item, and how many there are where that is asked at once.
  question: string
  countQuestion?: string
  createNodes: (itemPath: string) => readonly Node[]
}

export type Node = Field | Section | List

const kilobyte = 1000
const megabyte = 1024 * 1024

export const imageRule =
  `JPG, PNG or PDF, ${limits.documentBytesMin / kilobyte} KB to ${limits.documentBytesMax / megabyte} MB, ` +
  `at least ${limits.documentPixelsMin}x${limits.documentPixelsMin} pixels`

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
  if (kind === 'file') return [`${imageRule}, all four corners visible`]
  if (kind === 'phone') return [`In E.164 format, such as ${String((examples as unknown[])[0])}`]
  if (kind === 'number') return [`A number from ${String(minimum)} to ${String(maximum)}`]
  if (typeof maxLength === 'number') return [`${String(minLength)} to ${maxLength} characters`]
  return []
}

// Converting the contract is slow, and forms use the same objects repeatedly.
const schemaCache = new WeakMap<z.ZodObject, JsonSchema>()

// The schema of a contract object, with its own reference resolved.
function getSchema(object: z.ZodObject): JsonSchema {
  const known = schemaCache.get(object)
  if (known) return known
  const schemas = createSchemaCollector('')
  const own = schemas.add(object)
  const schema = schemas.definitions[String(own['$ref'])] ?? own
  schemaCache.set(object, schema)
  return schema
}

const isNested = (schema: JsonSchema) =>
  schema['$ref'] !== undefined || (schema['items'] as JsonSchema | undefined)?.['$ref'] !== undefined

export interface FieldOptions {
  // False makes all fields of this part optional.
  isRequired?: boolean
  // Whether the fields are about the person who fills them in, so that the browser may autocomplete them.
  isOwn?: boolean
  // Those of an object that is not one of the contract's own.
  labels?: Readonly<Record<string, Label>>
}

// The names of the fields of an object in the order of their labels, then those without one, so that no field is missing.
export function orderNames(object: z.ZodObject, labels: Readonly<Record<string, Label>>): string[] {
  const names = Object.keys(object.shape)
  const labelled = Object.keys(labels).filter((name) => names.includes(name))
  return [...labelled, ...names.filter((name) => !labelled.includes(name))]
}

// The fields of a contract object that are no objects themselves. One without a label is shown under its own name.
export function createFields(
  object: z.ZodObject,
  path: string,
  {isRequired = true, isOwn = false, labels = findLabels(object)}: FieldOptions = {},
): Field[] {
  const {properties = {}, required = []} = getSchema(object) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return orderNames(object, labels).flatMap((name): Field[] => {
    const schema = properties[name] ?? {}
    if (isNested(schema)) return []
    const {label = name, hint, autocomplete, isNeededForApproval = false, ...more} = labels[name] ?? {}
    const kind = getKind(name, schema)
    return [
      {
        is: 'field',
        ...kind,
        name,
        path: joinPath(path, name),
        label,
        ...(hint !== undefined && {hint}),
        rules: [...(hint ? [hint] : []), ...describeRules(kind, schema)],
        isRequired: isRequired && (isNeededForApproval || required.includes(name)),
        ...(isOwn && autocomplete !== undefined && {autocomplete}),
        ...pickDefined(more),
        lengthMin: typeof schema['maxLength'] === 'number' ? Number(schema['minLength']) : undefined,
      },
    ]
  })
}

const pickDefined = ({follows, isHidden, isMasked, only}: Partial<Label>): Partial<Field> => ({
  ...(follows !== undefined && {follows}),
  ...(isHidden !== undefined && {isHidden}),
  ...(isMasked !== undefined && {isMasked}),
  ...(only !== undefined && {only}),
})

// Whether a field applies, by the values of the fields beside it.
export function isApplicable({only, follows}: Field, getBeside: (name: string) => unknown): boolean {
  if (only !== undefined && (getBeside('type') === 'PROOF_OF_ADDRESS') !== (only === 'PROOF_OF_ADDRESS')) return false
  if (follows === undefined) return true
  const before = getBeside(follows)
  return before !== undefined && before !== false
}

// The fields of a section, and of the sections in it.
export const listFields = (nodes: readonly Node[]): Field[] =>
  nodes.flatMap((node) => (node.is === 'field' ? [node] : node.is === 'section' ? listFields(node.nodes) : []))

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
