// Puts what the interface says about its fields into the words that the form has for them.
import type {Problem} from '../../contract/problems.ts'
import type {Field, List} from './fields.ts'

type Find = (path: string) => Field | List | undefined

const lastIndex = /\[(\d+)\]$/

// "Person 2, document 1" for kybData.associatedPersons[1].documents[0]; nothing where the path is in no list.
function describePosition(path: string, find: Find): string {
  const places = [...path.matchAll(/\[(\d+)\]/g)].flatMap(({index, 1: number}) => {
    const list = find(path.slice(0, index))
    return list?.is === 'list' ? [`${list.item.toLowerCase()} ${Number(number) + 1}`] : []
  })
  const words = places.join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

// How a field, a list or one of its items is called, with its place before it.
function describePath(path: string, find: Find): string | undefined {
  const node = find(path)
  const place = describePosition(path, find)
  if (node === undefined) return lastIndex.test(path) && place !== '' ? place : undefined
  const name = node.is === 'field' ? node.label : node.title
  return place === '' ? name : `${place}: ${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

// Names of the interface: with a capital inside, a dot or a number. "type" alone may be any word.
const nameInText = /\b[a-z]+(?:[A-Z]\w*|\[\d+\]|\.[a-z])[\w.[\]]*(?<![.])/g

const getParentPath = (path: string) => path.replace(/\.?[^.]+$/, '')

// A message of the service with labels in place of its names. What is no name of the form stays.
export const replaceFieldNames = (message: string, within: readonly string[], find: Find): string =>
  message.replaceAll(nameInText, (name) => {
    const paths = within.map((holder) => (holder === '' ? name : `${holder}.${name}`))
    return paths.map((path) => describePath(path, find)).find((words) => words !== undefined) ?? name
  })

const typeMessages: Partial<Record<Field['kind'], string>> = {number: 'must be a number', 'yes-no': 'must be yes or no'}

export interface FormProblem {
  // The field that it stands beside, if the form has one.
  path?: string
  // Beside the field, whose label is there already.
  message: string
  // Alone, at the top.
  sentence: string
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function toFormProblem({path, message}: Problem, root: string, find: Find): FormProblem {
  // One of several values of a field is shown at the field.
  const at = find(path)?.is === 'field' ? path : path.replace(lastIndex, '')
  const field = find(at)
  if (field?.is !== 'field') {
    const what = path === root ? 'The form' : path
    return {message, sentence: capitalize(`${what} ${message}`)}
  }
  const plain = message.startsWith('must be of type') ? (typeMessages[field.kind] ?? message) : message
  const inPlain = replaceFieldNames(plain, [getParentPath(at), root], find)
  return {path: at, message: capitalize(inPlain), sentence: `${describePath(at, find) ?? at} ${inPlain}`}
}
