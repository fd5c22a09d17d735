// Reads what a browser posts: texts, files, and the button that was pressed.
import {detectFormat} from '../../values/documents.ts'
import {type SandboxRequest, readBodyBytes} from '../http/exchange.ts'
import {badRequest} from '../http/service-error.ts'

// A file is posted as the data URI that the interface takes.
export interface Entry {
  name: string
  value: string
  isFile: boolean
}

export interface FormAction {
  name: 'submit' | 'add' | 'remove'
  // The list to add to, or the item to remove.
  path: string
}

// Limits the items of a list, so that a forged index cannot create a huge form.
export const itemsMax = 50

// Names of the interface, with indexes that a list can have.
const pathPattern = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*|\[\d{1,2}\])*$/

const controls = new Set(['csrf', 'add', 'remove'])

export const isPath = (text: string) =>
  pathPattern.test(text) &&
  !controls.has(text) &&
  [...text.matchAll(/\[(\d+)\]/g)].every(([, index]) => Number(index) < itemsMax)

async function toDataUri(file: File): Promise<string> {
  const bytes = Buffer.from(await file.arrayBuffer())
  // Detected from the bytes, because the browser goes by the file name.
  const type = detectFormat(bytes)?.mime ?? (file.type || 'application/octet-stream')
  return `data:${type};base64,${bytes.toString('base64')}`
}

async function readFormData(request: SandboxRequest): Promise<FormData> {
  const bytes = await readBodyBytes(request)
  const headers = {'content-type': request.header('content-type') ?? ''}
  try {
    return await new Response(Buffer.from(bytes), {headers}).formData()
  } catch {
    throw badRequest({path: '', message: 'is not a form: send multipart/form-data'})
  }
}

// More than a form with all of its lists full.
const fieldsMax = 10_000

export async function readEntries(request: SandboxRequest): Promise<Entry[]> {
  const form = [...(await readFormData(request))]
  if (form.length > fieldsMax) throw badRequest({path: '', message: `has more than ${fieldsMax} fields`})
  const entries: Entry[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') entries.push({name, value, isFile: false})
    // An empty file input posts an empty file without a name.
    else if (value.name !== '' || value.size > 0) entries.push({name, value: await toDataUri(value), isFile: true})
  }
  return entries
}

export const findControl = (entries: readonly Entry[], control: string): string =>
  entries.find(({name, isFile}) => name === control && !isFile)?.value ?? ''

export function readAction(entries: readonly Entry[]): FormAction {
  for (const name of ['add', 'remove'] as const) {
    const path = findControl(entries, name)
    if (isPath(path)) return {name, path}
  }
  return {name: 'submit', path: ''}
}
