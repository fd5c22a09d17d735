// The result of a command that prints a template: the file for people, a list of its fields for scripts.
import {type Result, listResult} from '../output/result.ts'
import type {View} from '../output/view.ts'
import {describeNode} from './render-template.ts'
import type {TemplateNode} from './template-nodes.ts'

export interface TemplateField {
  // Items of a list are [].
  path: string
  meaning: string
  // Whether the service requires it, or verification asks for it, in the part that it belongs to.
  needed: boolean
  format?: string
  values?: readonly string[]
}

// Every field once, in the order of the template.
export function listFields(nodes: readonly TemplateNode[]): TemplateField[] {
  const fields = nodes.flatMap((node): TemplateField[] => {
    const {path, isNeeded: needed} = node
    const own = {path, meaning: describeNode(node), needed}
    if (node.is === 'field') {
      const {format, values} = node
      return [{...own, ...(format !== '' && {format}), ...(values && {values})}]
    }
    if (node.is === 'object') return [own, ...listFields(node.nodes)]
    const inner = node.is === 'list' ? node.items.map((item) => item.nodes) : node.options
    return [own, ...inner.flatMap(listFields)]
  })
  return [...new Map(fields.toReversed().map((field) => [field.path, field])).values()].toReversed()
}

export const templateView: View<TemplateField> = {
  singular: 'field',
  plural: 'fields',
  columns: [
    {name: 'path', header: 'FIELD', value: ({path}) => path, rank: 0},
    {name: 'needed', header: 'NEEDED', value: ({needed}) => needed, rank: 1},
    {name: 'meaning', header: 'MEANING', value: ({meaning}) => meaning, rank: 0, wraps: true, widthMin: 20},
    {name: 'format', header: 'FORMAT', value: ({format}) => format, rank: 2, wraps: true, widthMin: 20},
    {name: 'values', header: 'VALUES', value: ({values}) => values?.join(', '), rank: 3, onRequest: true},
  ],
}

export const templateResult = (fields: readonly TemplateField[], text: string): Result =>
  listResult([...fields], 'fields', templateView, {render: () => text})
