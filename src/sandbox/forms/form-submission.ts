// Reads the values of a form, from earlier data or from what the browser posted, and turns them into a request body.
import type {RequestContext} from '../service/request-context.ts'
import {type Body, buildBody, getAtPath} from './body.ts'
import {
  type FormValues,
  toFormValues,
  type FormFile,
  referenceToEarlier,
  addItem,
  removeBlankItems,
  removeItem,
} from './form-values.ts'
import {createFinder} from './fields.ts'
import type {OpenedForm} from './hosted-form.ts'
import type {FormAction, PostedForm, Upload} from './posted-form.ts'
import {findUpload, storeUpload} from './uploads.ts'

const toDataUri = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

const toFormFile = ({name, type, bytes, problem}: Upload, reference?: string): FormFile => ({
  reference,
  name,
  bytes: bytes.length,
  type,
  problem,
  toDataUri: () => toDataUri(type, bytes),
})

// A file that the browser refers to instead of sending it again. It may have expired.
export function findKeptFile(
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

// With `keepsFiles`, valid files are stored, so that the user need not choose them again when the form is shown again.
export function readPostedValues(
  context: RequestContext,
  formToken: string,
  opened: OpenedForm,
  posted: PostedForm,
  keepsFiles: boolean,
): FormValues {
  const earlier = readEarlierValues(opened)
  const files = new Map<string, FormFile>()
  for (const [path, reference] of posted.keptFiles) {
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

export function toBody(
  values: FormValues,
  {nodes, root, earlier}: OpenedForm,
  unknown: ReadonlyMap<string, string>,
): Body {
  const hadItems = (path: string) => {
    const list = getAtPath(earlier, path.slice(root.length))
    return Array.isArray(list) && list.length > 0
  }
  return buildBody(nodes, {values, hadItems}, unknown)
}
