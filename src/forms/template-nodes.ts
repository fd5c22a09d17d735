// Derives the fields of a template from the contract: every field of a body, with its meaning, its format and whether it is
// needed. A field that the contract gains appears by itself.
import type {z} from 'zod'
import {type Label, findLabels} from '../contract/labels.ts'
import {joinPath} from '../contract/shape.ts'
import {type Member, describeFormat, listMembers} from './fields.ts'

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

type Labels = Readonly<Record<string, Label>>

interface TemplateSettings {
  // Fields to leave out, by their path.
  omitted?: readonly string[]
  // Values to start with, by the path of their field.
  presets?: Readonly<Record<string, string>>
  // Labels of the outermost object, if it is not one of the contract's own.
  labels?: Labels
  // Leaves out what is not needed.
  isMinimal?: boolean
}

function buildNodes(object: z.ZodObject, path: string, settings: TemplateSettings, labels?: Labels): TemplateNode[] {
  const {omitted = [], isMinimal} = settings
  return listMembers(object, labels).flatMap((member) => {
    const {label, isRequired} = member
    const at = joinPath(path, member.name)
    const isNeeded = (isRequired && !label.isFoundOut) || (label.isNeededForApproval ?? false)
    return omitted.includes(at) || (isMinimal && !isNeeded) ? [] : [buildNode(member, at, isNeeded, settings)]
  })
}

function buildNode(member: Member, path: string, isNeeded: boolean, settings: TemplateSettings): TemplateNode {
  const {name, label, object, item, options} = member
  const base = {path, name, label, isNeeded}
  if (object) return {...base, is: 'object', nodes: buildNodes(object, path, settings)}
  if (options) return {...base, is: 'choice', options: options.map((each) => buildNodes(each, path, settings))}
  if (item) return {...base, is: 'list', items: buildItems(item, `${path}[]`, settings)}
  return {...base, is: 'field', preset: settings.presets?.[path], ...describeFormat(member)}
}

// Where some fields belong to one kind of item only, there is one item of each kind. The first kind is needed.
function buildItems(object: z.ZodObject, path: string, settings: TemplateSettings): TemplateItem[] {
  const nodes = buildNodes(object, path, settings)
  const kinds = [...new Set(Object.values(findLabels(object)).flatMap(({only}) => only ?? []))]
  if (kinds.length === 0) return [{isNeeded: true, nodes}]
  const items = kinds.map((kind, index) => ({
    isNeeded: index === 0,
    nodes: nodes
      .filter(({label}) => label.only === undefined || label.only === kind)
      .map((node) => (node.is === 'field' ? chooseKind(node, kind, index === 0) : node)),
  }))
  return settings.isMinimal ? items.slice(0, 1) : items
}

// The field that says of which kind an item is. It has a value only where the item is needed, so that an optional item that
// is left blank is not sent.
function chooseKind(field: FieldNode, kind: string, isPreset: boolean): FieldNode {
  if (!field.values?.includes(kind)) return field
  return {...field, format: isPreset ? field.format : `Write ${kind}`, ...(isPreset && {preset: kind})}
}

export const buildTemplateNodes = (schema: z.ZodObject, settings: TemplateSettings = {}): TemplateNode[] =>
  buildNodes(schema, '', settings, settings.labels)
