// Takes out of a request and its reply whatever belongs to a person or opens a door. What is kept is named here;
// everything else, known or unknown, becomes a mark.

const mark = '…'

const named = (...lines: string[]) => new Set(lines.flatMap((line) => line.split(' ')))

// Ids, states, codes, kinds, amounts and instants: what is needed to follow what happened, and says nothing of anybody.
const keptFields = named(
  'id customerId organizationId paymentAccountId quoteId transactionId correlationId',
  'sourcePaymentAccountId destinationPaymentAccountId sourceReferenceId destinationReferenceId',
  'customerType customerStatus paymentAccountType paymentAccountStatus transactionStatus',
  'type subtype code error statusCode nextPageToken',
  'sourceCurrency destinationCurrency bankAccountCurrency label chain currencyDecimals',
  'sourcePaymentMethod destinationPaymentMethod transferPaymentMethod bankAccountPaymentMethod',
  'availablePaymentMethods sourceAmount destinationAmount feeAmount feeUSDAmount value',
  'developerFeeType developerFeeAmount guaranteeQuote estimatedExchangeRate exchangeRate',
  'thresholdAmount cronSchedule createdAt updatedAt expiresAt timestamp',
)

// Words that explain, in which a value may be repeated.
const sentenceFields = new Set(['message'])

const keptQuery = named(
  'pageToken pageSize customerId organizationId paymentAccountId sourcePaymentAccountId includePaymentMethods',
)

const textLengthMax = 120
const itemsMax = 3
const fieldsMax = 40
const depthMax = 8
const bodyLengthMax = 4_000

const plainField = /^[A-Za-z]\w{0,60}$/
const plainPiece = /^[\w.~:{}-]{0,80}$/

const shortened = (text: string) => (text.length > textLengthMax ? `${text.slice(0, textLengthMax)}${mark}` : text)

// Quoted words, addresses and long numbers are the caller's own; a hyphen joins the pieces of an id, which stays.
const sentence = (text: string) =>
  shortened(text.replace(/"[^"]*"/g, `"${mark}"`).replace(/\S+@\S+|(?<![\w-])\+?\d[\d ()]{5,}\d(?![\w-])/g, mark))

function redactedValue(field: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (Array.isArray(value)) return redactedList(field, value, depth)
  if (typeof value === 'object') return redactedObject(value, depth + 1)
  if (typeof value === 'string' && sentenceFields.has(field)) return sentence(value)
  if (!keptFields.has(field)) return mark
  return typeof value === 'string' ? shortened(value) : value
}

function redactedList(field: string, list: readonly unknown[], depth: number): unknown[] {
  const shown = list.slice(0, itemsMax).map((item) => redactedValue(field, item, depth + 1))
  return list.length > itemsMax ? [...shown, `${mark} ${list.length - itemsMax} more`] : shown
}

function redactedObject(value: object, depth: number): unknown {
  if (depth > depthMax) return mark
  const result: Record<string, unknown> = {}
  let count = 0
  for (const [field, inner] of Object.entries(value)) {
    // The name of a field may be anything in a request, a person's name too.
    if (count++ >= fieldsMax || !plainField.test(field)) result[mark] = mark
    else result[field] = redactedValue(field, inner, depth)
  }
  return result
}

export function redactedBody(body: unknown): string | null {
  if (body === undefined) return null
  const text = JSON.stringify(redactedValue('', body, 0))
  return text.length > bodyLengthMax ? JSON.stringify(mark) : text
}

// A path is asked for by anybody, with anything in it.
const redactedPath = (path: string) =>
  shortened(
    path
      .split('/')
      .map((piece) => (plainPiece.test(piece) ? piece : mark))
      .join('/'),
  )

const redactedSearch = (search: string) =>
  [...new URLSearchParams(search)]
    .slice(0, fieldsMax)
    .map(([name, value]) => (keptQuery.has(name) ? `${name}=${shortened(value)}` : `${mark}=${mark}`))
    .join('&')

export const redactedTarget = (path: string, search: string) =>
  search === '' ? redactedPath(path) : `${redactedPath(path)}?${redactedSearch(search)}`
