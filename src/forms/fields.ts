// The fields of what a person fills in, derived from the contract and its labels: what each is called, what it takes and when
// it applies. The wizard, the hosted form and the file template are three faces of them.
import {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../contract/json-schema.ts'
import {type Label, findLabels} from '../contract/labels.ts'
import {amount, countryCode, dataUri, phoneNumber, url} from '../contract/scalars.ts'
import {kilobyte, limits, megabyte} from '../contract/vocabulary.ts'
import {joinPath} from '../contract/shape.ts'
import {dropIndexes, lookUp, readText} from '../values/records.ts'

type FieldKind =
  | 'text'
  | 'words'
  | 'phone'
  | 'email'
  | 'date'
  | 'number'
  | 'amount'
  | 'yes-no'
  | 'country'
  | 'one-of'
  | 'coded'
  | 'several-coded'
  | 'lines'
  | 'file'
  | 'id'
  | 'link'

export interface Field extends Pick<
  Label,
  'label' | 'question' | 'hint' | 'autocomplete' | 'follows' | 'isHidden' | 'isMasked' | 'isRare' | 'only'
> {
  is: 'field'
  // Its path in the body, which is also its name in a form.
  path: string
  name: string
  kind: FieldKind
  // Hints for the user, each a short sentence without a full stop.
  rules: readonly string[]
  isRequired: boolean
  // Whether it is required of whoever gives the part that it belongs to.
  isRequiredInPart: boolean
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
  // All of its fields are given, or none. Most people give those of a usual one.
  isOptional?: 'rare' | 'usual'
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
  // Asks how many items there are.
  question: string
  // How many there usually are, if that is known.
  usualCount?: number
  createNodes: (itemPath: string) => readonly Node[]
}

export type Node = Field | Section | List

export const imageRule =
  `JPG, PNG or PDF, ${limits.documentBytesMin / kilobyte} KB to ${limits.documentBytesMax / megabyte} MB, ` +
  `at least ${limits.documentPixelsMin}x${limits.documentPixelsMin} pixels`

// What a field holds by the contract, which is known by its pattern.
const scalars: ReadonlyArray<readonly [scalar: z.ZodType, kind: FieldKind]> = [
  [countryCode, 'country'],
  [dataUri, 'file'],
  [url, 'link'],
  [phoneNumber, 'phone'],
  [amount, 'amount'],
]

const kindByPattern = new Map(scalars.map(([scalar, kind]) => [createSchemaCollector('').add(scalar).pattern, kind]))

const kindByFormat: Readonly<Record<string, FieldKind>> = {date: 'date', 'idn-email': 'email', uuid: 'id'}

// Names of fields with long text, which get a textarea.
const longTextPattern = /(?:Description|Explanation|Other|^description)$/

// Where the interface shows values of two scales, the one that covers every amount is offered. Others can be typed.
const offeredValues: Readonly<Record<string, readonly string[]>> = {
  expectedMonthlyPaymentsUsd: ['UNDER_10K', '10K_TO_50K', '50K_TO_100K', 'OVER_100K'],
}

type Kind = Pick<Field, 'kind' | 'values'>

function getKind(name: string, schema: JsonSchema): Kind {
  const {type, format = '', pattern = '', items} = schema
  const known = kindByPattern.get(pattern)
  if (known) return {kind: known}
  if (type === 'boolean') return {kind: 'yes-no'}
  if (type === 'number') return {kind: 'number'}
  const {enum: closed, 'x-values-seen': seen = closed} = items ?? schema
  const values = lookUp(offeredValues, name) ?? seen
  if (type === 'array') return values ? {kind: 'several-coded', values} : {kind: 'lines'}
  if (values) return {kind: closed ? 'one-of' : 'coded', values}
  return {kind: lookUp(kindByFormat, format) ?? (longTextPattern.test(name) ? 'words' : 'text')}
}

const describeLength = ({minLength, maxLength}: JsonSchema) =>
  maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters`

const describeRange = ({minimum, maximum}: JsonSchema) => `A number from ${minimum} to ${maximum}`

type Describe = (schema: JsonSchema, values: string) => string

// What a field accepts, for who writes it into a file. Empty for any text.
const formats: Readonly<Record<FieldKind, Describe>> = {
  text: describeLength,
  words: describeLength,
  phone: ({examples = []}) => `In E.164 format, such as ${examples[0]}`,
  email: () => 'Such as ada@example.com',
  date: () => 'A date, YYYY-MM-DD',
  number: describeRange,
  amount: () => 'A decimal number, such as 12.50',
  'yes-no': () => 'true or false',
  country: ({examples = []}) => `A country code of two letters, such as ${examples[0]}`,
  'one-of': (_, values) => `One of ${values}`,
  coded: (_, values) => `Such as ${values}; other codes are accepted`,
  'several-coded': (_, values) => `A list such as [${values}]; other codes are accepted`,
  lines: () => 'A list such as [one, another]',
  file: () => `The path of a file: ${imageRule}`,
  id: () => 'The whole id',
  link: () => 'An address that begins with https:// or http://',
}

// The same for who fills in a form, where the control itself says the rest.
function describeRules({kind}: Kind, schema: JsonSchema): string[] {
  if (kind === 'file') return [`${imageRule}, all four corners visible`]
  if (kind === 'phone') return [`Such as ${schema.examples?.[0]}`]
  return [kind === 'number' ? describeRange(schema) : describeLength(schema)].filter((rule) => rule !== '')
}

// Converting the contract is slow, and forms use the same objects repeatedly.
const schemaCache = new WeakMap<z.ZodObject, JsonSchema>()

// The schema of a contract object, with its own reference resolved.
function getSchema(object: z.ZodObject): JsonSchema {
  const known = schemaCache.get(object)
  if (known) return known
  const schemas = createSchemaCollector('')
  const own = schemas.add(object)
  const schema = schemas.definitions[String(own.$ref)] ?? own
  schemaCache.set(object, schema)
  return schema
}

const unwrap = (schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined =>
  schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema

const isObject = (schema: unknown): schema is z.ZodObject => schema instanceof z.ZodObject

// A field of a contract object, or the objects in its place: one, the items of a list, or one of several.
export interface Member {
  name: string
  label: Label
  // By the contract.
  isRequired: boolean
  schema: JsonSchema
  object?: z.ZodObject
  item?: z.ZodObject
  options?: readonly z.ZodObject[]
}

function findNested(given: z.core.$ZodType | undefined): Pick<Member, 'object' | 'item' | 'options'> {
  const schema = unwrap(given)
  if (isObject(schema)) return {object: schema}
  if (schema instanceof z.ZodDiscriminatedUnion) return {options: schema.options.filter(isObject)}
  const item = schema instanceof z.ZodArray ? unwrap(schema.element) : undefined
  return isObject(item) ? {item} : {}
}

// In the order of their labels, then those without one, so that no field is missing.
export function listMembers(object: z.ZodObject, labels = findLabels(object)): Member[] {
  const {properties = {}, required = []} = getSchema(object)
  const names = new Set([...Object.keys(labels), ...Object.keys(object.shape)])
  return [...names]
    .filter((name) => Object.hasOwn(object.shape, name))
    .map((name) => ({
      name,
      label: labels[name] ?? {label: name},
      isRequired: required.includes(name),
      schema: properties[name] ?? {},
      ...findNested(object.shape[name]),
    }))
}

// What a field of a file accepts, and the one value that it can only have.
export function describeFormat({name, schema}: Member): {format: string; values?: readonly string[]; preset?: string} {
  const {kind, values} = getKind(name, schema)
  return {
    format: formats[kind](schema, values?.join(', ') ?? ''),
    ...(values && {values}),
    ...(typeof schema.const === 'string' && {preset: schema.const}),
  }
}

export interface FieldOptions {
  // False makes all fields of this part optional.
  isRequired?: boolean
  // Whether the fields are about the person who fills them in, so that the browser may autocomplete them.
  isOwn?: boolean
  // Those of an object that is not one of the contract's own.
  labels?: Readonly<Record<string, Label>>
}

// The fields of a contract object that are no objects themselves. One without a label is shown under its own name.
export function createFields(
  object: z.ZodObject,
  path: string,
  {isRequired = true, isOwn = false, labels}: FieldOptions = {},
): Field[] {
  const fields = listMembers(object, labels).filter(({object: inner, item, options}) => !inner && !item && !options)
  return fields.map(({name, schema, label: given, ...member}) => {
    const {autocomplete, isNeededForApproval = false, isNeededInPart = false, ...label} = given
    const kind = getKind(name, schema)
    const isNeeded = isNeededForApproval || member.isRequired
    return {
      is: 'field',
      ...kind,
      ...label,
      name,
      path: joinPath(path, name),
      rules: [...(label.hint ? [label.hint] : []), ...describeRules(kind, schema)],
      isRequired: isRequired && isNeeded,
      isRequiredInPart: isNeeded || isNeededInPart,
      ...(isOwn && autocomplete !== undefined && {autocomplete}),
      lengthMin: schema.maxLength === undefined ? undefined : schema.minLength,
    }
  })
}

// The path of the object that has the field.
export const getParentPath = ({path, name}: Field): string => path.slice(0, -name.length - 1)

// A phone number without a country code is read as one of the country of residence, or else of the nationality.
export const findHomeCountry = (getBeside: (name: string) => unknown): string | undefined =>
  readText(getBeside('address.countryCode')) || readText(getBeside('nationality')) || undefined

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

// The lists too, and the fields of their items.
const flattenNodes = (nodes: readonly Node[]): (Field | List)[] =>
  nodes.flatMap((node): (Field | List)[] => {
    if (node.is === 'section') return flattenNodes(node.nodes)
    return node.is === 'field' ? [node] : [node, ...flattenNodes(node.createNodes(`${node.path}[]`))]
  })

// Finds a field or list by its path, regardless of the indexes in it.
export function createFinder(nodes: readonly Node[]): (path: string) => Field | List | undefined {
  const known = new Map(flattenNodes(nodes).map((node) => [node.path, node]))
  return (path) => known.get(dropIndexes(path))
}
