// Which fields of the form an issue of verification concerns, so that it can be shown beside them.
import {issueCodes} from '../../contract/issue-codes.ts'
import type {Issue} from '../customers/customer-store.ts'
import {type Entered, lengthOf, textAt} from './entered.ts'
import type {Field, List, Node} from './fields.ts'

interface Form {
  // kycData or kybData, before every path.
  root: string
  nodes: readonly Node[]
  entered: Entered
  find: (path: string) => Field | List | undefined
}

const fieldsOfCode = new Map<string, readonly string[]>(issueCodes.map(({code, fields}) => [code, fields]))

// Something in a message that could be a path of the interface.
const pathInMessage = /[a-z][A-Za-z]*(?:\[\d+\])?(?:\.[a-z][A-Za-z\d]*(?:\[\d+\])?)*/g

const lastIndex = /\[\d+\]$/

const fieldsWithin = (nodes: readonly Node[]): Field[] =>
  nodes.flatMap((node) => (node.is === 'field' ? [node] : node.is === 'section' ? fieldsWithin(node.nodes) : []))

// A path that stands for a whole part concerns its first field; an address that is missing begins with its country.
const partNamed = ({nodes}: Form, path: string): string[] =>
  fieldsWithin(nodes)
    .filter((field) => field.path.startsWith(`${path}.`))
    .slice(0, 1)
    .map((field) => field.path)

interface Named {
  // Fields and lists that the message names.
  paths: string[]
  // The item of a list that the message is about, such as kybData.associatedPersons[0].documents[1].
  place?: string
}

function namedIn(form: Form, message: string): Named {
  const {root, find, entered} = form
  const named: Named = {paths: []}
  for (const [words] of message.matchAll(pathInMessage)) {
    const path = `${root}.${words}`
    const node = find(path)
    const isItem = lastIndex.test(words) && find(path.replace(lastIndex, ''))?.is === 'list'
    // "type" or "address" in a sentence is a word: a single one counts only where the message lists what is missing.
    const isMeant = /[.[]/.test(words) || /[a-z][A-Z]/.test(words) || message.startsWith('Missing: ')
    if (isItem) named.place ??= path
    else if (isMeant && node) named.paths.push(path)
    else if (isMeant) named.paths.push(...partNamed(form, path))
  }
  const {place} = named
  // A field after the place is a field of it: "associatedPersons[0]: By dateOfBirth …".
  if (place !== undefined && lengthOf(entered, place.replace(lastIndex, '')) > 0) {
    const inPlace = [...message.matchAll(pathInMessage)].map(([words]) => `${place}.${words}`).filter((at) => find(at))
    named.paths.push(...inPlace)
  }
  return named
}

// The persons of the form: an individual is the one person there is.
function personsOf({root, entered}: Form): string[] {
  const list = `${root}.associatedPersons`
  return root === 'kycData' ? [root] : Array.from({length: lengthOf(entered, list)}, (_, index) => `${list}[${index}]`)
}

const proofFields = new Set(['proofOfAddressImage'])

// Images of an ID concern documents that are IDs, and a proof of address one that is a proof.
function documentsFor({entered}: Form, person: string, field: string): string[] {
  const list = `${person}.documents`
  const isProof = proofFields.has(field)
  return Array.from({length: lengthOf(entered, list)}, (_, index) => `${list}[${index}]`).filter(
    (item) => field === 'type' || (textAt(entered, `${item}.type`) === 'PROOF_OF_ADDRESS') === isProof,
  )
}

// Fields of a code are written as a person's data has them: documents.frontIdImage is of every document there is.
function byCode(form: Form, code: string, place: string | undefined): string[] {
  const fields = fieldsOfCode.get(code) ?? []
  const document = place !== undefined && /documents\[\d+\]$/i.test(place) ? place : undefined
  const persons = place !== undefined && document === undefined ? [place] : personsOf(form)
  return fields.flatMap((field) => {
    const inDocument = /^documents\.(.+)$/.exec(field)?.[1]
    if (document !== undefined) return inDocument === undefined ? [] : [`${document}.${inDocument}`]
    if (inDocument === undefined) return persons.map((person) => `${person}.${field}`)
    return persons.flatMap((person) => documentsFor(form, person, inDocument).map((each) => `${each}.${inDocument}`))
  })
}

const missingBusinessDocument = 'DOCUMENT_NOT_FOUND'

// A business lacks a document of its own, of which the code knows nothing.
function ofBusiness({root}: Form, {code}: Issue, place: string | undefined): string[] {
  if (root !== 'kybData' || code !== missingBusinessDocument) return []
  return place === undefined ? [`${root}.businessDocuments[0].documentImage`] : [`${place}.documentImage`]
}

// What is wrong with an image concerns those that were sent, and not the back that nobody needs. Of one that is missing
// there is nothing to see.
function withoutUnsent({entered, find}: Form, code: string, paths: readonly string[]): string[] {
  const isFile = (path: string) => {
    const field = find(path)
    return field?.is === 'field' && field.kind === 'file'
  }
  const anySent = paths.some((path) => entered.files.has(path))
  if (!anySent || code.includes('MISSING')) return [...paths]
  return paths.filter((path) => !isFile(path) || entered.files.has(path))
}

// The paths of the fields, where the form has them; none says that the issue is about the whole.
export function fieldsConcerned(form: Form, issue: Issue): string[] {
  const {paths, place} = namedIn(form, issue.message)
  const found = [...paths, ...ofBusiness(form, issue, place)]
  const all = found.length > 0 ? found : withoutUnsent(form, issue.code, byCode(form, issue.code, place))
  return [...new Set(all)].filter((path) => form.find(path) !== undefined)
}
