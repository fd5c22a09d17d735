// Reads the values of a form, from earlier data or from what the browser posted, and turns them into a request body. Files and drafts
// of a form that was not accepted yet are stored, so that the user need not give them again.
import {hash} from 'node:crypto'
import {type Body, getValue} from '../../values/body-paths.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {Database} from '../store/database.ts'
import {createFinder} from '../../forms/fields.ts'
import {
  type FormFile,
  type FormValues,
  addItem,
  buildBody,
  referenceToEarlier,
  removeBlankItems,
  removeItem,
  toFormValues,
} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import {createSeal, linkLifetimeDays} from './links.ts'
import type {FormAction, PostedForm, Upload} from './posted-form.ts'

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
    const list = getValue(earlier, path.slice(root.length))
    return Array.isArray(list) && list.length > 0
  }
  return buildBody(nodes, {values, hadItems}, unknown)
}

// As long as the link to the form works, so that a form can be finished later.
const uploadLifetimeMs = linkLifetimeDays * 24 * 60 * 60 * 1_000
// For one form; more than a completely filled form needs.
const uploadsMax = 200

const nameLengthMax = 200

interface UploadRow {
  name: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const insertStatement = `
  insert into formUploads (reference, formToken, name, type, bytes, expiresAt) values (?, ?, ?, ?, ?, ?)
  on conflict (reference) do update set name = excluded.name, expiresAt = excluded.expiresAt`

const trimStatement = `
  delete from formUploads where formToken = ? and seq not in
    (select seq from formUploads where formToken = ? order by seq desc limit ? + 0)`

// The reference is a seal of the form and the content: it cannot be guessed, and the same file is stored once.
function storeUpload({database, now}: RequestContext, formToken: string, {name, type, bytes}: Upload): string {
  const reference = createSeal(database, 'upload', formToken, hash('sha256', bytes))
  database.run('delete from formUploads where expiresAt <= ?', now)
  database.run(insertStatement, reference, formToken, name.slice(0, nameLengthMax), type, bytes, now + uploadLifetimeMs)
  database.run(trimStatement, formToken, formToken, uploadsMax)
  return reference
}

export const findUpload = (
  {database, now}: RequestContext,
  formToken: string,
  reference: string,
): UploadRow | undefined =>
  database.one<UploadRow>(
    'select name, type, bytes from formUploads where reference = ? and formToken = ? and expiresAt > ?',
    reference,
    formToken,
    now,
  )

// Called once the form is accepted: the submitted data contains the files.
export const deleteUploads = (database: Database, formToken: string) =>
  database.run('delete from formUploads where formToken = ?', formToken)

// Keeps what was entered in a form that is not sent yet, so that the user can go on later, on any device.
interface DraftContent {
  texts: Array<[path: string, texts: readonly string[]]>
  // References to uploads and to earlier files.
  files: Array<[path: string, reference: string]>
}

interface Draft {
  values: FormValues
  // The step to go on with.
  step: string
  savedAt: number
}

// As long as the link to the form works.
const draftLifetimeMs = linkLifetimeDays * 24 * 60 * 60 * 1_000

// A draft belongs to the data that it was made from. If that changes, by a PATCH for instance, the draft is out of date.
const describeBasis = ({earlier}: OpenedForm) => hash('sha256', JSON.stringify(earlier ?? null))

// A page shows the draft in one version, and saves in the background as long as no other page has shown it.
export function readDraftVersion({database}: RequestContext, formToken: string, opened: OpenedForm): string {
  const row = database.one<{revision: number}>('select revision from formDrafts where formToken = ?', formToken)
  return `${describeBasis(opened)}:${row?.revision ?? 0}`
}

const storeStatement = `
  insert into formDrafts (formToken, basis, step, content, revision, savedAt) values (?, ?, ?, ?, ?, ?)
  on conflict (formToken) do update set basis = excluded.basis, step = excluded.step, content = excluded.content,
    revision = revision + excluded.revision, savedAt = excluded.savedAt`

// In the background, no page shows what was stored.
export function storeDraft(
  {database, now}: RequestContext,
  formToken: string,
  opened: OpenedForm,
  {texts, files}: FormValues,
  step: string,
  isInBackground = false,
): void {
  const content: DraftContent = {
    texts: [...texts],
    files: [...files].flatMap(([path, {reference}]) => (reference === undefined ? [] : [[path, reference]])),
  }
  database.run('delete from formDrafts where savedAt <= ?', now - draftLifetimeMs)
  database.run(
    storeStatement,
    formToken,
    describeBasis(opened),
    step,
    JSON.stringify(content),
    isInBackground ? 0 : 1,
    now,
  )
}

export function readDraft(context: RequestContext, formToken: string, opened: OpenedForm): Draft | undefined {
  const row = context.database.one<{basis: string; step: string; content: string; savedAt: number}>(
    'select basis, step, content, savedAt from formDrafts where formToken = ?',
    formToken,
  )
  if (!row || row.basis !== describeBasis(opened)) return undefined
  const {texts, files} = JSON.parse(row.content) as DraftContent
  const earlier = readEarlierValues(opened)
  const kept = files.flatMap(([path, reference]): Array<[string, FormFile]> => {
    const file = findKeptFile(context, formToken, earlier, reference)
    return file ? [[path, file]] : []
  })
  return {values: {texts: new Map(texts), files: new Map(kept)}, step: row.step, savedAt: row.savedAt}
}

export const deleteDraft = (database: Database, formToken: string) =>
  database.run('delete from formDrafts where formToken = ?', formToken)
