// A form while it is filled in: what stands in it comes from data that was submitted earlier or from the browser, and
// goes back to the browser or into a body.
import type {Problem} from '../../contract/problems.ts'
import type {RequestContext} from '../request-context.ts'
import {type Body, buildBody, getAtPath} from './body.ts'
import {findIssueFields} from './issue-fields.ts'
import type {FormView} from './field-controls.ts'
import {
  type FormValues,
  toFormValues,
  type FormFile,
  referenceToEarlier,
  addFirstItems,
  addItem,
  removeBlankItems,
  removeItem,
} from './form-values.ts'
import {createFinder} from './fields.ts'
import type {OpenedForm} from './hosted-form.ts'
import type {FormAction, PostedForm, Upload} from './posted-form.ts'
import type {Remark} from './render-form.ts'
import {findUpload, storeUpload} from './uploads.ts'
import {replaceFieldNames, toFormProblem} from './wording.ts'

const toDataUri = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

const toFormFile = ({name, type, bytes, problem}: Upload, reference?: string): FormFile => ({
  reference,
  name,
  bytes: bytes.length,
  type,
  problem,
  toDataUri: () => toDataUri(type, bytes),
})

// A file that the browser only refers to, if it is still there.
function findKeptFile(
  context: RequestContext,
  formToken: string,
  earlier: FormValues,
  reference: string,
): FormFile | undefined {
  if (reference.startsWith(referenceToEarlier)) return earlier.files.get(reference.slice(referenceToEarlier.length))
  const row = findUpload(context, formToken, reference)
  return row && toFormFile({...row, bytes: Buffer.from(row.bytes)}, reference)
}

export const readEarlierValues = ({earlier, root, nodes}: OpenedForm): FormValues =>
  toFormValues(earlier, root, createFinder(nodes))

// What the browser sent. Files that are worth keeping are kept where the form will be shown again.
export function readPostedValues(
  context: RequestContext,
  formToken: string,
  opened: OpenedForm,
  posted: PostedForm,
  keepsFiles: boolean,
): FormValues {
  const earlier = readEarlierValues(opened)
  const files = new Map<string, FormFile>()
  for (const [path, reference] of posted.kept) {
    const file = findKeptFile(context, formToken, earlier, reference)
    if (file) files.set(path, file)
  }
  for (const [path, upload] of posted.uploads) {
    const isKept = keepsFiles && upload.problem === undefined
    files.set(path, toFormFile(upload, isKept ? storeUpload(context, formToken, upload) : undefined))
  }
  return {texts: posted.texts, files}
}

const itemPattern = /^(.+)\[(\d+)\]$/

// What the button asked for.
export function applyAction(values: FormValues, {name, path}: FormAction, {nodes}: OpenedForm): FormValues {
  const find = createFinder(nodes)
  if (name === 'add') {
    const list = find(path)
    return list?.is === 'list' ? addItem(values, {...list, path}) : values
  }
  const [, list = '', index = ''] = itemPattern.exec(path) ?? []
  return name === 'remove' && find(list)?.is === 'list' ? removeItem(values, list, Number(index)) : values
}

export const dropBlankItems = (values: FormValues, {nodes}: OpenedForm) => removeBlankItems(values, nodes)

export function toBody(values: FormValues, {nodes, root, earlier}: OpenedForm, unknown: PostedForm['unknown']): Body {
  const hadItems = (path: string) => {
    const list = getAtPath(earlier, path.slice(root.length))
    return Array.isArray(list) && list.length > 0
  }
  return buildBody(nodes, {values, hadItems}, unknown)
}

export interface FormFeedback {
  view: FormView
  errors: Remark[]
  corrections: Remark[]
}

const groupByPath = (remarks: readonly {path?: string | undefined; message: string}[]) => {
  const found = new Map<string, string[]>()
  for (const {path, message} of remarks) if (path !== undefined) found.set(path, [...(found.get(path) ?? []), message])
  return found
}

// Everything that the page says: what is wrong, what verification asks for, and what stands in the fields.
export function buildFeedback(
  posted: FormValues,
  opened: OpenedForm,
  problems: readonly Problem[],
  fileAddress: FormView['fileAddress'],
): FormFeedback {
  const {root, nodes, issues} = opened
  const find = createFinder(nodes)
  const values = addFirstItems(posted, nodes)
  const wrong = problems.map((problem) => toFormProblem(problem, root, find))
  const concerned = issues.map((issue) => ({
    message: replaceFieldNames(issue.message, [root], find),
    paths: findIssueFields({root, nodes, values, find}, issue),
  }))
  return {
    view: {
      values,
      problems: groupByPath(wrong),
      issues: groupByPath(concerned.flatMap(({message, paths}) => paths.map((path) => ({path, message})))),
      fileAddress,
    },
    errors: wrong.map(({path, sentence}) => ({path, message: sentence})),
    corrections: concerned.map(({message, paths}) => ({message, path: paths[0]})),
  }
}

// Files that had to be given up, said beside their fields where nothing else is said.
export const listFileProblems = ({files}: FormValues): Problem[] =>
  [...files].flatMap(([path, {problem}]) => (problem === undefined ? [] : [{path, message: problem}]))
