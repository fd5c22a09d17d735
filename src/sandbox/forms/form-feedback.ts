// What is missing or wrong in a form, and what verification asks to correct, each beside its field.
import {issueCodes} from '../../contract/issue-codes.ts'
import type {Problem} from '../../contract/problems.ts'
import {type Field, type List, type Node, createFinder, isApplicable, listFields} from '../../forms/fields.ts'
import {describePath, lastIndex, nameFields} from '../../forms/name-fields.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {capitalize} from '../../values/text.ts'
import {validateBody} from '../../values/validate-body.ts'
import type {StoredIssue} from '../service/customers/customer-store.ts'
import type {RequestContext} from '../service/request-context.ts'
import {addFirstItems, findEarlierFiles, getBeside, listAllFields, listItems} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import type {FormView, Remark} from './render-form.ts'

// A field that does not apply, such as one of another kind of document, is not shown.
const isMissing = (field: Field, values: Body) =>
  field.isRequired && isApplicable(field, getBeside(values, field)) && getValue(values, field.path) === undefined

// Everything at once, the first problem of each field in the order of the form: what is required, what the contract says, and the
// service's own checks. `body` is without blank items.
export function findProblems(context: RequestContext, form: OpenedForm, body: Body): Problem[] {
  const shown = addFirstItems(body, form.nodes)
  const fields = listAllFields(shown, form.nodes)
  const missing = fields
    .filter((field) => isMissing(field, shown))
    .map(({path}): Problem => ({path, kind: 'missing', message: 'is required'}))
  const {problems, validPart} = validateBody(form.schema, body)
  const found = [...missing, ...problems, ...(form.check?.(context, validPart) ?? [])]
  const firstByPath = new Map(found.toReversed().map((problem) => [problem.path, problem]))
  const positions = new Map(fields.map(({path}, index) => [path, index]))
  const getPosition = ({path}: Problem) => positions.get(path) ?? fields.length
  return [...firstByPath.values()].toReversed().toSorted((a, b) => getPosition(a) - getPosition(b))
}

interface FormFeedback {
  view: FormView
  errors: Remark[]
  corrections: Remark[]
}

const groupByPath = (remarks: readonly Remark[]) =>
  Map.groupBy(
    remarks.filter(({path}) => path !== undefined),
    ({path}) => path ?? '',
  )

export function buildFeedback(entered: Body, opened: OpenedForm, problems: readonly Problem[]): FormFeedback {
  const {root, nodes, issues} = opened
  const find = createFinder(nodes)
  const values = addFirstItems(entered, nodes)
  const errors = problems.map((problem) => toRemark(problem, opened, find))
  const corrections = issues.map((issue) => ({
    message: capitalize(nameFields(issue.message, nodes, issue.paths)),
    paths: findIssueFields({root, nodes, values, find}, issue),
  }))
  return {
    view: {
      values,
      earlierFiles: findEarlierFiles(opened),
      problems: groupByPath(errors),
      issues: groupByPath(corrections.flatMap(({message, paths}) => paths.map((path) => ({path, message})))),
    },
    errors: errors.map(({path, message}) => ({
      path,
      message: joinPosition(describePosition(path ?? '', find), message),
    })),
    corrections: corrections.map(({message, paths}) => ({message, path: paths[0]})),
  }
}

type Find = (path: string) => Field | List | undefined

const joinPosition = (position: string, text: string) => (position === '' ? text : `${position}: ${text}`)

// "Person 2, document 1" for kybData.associatedPersons[1].documents[0]; empty for a path outside every list.
function describePosition(path: string, find: Find): string {
  const items = [...path.matchAll(/\[(\d+)\]/g)].flatMap(({index, 1: number}) => {
    const list = find(path.slice(0, index))
    return list?.is === 'list' ? [`${list.item.toLowerCase()} ${Number(number) + 1}`] : []
  })
  return capitalize(items.join(', '))
}

// Words for a field that this form does not have, such as “middle name”.
const spellOut = (path: string) => (path.split('.').at(-1) ?? '').replaceAll(/(?=[A-Z])/g, ' ').toLowerCase()

// A sentence that names the field by its label, with the field if the form has it.
function toRemark({path, message}: Problem, {root, nodes}: OpenedForm, find: Find): Remark {
  // A problem of one value among several belongs to the field that holds them.
  const fieldPath = find(path)?.is === 'field' ? path : path.replace(lastIndex, '')
  const field = find(fieldPath)
  const text = nameFields(message, nodes)
  if (field?.is === 'field') return {path: fieldPath, message: `“${field.label}” ${text}`}
  const name = path === root ? 'The form' : (describePath(path, nodes) ?? `“${spellOut(path)}”`)
  return {message: `${name} ${text}`}
}

// Finds the fields of the form that a verification issue is about, so that it can be shown beside them.
interface IssueForm {
  // The field of the body that carries the data: kycData or kybData. Every path starts with it.
  root: string
  nodes: readonly Node[]
  values: Body
  find: Find
}

const fieldsByCode = new Map<string, readonly string[]>(issueCodes.map(({code, fields}) => [code, fields]))

// A path of a whole section, such as an address, leads to the first field of that section.
function resolvePath({nodes, find}: IssueForm, path: string): string[] {
  if (find(path)) return [path]
  const first = listFields(nodes).find((field) => field.path.startsWith(`${path}.`))
  return first ? [first.path] : []
}

// The image of an ID belongs to the documents that are IDs, and a proof of address to those that are proofs.
function listDocuments({values}: IssueForm, person: string, field: string): string[] {
  const isProof = field === 'proofOfAddressImage'
  return listItems(values, `${person}.documents`).filter(
    (item) => field === 'type' || (getValue(values, `${item}.type`) === 'PROOF_OF_ADDRESS') === isProof,
  )
}

// The contract lists the fields of a code relative to a person: documents.frontIdImage means every document. KYC data describes one
// person, at its root.
function findFieldsByCode(form: IssueForm, code: string, item: string | undefined): string[] {
  const {root, values} = form
  const persons =
    item !== undefined ? [item] : root === 'kycData' ? [root] : listItems(values, `${root}.associatedPersons`)
  return (fieldsByCode.get(code) ?? []).flatMap((field) => {
    const [, inDocument] = /^documents\.(.+)$/.exec(field) ?? []
    if (item !== undefined && /documents\[\d+\]$/i.test(item)) return inDocument ? [`${item}.${inDocument}`] : []
    if (inDocument === undefined) return persons.map((person) => `${person}.${field}`)
    const documents = persons.flatMap((person) => listDocuments(form, person, inDocument))
    return documents.map((document) => `${document}.${inDocument}`)
  })
}

// The contract lists the fields of a person's document for this code. A business may lack a document of its own.
function findBusinessDocumentField({root}: IssueForm, code: string, item: string | undefined): string[] {
  const list = `${root}.businessDocuments`
  if (root !== 'kybData' || code !== 'DOCUMENT_NOT_FOUND') return []
  if (item === undefined) return [`${list}[0].documentImage`]
  return item.startsWith(`${list}[`) ? [`${item}.documentImage`] : []
}

// An issue concerns what was sent, such as one of two images, unless something is missing. No fields means that it is about the
// submission as a whole.
function findIssueFields(form: IssueForm, {code, item: itemInData, paths = []}: StoredIssue): string[] {
  const item = itemInData === undefined ? undefined : `${form.root}.${itemInData}`
  const named = [
    ...paths.flatMap((path) => resolvePath(form, `${form.root}.${path}`)),
    ...findBusinessDocumentField(form, code, item),
  ]
  const byCode = findFieldsByCode(form, code, item)
  const sent = code.includes('MISSING') ? [] : byCode.filter((path) => getValue(form.values, path) !== undefined)
  const found = [named, sent, byCode].find(({length}) => length > 0) ?? []
  return [...new Set(found)].filter((path) => form.find(path) !== undefined)
}
