// Which fields of the form an issue of verification concerns, so that it can be shown beside them.
import {issueCodes} from '../../contract/issue-codes.ts'
import type {Issue} from '../customers/customer-store.ts'
import {type FormValues, countItems, getText} from './form-values.ts'
import type {Field, List, Node} from './fields.ts'

interface IssueForm {
  // kycData or kybData, before every path.
  root: string
  nodes: readonly Node[]
  values: FormValues
  find: (path: string) => Field | List | undefined
}

const fieldsOfCode = new Map<string, readonly string[]>(issueCodes.map(({code, fields}) => [code, fields]))

// Something in a message that could be a path of the interface.
const pathInMessage = /[a-z][A-Za-z]*(?:\[\d+\])?(?:\.[a-z][A-Za-z\d]*(?:\[\d+\])?)*/g

const lastIndex = /\[\d+\]$/

const listFields = (nodes: readonly Node[]): Field[] =>
  nodes.flatMap((node) => (node.is === 'field' ? [node] : node.is === 'section' ? listFields(node.nodes) : []))

// A path that stands for a whole part concerns its first field; an address that is missing begins with its country.
const findFirstFieldOf = ({nodes}: IssueForm, path: string): string[] =>
  listFields(nodes)
    .filter((field) => field.path.startsWith(`${path}.`))
    .slice(0, 1)
    .map((field) => field.path)

interface NamedPaths {
  // Fields and lists that the message names.
  paths: string[]
  // The item of a list that the message is about, such as kybData.associatedPersons[0].documents[1].
  place?: string
}

function findNamedPaths(form: IssueForm, message: string): NamedPaths {
  const {root, find, values} = form
  const named: NamedPaths = {paths: []}
  for (const [words] of message.matchAll(pathInMessage)) {
    const path = `${root}.${words}`
    const node = find(path)
    const isItem = lastIndex.test(words) && find(path.replace(lastIndex, ''))?.is === 'list'
    // "type" or "address" in a sentence is a word: a single one counts only where the message lists what is missing.
    const isMeant = /[.[]/.test(words) || /[a-z][A-Z]/.test(words) || message.startsWith('Missing: ')
    if (isItem) named.place ??= path
    else if (isMeant && node) named.paths.push(path)
    else if (isMeant) named.paths.push(...findFirstFieldOf(form, path))
  }
  const {place} = named
  // A field after the place is a field of it: "associatedPersons[0]: By dateOfBirth …".
  if (place !== undefined && countItems(values, place.replace(lastIndex, '')) > 0) {
    const inPlace = [...message.matchAll(pathInMessage)].map(([words]) => `${place}.${words}`).filter((at) => find(at))
    named.paths.push(...inPlace)
  }
  return named
}

// The persons of the form: an individual is the one person there is.
function listPersons({root, values}: IssueForm): string[] {
  const list = `${root}.associatedPersons`
  return root === 'kycData' ? [root] : Array.from({length: countItems(values, list)}, (_, index) => `${list}[${index}]`)
}

const proofFields = new Set(['proofOfAddressImage'])

// Images of an ID concern documents that are IDs, and a proof of address one that is a proof.
function listDocuments({values}: IssueForm, person: string, field: string): string[] {
  const list = `${person}.documents`
  const isProof = proofFields.has(field)
  return Array.from({length: countItems(values, list)}, (_, index) => `${list}[${index}]`).filter(
    (item) => field === 'type' || (getText(values, `${item}.type`) === 'PROOF_OF_ADDRESS') === isProof,
  )
}

// Fields of a code are written as a person's data has them: documents.frontIdImage is of every document there is.
function findFieldsByCode(form: IssueForm, code: string, place: string | undefined): string[] {
  const fields = fieldsOfCode.get(code) ?? []
  const document = place !== undefined && /documents\[\d+\]$/i.test(place) ? place : undefined
  const persons = place !== undefined && document === undefined ? [place] : listPersons(form)
  return fields.flatMap((field) => {
    const inDocument = /^documents\.(.+)$/.exec(field)?.[1]
    if (document !== undefined) return inDocument === undefined ? [] : [`${document}.${inDocument}`]
    if (inDocument === undefined) return persons.map((person) => `${person}.${field}`)
    return persons.flatMap((person) => listDocuments(form, person, inDocument).map((each) => `${each}.${inDocument}`))
  })
}

const missingBusinessDocument = 'DOCUMENT_NOT_FOUND'

// A business lacks a document of its own, of which the code knows nothing.
function findBusinessDocumentFields({root}: IssueForm, {code}: Issue, place: string | undefined): string[] {
  if (root !== 'kybData' || code !== missingBusinessDocument) return []
  return place === undefined ? [`${root}.businessDocuments[0].documentImage`] : [`${place}.documentImage`]
}

// What is wrong with an image concerns those that were sent, and not the back that nobody needs. Of one that is missing
// there is nothing to see.
function dropUnsentFiles({values, find}: IssueForm, code: string, paths: readonly string[]): string[] {
  const isFile = (path: string) => {
    const field = find(path)
    return field?.is === 'field' && field.kind === 'file'
  }
  const anySent = paths.some((path) => values.files.has(path))
  if (!anySent || code.includes('MISSING')) return [...paths]
  return paths.filter((path) => !isFile(path) || values.files.has(path))
}

// The paths of the fields, where the form has them; none says that the issue is about the whole.
export function findIssueFields(form: IssueForm, issue: Issue): string[] {
  const {paths, place} = findNamedPaths(form, issue.message)
  const found = [...paths, ...findBusinessDocumentFields(form, issue, place)]
  const all = found.length > 0 ? found : dropUnsentFiles(form, issue.code, findFieldsByCode(form, issue.code, place))
  return [...new Set(all)].filter((path) => form.find(path) !== undefined)
}
