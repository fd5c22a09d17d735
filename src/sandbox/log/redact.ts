// Takes out of a request and its reply whatever belongs to a person or opens a door. Ids, states, codes, amounts and
// instants are kept, which is what it takes to follow what happened; everything else, known or unknown, becomes a mark.

const mark = '…'

// What is kept, and what it must look like to be kept: a caller can put anything anywhere.
const keptFields: ReadonlyArray<readonly [looks: RegExp, fields: string]> = [
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
  keptFields.flatMap(([looks, fields]) => fields.split(' ').map((field) => [field, looks] as const)),
)

// Words that explain, in which a value may be repeated.
const sentenceFields = new Set(['message'])

const keptQuery = new Set([
  'pageToken',
  'pageSize',
  'customerId',
  'organizationId',
  'paymentAccountId',
  'sourcePaymentAccountId',
  'includePaymentMethods',
])

const textLengthMax = 200
const itemsMax = 3
const fieldsMax = 40
const depthMax = 8
const bodyLengthMax = 4_000

const plainField = /^[A-Za-z]\w{0,60}$/
const plainSegment = /^[\w.~:{}-]{0,80}$/

const shorten = (text: string) => (text.length > textLengthMax ? `${text.slice(0, textLengthMax)}${mark}` : text)

// Quoted words, addresses, long numbers and fields of which nobody has heard are the caller's own. A hyphen joins the
// pieces of an id, which stays.
const callerTextPatterns = [
  /"[^"]*"/g,
  /\S+@\S+/g,
  /(?<![\w-])\+?\d[\d ()]{5,}\d(?![\w-])/g,
  /(?<=^|; )(?![\w.[\]]+ is not a field)[^;]+(?= is not a field of the interface)/g,
]

const redactSentence = (text: string) =>
  shorten(callerTextPatterns.reduce((safe, pattern) => safe.replace(pattern, mark), text))

function redactValue(field: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (Array.isArray(value)) return redactList(field, value, depth)
  if (typeof value === 'object') return redactObject(value, depth + 1)
  if (typeof value === 'string' && sentenceFields.has(field)) return redactSentence(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return patternByField.get(field)?.test(text) ? value : mark
}

function redactList(field: string, list: readonly unknown[], depth: number): unknown[] {
  const shown = list.slice(0, itemsMax).map((item) => redactValue(field, item, depth + 1))
  return list.length > itemsMax ? [...shown, `${mark} ${list.length - itemsMax} more`] : shown
}

function redactObject(value: object, depth: number): unknown {
  if (depth > depthMax) return mark
  const result: Record<string, unknown> = {}
  let count = 0
  for (const [field, inner] of Object.entries(value)) {
    // The name of a field may be anything in a request, a person's name too.
    if (count++ >= fieldsMax || !plainField.test(field)) result[mark] = mark
    else result[field] = redactValue(field, inner, depth)
  }
  return result
}

export function redactBody(body: unknown): string | null {
  if (body === undefined) return null
  const text = JSON.stringify(redactValue('', body, 0))
  return text.length > bodyLengthMax ? JSON.stringify(mark) : text
}

// The token of a form opens it, and so does the whole piece of the link in which it stands.
const formToken = /^form_/

const redactSegment = (piece: string) => (plainSegment.test(piece) && !formToken.test(piece) ? piece : mark)

// A path is asked for by anybody, with anything in it.
const redactPath = (path: string) => shorten(path.split('/').map(redactSegment).join('/'))

const redactSearch = (search: string) =>
  [...new URLSearchParams(search)]
    .slice(0, fieldsMax)
    .map(([name, value]) => (keptQuery.has(name) ? `${name}=${shorten(value)}` : `${mark}=${mark}`))
    .join('&')

export const redactTarget = (path: string, search: string) =>
  search === '' ? redactPath(path) : `${redactPath(path)}?${redactSearch(search)}`
