// Derives the fields of a template from the contract: every field of a body, with its meaning, its format and whether it is
// needed. A field that the contract gains appears by itself.
import {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../contract/json-schema.ts'
import {type Label, findLabels} from '../contract/labels.ts'
import {imageRule, orderNames} from './fields.ts'

interface NodeBase {
  // Its path in the body. Items of a list are [].
  path: string
  name: string
  label: Label
  isNeeded: boolean
}

export interface FieldNode extends NodeBase {
  is: 'field'
  format: string
  // The values of a choice. With `isOpen`, others are accepted too.
  values?: readonly string[] | undefined
  // The value to start with, instead of a blank.
  preset?: string | undefined
}

interface ObjectNode extends NodeBase {
  is: 'object'
  nodes: readonly TemplateNode[]
}

// One item of each kind that the list can have.
export interface ListNode extends NodeBase {
  is: 'list'
  items: readonly TemplateItem[]
}

interface TemplateItem {
  isNeeded: boolean
  nodes: readonly TemplateNode[]
}

// An object with one of several sets of fields.
interface ChoiceNode extends NodeBase {
  is: 'choice'
  options: ReadonlyArray<readonly TemplateNode[]>
}

export type TemplateNode = FieldNode | ObjectNode | ListNode | ChoiceNode

interface TemplateSettings {
  // Fields to leave out, by their path.
  omitted?: readonly string[]
  // Values to start with, by the path of their field.
  presets?: Readonly<Record<string, string>>
  // Labels of the outermost object, if it is not one of the contract's own.
  labels?: Readonly<Record<string, Label>>
  // Leaves out what is not needed.
  isMinimal?: boolean
}

const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional ? unwrap(schema.unwrap() as z.ZodType) : schema

const toJsonSchema = (schema: z.ZodType): JsonSchema => createSchemaCollector('').add(schema)

class TemplateBuilder {
  readonly #settings: TemplateSettings

  constructor(settings: TemplateSettings) {
    this.#settings = settings
  }

  buildNodes(object: z.ZodObject, path: string, labels = findLabels(object)): TemplateNode[] {
    const {omitted = [], isMinimal} = this.#settings
    return orderNames(object, labels).flatMap((name) => {
      const at = path === '' ? name : `${path}.${name}`
      if (omitted.includes(at)) return []
      const node = this.#buildNode(object.shape[name] as z.ZodType, {path: at, name, label: labels[name]})
      return isMinimal && !node.isNeeded ? [] : [node]
    })
  }

  #buildNode(
    schema: z.ZodType,
    {path, name, label = {label: name}}: {path: string; name: string; label: Label | undefined},
  ): TemplateNode {
    const inner = unwrap(schema)
    const isRequired = !schema.safeParse(undefined).success
    const isNeeded = (isRequired && !label.isFoundOut) || (label.isNeededForApproval ?? false)
    const base = {path, name, label, isNeeded}
    if (inner instanceof z.ZodObject) return {...base, is: 'object', nodes: this.buildNodes(inner, path)}
    if (inner instanceof z.ZodDiscriminatedUnion) {
      const options = inner.options as unknown as z.ZodObject[]
      return {...base, is: 'choice', options: options.map((option) => this.buildNodes(option, path))}
    }
    const element = inner instanceof z.ZodArray ? unwrap(inner.element as z.ZodType) : undefined
    if (element instanceof z.ZodObject) return {...base, is: 'list', items: this.#buildItems(element, `${path}[]`)}
    return this.#buildField(inner, base)
  }

  #buildField(schema: z.ZodType, base: NodeBase): FieldNode {
    const json = toJsonSchema(schema)
    const constant = json['const']
    return {
      ...base,
      is: 'field',
      format: describeFormat(json),
      values: findValues(json)?.values,
      preset: typeof constant === 'string' ? constant : this.#settings.presets?.[base.path],
    }
  }

  // Where some fields belong to one kind of item only, there is one item of each kind. The first kind is needed.
  #buildItems(object: z.ZodObject, path: string): TemplateItem[] {
    const labels = findLabels(object)
    const nodes = this.buildNodes(object, path)
    const kinds = [...new Set(Object.values(labels).flatMap(({only}) => only ?? []))]
    if (kinds.length === 0) return [{isNeeded: true, nodes}]
    const items = kinds.map((kind, index) => ({
      isNeeded: index === 0,
      nodes: nodes
        .filter(({label}) => label.only === undefined || label.only === kind)
        .map((node) => (node.is === 'field' ? chooseKind(node, kind, index === 0) : node)),
    }))
    return this.#settings.isMinimal ? items.slice(0, 1) : items
  }
}

// The field that says of which kind an item is. It has a value only where the item is needed, so that an optional item that
// is left blank is not sent.
function chooseKind(field: FieldNode, kind: string, isPreset: boolean): FieldNode {
  if (!field.values?.includes(kind)) return field
  return {...field, format: isPreset ? field.format : `Write ${kind}`, ...(isPreset && {preset: kind})}
}

export const buildTemplateNodes = (schema: z.ZodObject, settings: TemplateSettings = {}): TemplateNode[] =>
  new TemplateBuilder(settings).buildNodes(schema, '', settings.labels)

// Describes what a field of the contract accepts, in words, for templates and their documentation.
type Describe = (example: string) => string

// By the pattern of the contract's scalars.
const formatsByPattern: ReadonlyArray<readonly [looks: RegExp, describe: Describe]> = [
  [/^\^\[A-Z\]\{2\}\$$/, (example) => `A country code of two letters, such as ${example}`],
  [/^\^data:/, () => `The path of a file: ${imageRule}`],
  [/^\^\\\+/, (example) => `In E.164 form, such as ${example}`],
  [/^\^\\d\{1,30\}/, () => 'A decimal number, such as 12.50'],
]

const formatsByName: Readonly<Record<string, () => string>> = {
  date: () => 'A date, YYYY-MM-DD',
  email: () => 'Such as ada@example.com',
  // Templates have no other than that of a customer.
  uuid: () => 'The id, its first 8 or more characters, or the email',
  uri: () => 'An address that begins with https:// or http://',
}

const listValues = (schema: JsonSchema, name: string) => schema[name] as readonly string[] | undefined

// The values that a field may have, or those that are known; others are accepted too.
const findValues = (schema: JsonSchema): {values: readonly string[]; isOpen: boolean} | undefined => {
  const inner = schema['type'] === 'array' ? (schema['items'] as JsonSchema) : schema
  const closed = listValues(inner, 'enum')
  const values = closed ?? listValues(inner, 'x-values-seen')
  return values && {values, isOpen: closed === undefined}
}

function describeValues(schema: JsonSchema): string | undefined {
  const found = findValues(schema)
  if (!found) return undefined
  const {values, isOpen} = found
  const isList = schema['type'] === 'array'
  if (isList) return `A list such as [${values.join(', ')}]; other codes are accepted`
  return isOpen ? `Such as ${values.join(', ')}; other codes are accepted` : `One of ${values.join(', ')}`
}

// Empty for a field that takes any text.
function describeFormat(schema: JsonSchema): string {
  const {type, pattern, format, minimum, maximum, minLength, maxLength} = schema
  const example = listValues(schema, 'examples')?.[0] ?? ''
  const byPattern = formatsByPattern.find(([looks]) => looks.test(String(pattern)))?.[1]
  if (byPattern) return byPattern(example)
  const values = describeValues(schema)
  if (values) return values
  const byName = typeof format === 'string' ? formatsByName[format] : undefined
  if (byName) return byName()
  if (type === 'boolean') return 'true or false'
  if (type === 'number') return `A number from ${String(minimum)} to ${String(maximum)}`
  if (type === 'array') return 'A list such as [one, another]'
  return typeof maxLength === 'number' ? `${String(minLength)} to ${maxLength} characters` : ''
}
