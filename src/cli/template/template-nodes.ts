// Derives the fields of a template from the contract: every field of a body, with its meaning, its format and whether it is
// needed. A field that the contract gains appears by itself.
import {z} from 'zod'
import {type Label, findLabels} from '../../contract/labels.ts'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import {describeFormat, findValues} from './describe-format.ts'

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

export interface TemplateSettings {
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

// Fields in the order of their labels, then those without one.
function orderFields(object: z.ZodObject, labels: Readonly<Record<string, Label>>): string[] {
  const names = Object.keys(object.shape)
  const labelled = Object.keys(labels).filter((name) => names.includes(name))
  return [...labelled, ...names.filter((name) => !labelled.includes(name))]
}

class TemplateBuilder {
  readonly #settings: TemplateSettings

  constructor(settings: TemplateSettings) {
    this.#settings = settings
  }

  buildNodes(object: z.ZodObject, path: string, labels = findLabels(object)): TemplateNode[] {
    const {omitted = [], isMinimal} = this.#settings
    return orderFields(object, labels).flatMap((name) => {
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
