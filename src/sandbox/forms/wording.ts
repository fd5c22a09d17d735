// Rewrites problems and issues, which name fields as the interface does, with the labels that the form shows.
import type {Problem} from '../../contract/problems.ts'
import type {Field, List} from './fields.ts'
import {capitalize} from '../../values/text.ts'

type Find = (path: string) => Field | List | undefined

const lastIndex = /\[(\d+)\]$/

// "Person 2, document 1" for kybData.associatedPersons[1].documents[0]; empty for a path outside every list.
function describePosition(path: string, find: Find): string {
  const items = [...path.matchAll(/\[(\d+)\]/g)].flatMap(({index, 1: number}) => {
    const list = find(path.slice(0, index))
    return list?.is === 'list' ? [`${list.item.toLowerCase()} ${Number(number) + 1}`] : []
  })
  return capitalize(items.join(', '))
}

// The label of a field or list, or the name of a list item, preceded by its position.
function describePath(path: string, find: Find): string | undefined {
  const node = find(path)
  const position = describePosition(path, find)
  if (node === undefined) return lastIndex.test(path) && position !== '' ? position : undefined
  const name = node.is === 'field' ? node.label : node.title
  return position === '' ? name : `${position}: ${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

// Words that can only be names of the interface: they contain a capital, a dot or an index. A word such as "type" does
// not count.
const nameInText = /\b[a-z]+(?:[A-Z]\w*|\[\d+\]|\.[a-z])[\w.[\]]*(?<![.])/g

const getParentPath = (path: string) => path.replace(/\.?[^.]+$/, '')

// Shows labels instead of the interface's names. A name is looked up below each of the paths in `within`; a name that
// the form does not have stays as it is. Fields of `item`, whose position the message states itself, get bare labels.
export const replaceFieldNames = (message: string, within: readonly string[], find: Find, item?: string): string =>
  message.replaceAll(nameInText, (name) => {
    const fieldOfItem = item === undefined ? undefined : find(`${item}.${name}`)
    if (fieldOfItem?.is === 'field') return fieldOfItem.label
    const paths = within.map((parent) => (parent === '' ? name : `${parent}.${name}`))
    return paths.map((path) => describePath(path, find)).find((label) => label !== undefined) ?? name
  })

// A form has no JSON types, so a wrong type is described by what the field expects.
const typeMessages: Partial<Record<Field['kind'], string>> = {number: 'must be a number', 'yes-no': 'must be yes or no'}

export interface FormProblem {
  // The field to show it at, if the form has one.
  path?: string
  // For the field, whose label is shown already.
  message: string
  // For the summary.
  sentence: string
}

export function toFormProblem({path, message, kind}: Problem, root: string, find: Find): FormProblem {
  // A problem of one value among several belongs to the field that holds them.
  const fieldPath = find(path)?.is === 'field' ? path : path.replace(lastIndex, '')
  const field = find(fieldPath)
  if (field?.is !== 'field') {
    const subject = path === root ? 'The form' : path
    return {message, sentence: capitalize(`${subject} ${message}`)}
  }
  const typeMessage = kind === 'type' ? typeMessages[field.kind] : undefined
  const worded = replaceFieldNames(typeMessage ?? message, [getParentPath(fieldPath), root], find)
  return {
    path: fieldPath,
    message: capitalize(worded),
    sentence: `${describePath(fieldPath, find) ?? fieldPath} ${worded}`,
  }
}
