// Reads what a browser posts: texts, files, and the button that was pressed.
import {type SandboxRequest, createTooLargeError} from '../http/exchange.ts'
import {badRequest} from '../http/service-error.ts'
import {limits} from '../../contract/vocabulary.ts'
import {detectFormat, validateDocumentBytes} from '../../values/documents.ts'
import type {Field, List} from '../../forms/fields.ts'
import {itemsMax, otherPrefix} from './form-values.ts'

export interface Upload {
  name: string
  type: string
  bytes: Buffer<ArrayBuffer>
  // Why the file is not accepted. Such a file is not stored.
  problem?: string | undefined
}

export interface FormAction {
  name: 'submit' | 'next' | 'go' | 'save' | 'autosave' | 'add' | 'remove'
  // The list to add to, the item to remove, or the step to go to.
  path: string
}

export interface PostedForm {
  csrf: string
  // The steps that the page showed; empty if it did not say.
  step: string
  action: FormAction
  // The version of the draft that the page showed.
  version: string
  texts: Map<string, string[]>
  uploads: Map<string, Upload>
  // References to files that were sent earlier, by field path. A new upload replaces them.
  keptFiles: Map<string, string>
  // Values whose name is not a field of the form.
  unknown: Map<string, string>
}

const keptPrefix = 'kept:'
const dropPrefix = 'drop:'

export const keptName = (path: string) => keptPrefix + path
export const dropName = (path: string) => dropPrefix + path

// Names of the interface, with indexes that a list can have.
const pathPattern = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*|\[\d{1,2}\])*$/

const isPath = (text: string) =>
  pathPattern.test(text) && [...text.matchAll(/\[(\d+)\]/g)].every(([, index]) => Number(index) < itemsMax)

async function readUpload(file: File, path: string): Promise<Upload> {
  const bytes = Buffer.from(await file.arrayBuffer())
  // Detected from the bytes, because the browser goes by the file name.
  const type = detectFormat(bytes)?.mime ?? (file.type || 'application/octet-stream')
  return {name: file.name, type, bytes, problem: validateDocumentBytes(path, bytes)?.message}
}

// A declared length above the limit is rejected without reading the body.
async function readFormData(request: SandboxRequest): Promise<FormData> {
  if (Number(request.header('content-length')) > limits.requestBytesMax) throw createTooLargeError()
  const bytes = await request.body()
  const headers = {'content-type': request.header('content-type') ?? ''}
  try {
    return await new Response(Buffer.from(bytes), {headers}).formData()
  } catch {
    throw badRequest({path: '', message: 'is not a form: send multipart/form-data'})
  }
}

// A number of a step, or all.
const stepPattern = /^(?:\d{1,3}|all)$/

function readAction(form: FormData): FormAction {
  for (const name of ['add', 'remove'] as const) {
    const path = form.get(name)
    if (typeof path === 'string' && isPath(path)) return {name, path}
  }
  for (const name of ['go', 'next', 'save'] as const) {
    const target = form.get(name)
    if (typeof target === 'string' && stepPattern.test(target)) return {name, path: target}
  }
  return {name: form.has('autosave') ? 'autosave' : 'submit', path: ''}
}

const controls = new Set(['csrf', 'step', 'version', 'go', 'next', 'save', 'autosave', 'add', 'remove'])

// More than a form with all of its lists full.
const fieldsMax = 10_000

export async function readPostedForm(
  request: SandboxRequest,
  find: (path: string) => Field | List | undefined,
): Promise<PostedForm> {
  const form = await readFormData(request)
  if ([...form.keys()].length > fieldsMax) throw badRequest({path: '', message: `has more than ${fieldsMax} fields`})
  const readControl = (name: string) => {
    const value = form.get(name)
    return typeof value === 'string' ? value : ''
  }
  const posted: PostedForm = {
    csrf: readControl('csrf'),
    step: readControl('step'),
    version: readControl('version'),
    action: readAction(form),
    texts: new Map(),
    uploads: new Map(),
    keptFiles: new Map(),
    unknown: new Map(),
  }
  const isField = (path: string) => isPath(path) && find(path)?.is === 'field'
  for (const [name, value] of form) {
    const path = name.slice(name.indexOf(':') + 1)
    if (controls.has(name)) continue
    if (typeof value !== 'string') {
      // An empty file input posts an empty file without a name.
      if (isField(name) && (value.name !== '' || value.size > 0))
        posted.uploads.set(name, await readUpload(value, name))
    } else if (name.startsWith(keptPrefix)) {
      if (isField(path)) posted.keptFiles.set(path, value)
    } else if (name.startsWith(dropPrefix)) {
      if (isField(path)) posted.keptFiles.delete(path)
    } else if (name.startsWith(otherPrefix) ? isField(path) : isField(name)) {
      const texts = posted.texts.get(name)
      if (texts) texts.push(value)
      else posted.texts.set(name, [value])
    } else if (isPath(name)) {
      posted.unknown.set(name, value)
    }
  }
  return posted
}
