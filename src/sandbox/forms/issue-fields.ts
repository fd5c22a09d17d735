// Finds the fields of the form that a verification issue is about, so that it can be shown beside them.
import {issueCodes} from '../../contract/issue-codes.ts'
import type {Issue, StoredIssue} from '../service/customers/customer-store.ts'
import {countItems, type FormValues, getText} from './form-values.ts'
import type {Field, List, Node} from './fields.ts'

interface IssueForm {
  // The field of the body that carries the data: kycData or kybData. Every path starts with it.
  root: string
  nodes: readonly Node[]
  values: FormValues
  find: (path: string) => Field | List | undefined
}

const fieldsByCode = new Map<string, readonly string[]>(issueCodes.map(({code, fields}) => [code, fields]))

const listFields = (nodes: readonly Node[]): Field[] =>
  nodes.flatMap((node) => (node.is === 'field' ? [node] : node.is === 'section' ? listFields(node.nodes) : []))

// A path of a whole section, such as an address, leads to the first field of that section.
function resolvePath({nodes, find}: IssueForm, path: string): string[] {
  if (find(path)) return [path]
  const first = listFields(nodes).find((field) => field.path.startsWith(`${path}.`))
  return first ? [first.path] : []
}

const listItems = ({values}: IssueForm, list: string): string[] =>
  Array.from({length: countItems(values, list)}, (_, index) => `${list}[${index}]`)

// KYC data describes one person, at its root.
const listPersons = (form: IssueForm): string[] =>
  form.root === 'kycData' ? [form.root] : listItems(form, `${form.root}.associatedPersons`)

// The image of an ID belongs to the documents that are IDs, and a proof of address to those that are proofs.
function listDocuments(form: IssueForm, person: string, field: string): string[] {
  const isProof = field === 'proofOfAddressImage'
  return listItems(form, `${person}.documents`).filter(
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
export function findIssueFields(form: IssueForm, {code, item: itemInData, paths = []}: StoredIssue): string[] {
  const item = itemInData === undefined ? undefined : `${form.root}.${itemInData}`
  const named = [
    ...paths.flatMap((path) => resolvePath(form, `${form.root}.${path}`)),
    ...findBusinessDocumentField(form, code, item),
  ]
  const found = named.length > 0 ? named : dropUnsentFiles(form, code, findFieldsByCode(form, code, item))
  return [...new Set(found)].filter((path) => form.find(path) !== undefined)
}
