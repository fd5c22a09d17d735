// Builds what the page of a form shows: the values, the errors, and what verification asks to correct.
import {issueCodes} from '../../contract/issue-codes.ts'
import type {Problem} from '../../contract/problems.ts'
import {capitalize, lowerFirst} from '../../values/text.ts'
import type {Issue, StoredIssue} from '../service/customers/customer-store.ts'
import type {FormView, Remark} from './render-form.ts'
import {type Field, type List, type Node, createFinder, listFields} from '../../forms/fields.ts'
import {type FormValues, addFirstItems, getText, listItems} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import {continueSentence, describeMissing, describeWrong} from './sentences.ts'

interface FormFeedback {
  view: FormView
  errors: Remark[]
  corrections: Remark[]
}

function groupByPath(remarks: readonly Remark[]): Map<string, string[]> {
  const messages = new Map<string, string[]>()
  for (const {path, message} of remarks) {
    if (path !== undefined) messages.set(path, [...(messages.get(path) ?? []), message])
  }
  return messages
}

export function buildFeedback(
  enteredValues: FormValues,
  opened: OpenedForm,
  problems: readonly Problem[],
): FormFeedback {
  const {root, nodes, issues} = opened
  const find = createFinder(nodes)
  const values = addFirstItems(enteredValues, nodes)
  const errors = problems.map((problem) => toFormProblem(problem, root, find))
  const corrections = issues.map((issue) => ({
    message: replaceFieldNames(issue.message, [root], find, issue.item && `${root}.${issue.item}`),
    paths: findIssueFields({root, nodes, values, find}, issue),
  }))
  return {
    view: {
      values,
      problems: groupByPath(errors),
      issues: groupByPath(corrections.flatMap(({message, paths}) => paths.map((path) => ({path, message})))),
    },
    errors: errors.map(({path, sentence}) => ({path, message: sentence})),
    corrections: corrections.map(({message, paths}) => ({message, path: paths[0]})),
  }
}

// Rewrites problems and issues, which name fields as the interface does, with the labels that the form shows.
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
  return position === '' ? name : `${position}: ${lowerFirst(name)}`
}

// Words that can only be names of the interface: they contain a capital, a dot or an index. A word such as "type" does
// not count.
const nameInText = /\b[a-z]+(?:[A-Z]\w*|\[\d+\]|\.[a-z])[\w.[\]]*(?<![.])/g

const getParentPath = (path: string) => path.replace(/\.?[^.]+$/, '')

// Shows labels instead of the interface's names. A name is looked up below each of the paths in `within`; a name that
// the form does not have stays as it is. Fields of `item`, whose position the message states itself, get bare labels.
const replaceFieldNames = (message: string, within: readonly string[], find: Find, item?: string): string =>
  message.replaceAll(nameInText, (name) => {
    const fieldOfItem = item === undefined ? undefined : find(`${item}.${name}`)
    if (fieldOfItem?.is === 'field') return fieldOfItem.label
    const paths = within.map((parent) => (parent === '' ? name : `${parent}.${name}`))
    return paths.map((path) => describePath(path, find)).find((label) => label !== undefined) ?? name
  })

interface FormProblem {
  // The field to show it at, if the form has one.
  path?: string
  message: string
  // For the summary: the message with the position of the field.
  sentence: string
}

function toFormProblem({path, message, kind}: Problem, root: string, find: Find): FormProblem {
  // A problem of one value among several belongs to the field that holds them.
  const fieldPath = find(path)?.is === 'field' ? path : path.replace(lastIndex, '')
  const field = find(fieldPath)
  if (field?.is !== 'field') {
    const subject = path === root ? 'The form' : path
    return {message, sentence: capitalize(`${subject} ${message}`)}
  }
  const worded = replaceFieldNames(message, [getParentPath(fieldPath), root], find)
  const sentence = kind === 'missing' ? describeMissing(field) : describeWrong(field, worded, kind === 'type')
  const position = describePosition(fieldPath, find)
  return {
    path: fieldPath,
    message: sentence,
    sentence: position === '' ? sentence : `${position}: ${continueSentence(sentence)}`,
  }
}

// Finds the fields of the form that a verification issue is about, so that it can be shown beside them.
interface IssueForm {
  // The field of the body that carries the data: kycData or kybData. Every path starts with it.
  root: string
  nodes: readonly Node[]
  values: FormValues
  find: (path: string) => Field | List | undefined
}

const fieldsByCode = new Map<string, readonly string[]>(issueCodes.map(({code, fields}) => [code, fields]))

// A path of a whole section, such as an address, leads to the first field of that section.
function resolvePath({nodes, find}: IssueForm, path: string): string[] {
  if (find(path)) return [path]
  const first = listFields(nodes).find((field) => field.path.startsWith(`${path}.`))
  return first ? [first.path] : []
}

// KYC data describes one person, at its root.
const listPersons = (form: IssueForm): string[] =>
  form.root === 'kycData' ? [form.root] : listItems(form.values, `${form.root}.associatedPersons`)

// The image of an ID belongs to the documents that are IDs, and a proof of address to those that are proofs.
function listDocuments(form: IssueForm, person: string, field: string): string[] {
  const isProof = field === 'proofOfAddressImage'
  return listItems(form.values, `${person}.documents`).filter(
    (item) => field === 'type' || (getText(form.values, `${item}.type`) === 'PROOF_OF_ADDRESS') === isProof,
  )
}

const documentField = /^documents\.(.+)$/
const documentItem = /documents\[\d+\]$/i

// The contract lists the fields of a code relative to a person: documents.frontIdImage means every document.
function findFieldsByCode(form: IssueForm, code: string, item: string | undefined): string[] {
  const fields = fieldsByCode.get(code) ?? []
  if (item !== undefined && documentItem.test(item)) {
    return fields.flatMap((field) => documentField.exec(field)?.[1] ?? []).map((field) => `${item}.${field}`)
  }
  const persons = item === undefined ? listPersons(form) : [item]
  return fields.flatMap((field) => {
    const inDocument = documentField.exec(field)?.[1]
    if (inDocument === undefined) return persons.map((person) => `${person}.${field}`)
    return persons.flatMap((person) =>
      listDocuments(form, person, inDocument).map((document) => `${document}.${inDocument}`),
    )
  })
}

// The contract lists the fields of a person's document for this code. A business may lack a document of its own.
function findBusinessDocumentField({root}: IssueForm, code: Issue['code'], item: string | undefined): string[] {
  const list = `${root}.businessDocuments`
  if (root !== 'kybData' || code !== 'DOCUMENT_NOT_FOUND') return []
  if (item === undefined) return [`${list}[0].documentImage`]
  return item.startsWith(`${list}[`) ? [`${item}.documentImage`] : []
}

// An issue about the quality of an image concerns the images that were sent. An issue about a missing image concerns
// those that were not.
function dropUnsentFiles({values, find}: IssueForm, code: string, paths: readonly string[]): readonly string[] {
  const isFile = (path: string) => {
    const field = find(path)
    return field?.is === 'field' && field.kind === 'file'
  }
  const anySent = paths.some((path) => values.files.has(path))
  if (!anySent || code.includes('MISSING')) return paths
  return paths.filter((path) => !isFile(path) || values.files.has(path))
}

// No fields means that the issue is about the submission as a whole.
function findIssueFields(form: IssueForm, {code, item: itemInData, paths = []}: StoredIssue): string[] {
  const item = itemInData === undefined ? undefined : `${form.root}.${itemInData}`
  const named = [
    ...paths.flatMap((path) => resolvePath(form, `${form.root}.${path}`)),
    ...findBusinessDocumentField(form, code, item),
  ]
  const found = named.length > 0 ? named : dropUnsentFiles(form, code, findFieldsByCode(form, code, item))
  return [...new Set(found)].filter((path) => form.find(path) !== undefined)
}
