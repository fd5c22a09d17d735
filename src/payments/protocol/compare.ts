// Compares payments, field by field: the content with what another run asks for, and all of it with
// what the service made.
import {hash} from 'node:crypto'
import {Big} from 'big.js'
import {type LooseTransaction, readBadEnding} from '../../contract/loose.ts'
import {normalizeAmount, parsePositiveDecimal} from '../../values/money.ts'
import {readAmount, readText} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
import {toInstantMs} from '../../values/time.ts'
import {findPriceProblems} from './limits.ts'
import {
  type Attempt,
  type Payment,
  type PaymentContent,
  type Price,
  type PriceLimits,
  getSends,
  isContentKnown,
  readContent,
  readTransactionPrice,
} from './payment.ts'

const toLower = (text: string) => text.toLowerCase()
const toUpper = (text: string) => text.toUpperCase()
const keep = (text: string) => text

type Read = (content: PaymentContent) => string

interface ContentField {
  label: string
  // The name of the flag. Absent for the source currency, which is shown with the amount.
  flag?: string
  read: Read
  // Brings the spellings of one value to a single one.
  normalize: (text: string) => string
  // The currency of an amount.
  readUnit?: Read
  // Set for customer, payee, amount and currencies: a transaction that differs in them is another
  // payment than the one asked for.
  isDecisive?: true
}

const readCurrency: Read = ({source}) => toUpper(source.sourceCurrency)
const readArrivedCurrency: Read = ({destination}) => toUpper(destination.destinationCurrency)

const contentFields: readonly ContentField[] = [
  {
    label: 'source amount',
    flag: 'amount',
    read: ({source}) => source.sourceAmount,
    normalize: normalizeAmount,
    readUnit: readCurrency,
    isDecisive: true,
  },
  {label: 'customer', flag: 'customer', read: ({customerId}) => customerId, normalize: toLower, isDecisive: true},
  {label: 'source account', flag: 'from', read: ({source}) => source.sourcePaymentAccountId, normalize: keep},
  {label: 'source method', flag: 'from-method', read: ({source}) => source.sourcePaymentMethod, normalize: toUpper},
  {label: 'source currency', read: ({source}) => source.sourceCurrency, normalize: toUpper, isDecisive: true},
  {
    label: 'destination account',
    flag: 'to',
    read: ({destination}) => destination.destinationPaymentAccountId,
    normalize: keep,
    isDecisive: true,
  },
  {
    label: 'destination method',
    flag: 'to-method',
    read: ({destination}) => destination.destinationPaymentMethod,
    normalize: toUpper,
  },
  {
    label: 'destination currency',
    flag: 'to-currency',
    read: ({destination}) => destination.destinationCurrency,
    normalize: toUpper,
    isDecisive: true,
  },
]

// The content by the names of the flags, with one spelling for equal values: 100 and 100.00 are the
// same amount.
function describeContent(content: PaymentContent): ReadonlyMap<string, string> {
  const {developerFee: fee, receive} = content
  const described = new Map<string, string>()
  for (const {flag, read, normalize, readUnit} of contentFields) {
    const value = read(content)
    if (flag) described.set(flag, readUnit ? value && `${normalize(value)} ${readUnit(content)}` : normalize(value))
  }
  // The amount to send for a sum that is to arrive may differ each time, but not its currency.
  if (receive !== undefined) {
    described.set('from-currency', readCurrency(content))
    described.set('receive', `${normalizeAmount(receive)} ${readArrivedCurrency(content)}`)
  }
  if (fee) described.set('developer-fee', `${normalizeAmount(fee.developerFeeAmount)} ${fee.developerFeeType}`)
  return described
}

// Each by the name of the flag, such as "amount 10 USDC → 12 USDC".
function compareContent(before: PaymentContent, after: PaymentContent): Array<{name: string; text: string}> {
  if (before === after) return []
  const [fieldsBefore, fieldsAfter] = [describeContent(before), describeContent(after)]
  return [...new Set([...fieldsBefore.keys(), ...fieldsAfter.keys()])]
    .filter((name) => fieldsAfter.get(name) !== fieldsBefore.get(name))
    .map((name) => ({
      name,
      text: `${name} ${fieldsBefore.get(name) || 'none'} → ${fieldsAfter.get(name) || 'none'}`,
    }))
}

// Whether two contents are of the same payment. If both say what is to arrive, the amounts to send
// may differ.
export const isSameContent = (one: PaymentContent, other: PaymentContent) =>
  compareContent(one, other).every(
    ({name}) => name === 'amount' && one.receive !== undefined && other.receive !== undefined,
  )

// The form of the digest of a content. It changes with what the digest covers, so that no digest is
// compared with one of another form.
const contentForm = 1

// Returns the same digest for contents of the same payment, by isSameContent().
export function digestContent(content: PaymentContent): string {
  const known = digests.get(content)
  if (known !== undefined) return known
  const fields = [...describeContent(content)].filter(([name]) => name !== 'amount' || content.receive === undefined)
  const digest = `${contentForm}:${hash('sha256', JSON.stringify(fields), 'base64url')}`
  digests.set(content, digest)
  return digest
}

// Digests by content, since a payment keeps its content object through all of its writes.
const digests = new WeakMap<PaymentContent, string>()

export const listContentChanges = (before: PaymentContent, after: PaymentContent): string[] =>
  compareContent(before, after).map(({text}) => text)

// The slack of an estimate, whose rate and received amount may change: docs/assumptions.md, P17.
const estimateSlackPercent = '1'

function isBelowEstimate(actual: string, quoted: string): boolean {
  const [made, estimate] = [parsePositiveDecimal(actual), parsePositiveDecimal(quoted)]
  // Text that is no number cannot be an estimate that moved.
  return !made || !estimate || made.lt(estimate.times(new Big('100').minus(estimateSlackPercent)).div('100'))
}

export function isOtherPayment(content: PaymentContent, transaction: LooseTransaction): boolean {
  if (!isContentKnown(content)) return false
  const made = readContent(transaction)
  const {received} = readTransactionPrice(transaction)
  const {receive} = content
  return contentFields.some(({isDecisive, readUnit, read, normalize}) => {
    // Another journal may have found another amount to send for the sum that is to arrive, so the
    // received amount is compared instead.
    if (readUnit && receive !== undefined) {
      return received !== '' && (isBelowEstimate(received, receive) || isBelowEstimate(receive, received))
    }
    const [was, asked] = [read(made), read(content)]
    return isDecisive && was !== '' && asked !== '' && normalize(was) !== normalize(asked)
  })
}

// A figure or a field of a transaction, its expected value, and who expects it.
interface Compared {
  label: string
  made: string
  expected: string
  said: string
  // The unit of the expected value, and that of the made one if it differs.
  unit?: string | undefined
  madeUnit?: string | undefined
  normalize?: (text: string) => string
  // Whether the figure may rise, or fall a little, until the transaction is completed.
  isEstimate?: boolean
}

// A value that either side leaves out is no difference.
const hasChanged = ({made, expected, normalize = normalizeAmount, isEstimate = false}: Compared): boolean =>
  made !== '' &&
  expected !== '' &&
  normalize(made) !== normalize(expected) &&
  (!isEstimate || isBelowEstimate(made, expected))

const describeChange = ({label, made, expected, said, unit = '', madeUnit}: Compared) =>
  `the service has the ${label} ${`${made} ${madeUnit || unit}`.trim()}, ${said} ${`${expected} ${unit}`.trim()}`

const listContentFields = (content: PaymentContent, made: PaymentContent): Compared[] =>
  contentFields.map(({label, read, normalize, readUnit}) => ({
    label,
    made: read(made),
    expected: read(content),
    said: 'the payment asked for',
    normalize,
    unit: readUnit?.(content),
    madeUnit: readUnit?.(made),
  }))

// The price must be that of the executed quote, exactly if the quote was guaranteed. If the quote
// is not known, the payment says the developer fee, in the currency in which it was given.
function listFigures(content: PaymentContent, transaction: LooseTransaction, attempt: Attempt | undefined): Compared[] {
  const sourceCurrency = content.source.sourceCurrency.toUpperCase()
  if (!attempt) {
    const {developerFeeType: type, developerFeeAmount: expected = '0'} = content.developerFee ?? {}
    const {feeAmount, feeUSDAmount} = transaction.fees?.developerFee ?? {}
    const made = readAmount(type === 'USD' ? feeUSDAmount : feeAmount)
    const unit = type === 'USD' ? 'USD' : sourceCurrency
    return [{label: 'developer fee', made, expected, unit, said: 'the payment asked for'}]
  }

  const {price: quoted} = attempt.quote
  const isGuaranteed = attempt.armed?.isGuaranteed === true
  const made = readTransactionPrice(transaction)
  const said = 'the quote said'
  const fee = {said, unit: quoted.feeCurrency, madeUnit: made.feeCurrency}
  const estimate = {said: isGuaranteed ? 'the guaranteed quote said' : 'the quote estimated', isEstimate: !isGuaranteed}
  const received = {made: made.received, expected: quoted.received, unit: readArrivedCurrency(content)}

  return [
    {label: 'fee currency', made: made.feeCurrency, expected: quoted.feeCurrency, said, normalize: toUpper},
    {label: 'service fee', made: made.svcFee, expected: quoted.svcFee, ...fee},
    {label: 'developer fee', made: made.developerFee, expected: quoted.developerFee, ...fee},
    {label: 'rate', made: made.rate, expected: quoted.rate, ...estimate},
    {label: 'received amount', ...received, ...estimate},
  ]
}

// Compares with the limits of the run that paid. A figure that the service leaves out was checked
// in the quote, and fees in another currency cannot be added up against the limit.
function listBrokenLimits(content: PaymentContent, actual: Price, limits: PriceLimits = {}, quoted?: Price): string[] {
  const feeCurrency = actual.feeCurrency || content.source.sourceCurrency
  const hasFees = actual.svcFee !== '' || actual.developerFee !== ''
  const isComparable = feeCurrency.toUpperCase() === content.source.sourceCurrency.toUpperCase()
  const svcFee = actual.svcFee || quoted?.svcFee || '0'
  const developerFee = actual.developerFee || quoted?.developerFee || '0'

  const comparable: PriceLimits = {
    feeMax: hasFees && isComparable ? limits.feeMax : undefined,
    rateMin: actual.rate === '' ? undefined : limits.rateMin,
    receivedMin: actual.received === '' ? undefined : limits.receivedMin,
  }
  const problems = findPriceProblems(comparable, content, {...actual, feeCurrency, svcFee, developerFee})
  return problems.map((problem) => `the service did not keep a limit: ${lowerFirst(problem)}`)
}

// The attempt whose quote was executed. If the transaction names no quote, it can only be one that
// was sent.
function findExecutedAttempt({attempts}: Pick<Payment, 'attempts'>, {quoteId}: LooseTransaction): Attempt | undefined {
  const id = readText(quoteId)
  return attempts.findLast((attempt) => (id === '' ? getSends(attempt) > 0 : attempt.quote.id === id))
}

// Describes each difference in a line. A difference is reported; it is never a reason to pay again.
// The price of a transaction that ended badly says nothing: no money was received.
export function describeDifferences(
  payment: Pick<Payment, 'content' | 'attempts'> & {limits?: PriceLimits},
  transaction: LooseTransaction,
): string[] {
  const {content} = payment
  if (!isContentKnown(content)) return []
  const fields = listContentFields(content, readContent(transaction))
  if (readBadEnding(transaction)) return fields.filter(hasChanged).map(describeChange)

  const attempt = findExecutedAttempt(payment, transaction)
  const limits = attempt?.armed?.limits ?? payment.limits
  return [
    ...[...fields, ...listFigures(content, transaction, attempt)].filter(hasChanged).map(describeChange),
    ...listBrokenLimits(content, readTransactionPrice(transaction), limits, attempt?.quote.price),
  ]
}

export const joinDifferences = (differences: readonly string[]): string | undefined =>
  differences.length === 0 ? undefined : differences.join('; ')

// The fields of a payment that its transaction decides. If the transaction leaves the account out,
// it is taken for the one that was asked for.
export function describeMade(content: PaymentContent, transaction: LooseTransaction) {
  const made = readContent(transaction)
  const madeAt = toInstantMs(transaction.createdAt)
  const ended = readBadEnding(transaction)
  const [account, asked] = [made, content].map(({destination}) => destination.destinationPaymentAccountId)
  const wentElsewhere = isContentKnown(content) && account !== '' && account !== asked
  return {
    transactionId: readText(transaction.transactionId),
    content: isContentKnown(content) ? content : made,
    ...(madeAt !== undefined && {madeAt}),
    ...(ended && {ended}),
    ...(wentElsewhere && {wentElsewhere}),
  } as const
}
