// Removes personal data and secrets from logged requests and replies. Ids, states, codes, amounts and times are kept, which
// is enough to follow what happened; every other value is replaced by a mark.
import {uuidPattern} from '../../../contract/uuid.ts'
import {JsonText} from '../../http/serialized-json.ts'

const mark = '…'

// The fields that are kept, and the pattern that a value must match, because a caller can send anything in any field.
const keptFields: ReadonlyArray<readonly [pattern: RegExp, fields: string]> = [
  [/^[\w.:-]{1,120}$/, 'id customerId organizationId paymentAccountId quoteId transactionId correlationId'],
  [/^[\w.:-]{1,120}$/, 'sourcePaymentAccountId destinationPaymentAccountId sourceReferenceId destinationReferenceId'],
  [/^[\w-]{1,200}$/, 'nextPageToken'],
  [/^[A-Z][A-Z\d_]{0,80}$/, 'customerType customerStatus paymentAccountType paymentAccountStatus transactionStatus'],
  [
    /^[A-Z][A-Z\d_]{0,80}$/,
    'type subtype code error sourceCurrency destinationCurrency bankAccountCurrency label chain',
  ],
  [/^[A-Z][A-Z\d_]{0,80}$/, 'sourcePaymentMethod destinationPaymentMethod transferPaymentMethod developerFeeType'],
  [/^[A-Z][A-Z\d_]{0,80}$/, 'bankAccountPaymentMethod availablePaymentMethods'],
  [/^-?\d{1,30}(\.\d{1,30})?$/, 'sourceAmount destinationAmount feeAmount feeUSDAmount developerFeeAmount value'],
  [/^-?\d{1,30}(\.\d{1,30})?$/, 'thresholdAmount estimatedExchangeRate exchangeRate statusCode currencyDecimals'],
  [/^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z$/, 'createdAt updatedAt expiresAt timestamp'],
  [/^[\d*,/A-Z -]{9,60}$/, 'cronSchedule'],
]

const patternByField = new Map(
  keptFields.flatMap(([pattern, fields]) => fields.split(' ').map((field) => [field, pattern] as const)),
)

// Fields with sentences, which may quote a value.
const sentenceFields = new Set(['message'])

// What a query value must look like to be kept. An id has a digit, so that a name is none.
const opaqueId = /^(?=[^\d]*\d)[\w.:-]{1,120}$/
const queryPatterns = new Map([
  ['pageToken', /^Wy[\w-]{1,200}$/],
  ['pageSize', /^\d{1,6}$/],
  ['customerId', uuidPattern],
  ['organizationId', uuidPattern],
  ['paymentAccountId', opaqueId],
  ['sourcePaymentAccountId', opaqueId],
  ['includePaymentMethods', /^(true|false)$/],
])

const textLengthMax = 200
const itemsMax = 3
const fieldsMax = 40
const depthMax = 8
const bodyLengthMax = 4_000

const plainField = /^[A-Za-z]\w{0,60}$/
const isPlain = (field: string) => patternByField.has(field) || plainField.test(field)
const plainSegment = /^[\w.~:{}-]{0,80}$/

const shorten = (text: string) => (text.length > textLengthMax ? `${text.slice(0, textLengthMax)}${mark}` : text)

// Parts of a sentence that come from the caller: quoted text, email addresses, long numbers, and names of unknown fields.
// Digits next to a hyphen belong to an id, which is kept.
const callerTextPatterns = [
  /(?<![\w-])\+?\d[\d ()]{5,}\d(?![\w-])/g,
  /(?<=^|; )(?![\w.[\]]+ is not a field)[^;]+(?= is not a field of the interface)/g,
]

const redactQuotes = (text: string) => text.replace(/"[^"]*"/g, mark)

// Word by word: a pattern for addresses would scan a long word again from each of its characters.
const redactAddresses = (text: string) => text.replace(/\S+/g, (word) => (word.includes('@') ? mark : word))

const redactSentence = (text: string) =>
  shorten(
    callerTextPatterns.reduce((safe, pattern) => safe.replace(pattern, mark), redactAddresses(redactQuotes(text))),
  )

function redactValue(field: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (Array.isArray(value)) return redactList(field, value, depth)
  if (value instanceof JsonText) return redactText(field, value.text, depth)
  if (typeof value === 'object') return redactObject(value, depth + 1)
  if (typeof value === 'string' && sentenceFields.has(field)) return redactSentence(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return patternByField.get(field)?.test(text) ? value : mark
}

let lastText = {field: '', text: '', depth: 0, result: null as unknown}

// A client that reads a list again gets the same first item, so the last one is kept.
function redactText(field: string, text: string, depth: number): unknown {
  if (lastText.text !== text || lastText.field !== field || lastText.depth !== depth) {
    lastText = {field, text, depth, result: redactValue(field, JSON.parse(text), depth)}
  }
  return lastText.result
}

function redactList(field: string, list: readonly unknown[], depth: number): unknown {
  if (depth > depthMax) return mark
  const shown = list.slice(0, itemsMax).map((item) => redactValue(field, item, depth + 1))
  return list.length > itemsMax ? [...shown, `${mark} ${list.length - itemsMax} more`] : shown
}

function redactObject(value: object, depth: number): unknown {
  if (depth > depthMax) return mark
  const result: Record<string, unknown> = {}
  let count = 0
  for (const field of Object.keys(value)) {
    // The name of a field in a request can be anything, even the name of a person.
    if (count++ >= fieldsMax || !isPlain(field)) result[mark] = mark
    else result[field] = redactValue(field, (value as Record<string, unknown>)[field], depth)
  }
  return result
}

export function redactBody(body: unknown): string | null {
  if (body === undefined) return null
  const text = JSON.stringify(redactValue('', body, 0))
  return text.length > bodyLengthMax ? JSON.stringify(mark) : text
}

// Anybody with the token of a form can open it.
const formToken = /^form_/

const redactSegment = (segment: string) => (plainSegment.test(segment) && !formToken.test(segment) ? segment : mark)

// A path can contain anything as well.
const redactPath = (path: string) => shorten(path.split('/').map(redactSegment).join('/'))

const redactSearch = (search: string) =>
  [...new URLSearchParams(search)]
    .slice(0, fieldsMax)
    .map(([name, value]) => {
      const pattern = queryPatterns.get(name)
      return `${pattern ? name : mark}=${pattern?.test(value) ? value : mark}`
    })
    .join('&')

let lastTarget = {path: '', search: '', result: ''}

// Most requests have the target of the one before.
export function redactTarget(path: string, search: string): string {
  if (lastTarget.path !== path || lastTarget.search !== search) {
    const result = search === '' ? redactPath(path) : `${redactPath(path)}?${redactSearch(search)}`
    lastTarget = {path, search, result}
  }
  return lastTarget.result
}
