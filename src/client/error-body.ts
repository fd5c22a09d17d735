// Finds the code and the reason in the body of an error, in the forms that services and the proxies in front of them use.
import {isRecord} from '../values/records.ts'

export interface ErrorBody {
  error: string
  message: string
}

type Fields = Readonly<Record<string, unknown>>

// Of a reply that is only text, the beginning is shown, and of a list of reasons the first ones.
const reasonLengthMax = 1000
const reasonsMax = 5
const depthMax = 3

const messageNames = ['message', 'detail', 'error_description', 'errorMessage', 'description', 'reason', 'msg', 'title']
const codeNames = ['code', 'errorCode', 'error_code']
const listNames = ['errors', 'details', 'violations', 'issues', 'invalid-params', 'invalidParams', 'fieldErrors']
// Where an item of such a list says what it is about.
const placeNames = ['field', 'path', 'param', 'property', 'pointer', 'name', 'loc']

const toText = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

const findText = (fields: Fields, names: readonly string[]) => {
  for (const name of names) {
    const text = Object.hasOwn(fields, name) ? toText(fields[name]) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

function joinReasons(reasons: readonly string[]): string | undefined {
  const shown = [...new Set(reasons)].slice(0, reasonsMax)
  return shown.length === 0 ? undefined : shown.join('; ')
}

function describePlace(fields: Fields): string {
  for (const name of placeNames) {
    const value = fields[name]
    const text = Array.isArray(value) ? value.filter((part) => typeof part !== 'object').join('.') : toText(value)
    if (text) return text
  }
  return isRecord(fields['source']) ? (toText(fields['source']['pointer']) ?? '') : ''
}

function readReason(value: unknown, depth = 0): string | undefined {
  if (depth > depthMax) return undefined
  if (Array.isArray(value)) {
    return joinReasons(value.slice(0, reasonsMax).flatMap((item) => readReason(item, depth + 1) ?? []))
  }
  if (!isRecord(value)) return toText(value)
  const message = findReason(value, depth)
  const place = depth === 0 ? '' : describePlace(value)
  return message !== undefined && place !== '' && !message.includes(place) ? `${place}: ${message}` : message
}

// {"errors": {"email": ["is taken"]}} names the fields as keys.
const readReasonsByField = (fields: Fields, depth: number) =>
  joinReasons(
    Object.entries(fields)
      .slice(0, reasonsMax)
      .flatMap(([name, value]) => {
        const reason = readReason(value, depth + 1)
        return reason === undefined ? [] : [`${name}: ${reason}`]
      }),
  )

function findReason(fields: Fields, depth: number): string | undefined {
  const inner = [fields['message'], fields['error'], fields['detail']].filter((value) => typeof value === 'object')
  const own = inner.map((value) => readReason(value, depth + 1)).find((reason) => reason !== undefined)
  const said = own ?? findText(fields, messageNames)
  const lists = listNames.flatMap((name) => {
    const list = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (Array.isArray(list)) return readReason(list, depth) ?? []
    return isRecord(list) ? (readReasonsByField(list, depth) ?? []) : []
  })
  // A title such as "Validation failed" says less than the list beside it.
  return joinReasons([...(said === undefined ? [] : [said]), ...lists.filter((reason) => reason !== said)])
}

const interfaceCode = /^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/

function findCode(fields: Fields, depth = 0): string | undefined {
  const {error, errors} = fields
  if (typeof error === 'string' && error !== '') return error
  const inner = isRecord(error) ? error : Array.isArray(errors) && isRecord(errors[0]) ? errors[0] : undefined
  const innerCode: string | undefined = inner && depth < depthMax ? findCode(inner, depth + 1) : undefined
  const code = innerCode ?? findText(fields, codeNames)
  if (code !== undefined && !/^\d+$/.test(code)) return code
  const {type} = fields
  return typeof type === 'string' && interfaceCode.test(type) ? type : undefined
}

const titleMax = 200
const htmlSearched = 20_000

function readHtmlTitle(text: string): string | undefined {
  const head = text.slice(0, htmlSearched)
  const start = /<title[^<>]{0,100}>/i.exec(head)
  if (!start) return undefined
  const rest = head.slice(start.index + start[0].length)
  const end = rest.search(/<\/title/i)
  const title = end === -1 ? '' : collapse(rest.slice(0, end))
  return title === '' || title.length > titleMax ? undefined : title
}

const collapse = (text: string) => text.split(/\s+/).filter(Boolean).join(' ')

const cut = (text: string) => (text.length <= reasonLengthMax ? text : `${text.slice(0, reasonLengthMax)}…`)

// `text` is the body, and `json` what it was parsed to, if it is JSON.
export function readErrorBody(json: unknown, text: string | undefined): Partial<ErrorBody> {
  if (isRecord(json)) {
    const error = findCode(json)
    const reason = findReason(json, 0)
    return {...(error !== undefined && {error}), ...(reason !== undefined && {message: reason})}
  }
  const reason = json === undefined ? readPlainText(text ?? '') : readReason(json)
  return reason === undefined ? {} : {message: reason}
}

const readPlainText = (text: string) => {
  const head = text.slice(0, htmlSearched).trimStart()
  if (head.startsWith('<')) return readHtmlTitle(head)
  return cut(collapse(text.slice(0, reasonLengthMax * 2))) || undefined
}
