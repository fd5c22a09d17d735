// Runs a command for a tool and turns its outcome into an answer for an agent: masked, short, and with what the exit code means.
import type {PaymentReview, PricedPayment, RunCaptured} from '../cli/config.ts'
import type {Result} from '../cli/output/result.ts'
import {toSvcError} from '../cli/output/show-error.ts'
import {type SvcError, exitCodeMeanings} from '../errors.ts'
import {endSentence} from '../values/text.ts'

export interface ToolAnswer extends Record<string, unknown> {
  exitCode: number
  // The kind of an error, or done.
  kind: string
  meaning: string
  data?: unknown
  error?: string
  message?: string
  hint?: string
  notices?: string[]
}

const itemsMax = 50
const noticesMax = 10

const findMeaning = (code: number) => exitCodeMeanings.find((entry) => entry.code === code)?.meaning ?? ''

const unknownAdvice =
  'The outcome is unknown: call the same tool again with the same key. Never use another key for it.'

// A list is cut after so many items; the token of the next page comes from the walk itself.
async function collect(result: Result): Promise<unknown> {
  if (!result) return undefined
  if (result.kind === 'item') return result.value
  const items: unknown[] = []
  let nextPageToken: string | undefined
  for await (const page of result.pages) {
    items.push(...page.items)
    nextPageToken = page.resumeToken
    if (items.length >= itemsMax) break
  }
  const cutCount = Math.max(0, items.length - itemsMax)
  return {
    [result.key]: items.slice(0, itemsMax),
    ...(nextPageToken !== undefined && {nextPageToken}),
    ...(cutCount > 0 && {leftOut: cutCount}),
  }
}

export function describeFailure(failure: SvcError): ToolAnswer {
  const {exitCode, kind, error, sentence, hint, problems} = failure
  return {
    exitCode,
    kind,
    meaning: findMeaning(exitCode),
    error: maskText(error),
    message: maskText(endSentence([sentence, ...(problems ?? [])].join('; '))),
    ...(kind === 'unknownOutcome' ? {hint: unknownAdvice} : hint !== undefined && {hint: maskText(endSentence(hint))}),
  }
}

export type RunTool = (id: string, argv: readonly string[], review?: PaymentReview) => Promise<ToolAnswer>

// One at a time: commands share what a process has once, such as its output settings.
export function createToolRunner(run: RunCaptured, profile: string, settings: MaskSettings): RunTool {
  let last: Promise<unknown> = Promise.resolve()
  const runOne: RunTool = async (id, argv, review) => {
    // Flags before the mark, if there is one.
    const mark = argv.indexOf('--')
    const [flags, rest] = mark === -1 ? [argv, []] : [argv.slice(0, mark), argv.slice(mark)]
    try {
      const {result, notices} = await run(
        id,
        [...flags, `--profile=${profile}`, '--json', '--no-input', ...rest],
        review,
      )
      const data = mask(await collect(result), settings)
      const said = notices.slice(0, noticesMax).map(maskText)
      const outcome = result?.failure
        ? describeFailure(result.failure)
        : {exitCode: 0, kind: 'done', meaning: findMeaning(0)}
      return {...outcome, ...(data !== undefined && {data}), ...(said.length > 0 && {notices: said})}
    } catch (error) {
      return describeFailure(toSvcError(error, `svc ${id.replaceAll(':', ' ')}`))
    }
  }
  // While a person is asked, other tools run.
  const lock = async () => {
    const before = last
    const {promise, resolve} = Promise.withResolvers<void>()
    last = promise
    await before
    return resolve
  }
  return async (id, argv, review) => {
    let release = await lock()
    const confirm = review?.confirm
    const ask = async (priced: PricedPayment) => {
      release()
      const isApproved = await confirm?.(priced)
      release = await lock()
      return isApproved ?? false
    }
    try {
      return await runOne(id, argv, review && {...review, ...(confirm && {confirm: ask})})
    } finally {
      release()
    }
  }
}

// Masks what an agent gets to see: names, addresses, numbers of documents and accounts, and links that open a form. Only fields that
// are known to hold none of this pass unchanged, so a field that a service adds is masked until somebody has looked at it: ids, statuses,
// codes, amounts and times pass.
const plainFields = new Set(
  `customerId organizationId transactionId quoteId paymentAccountId sourcePaymentAccountId destinationPaymentAccountId id key
  correlationId customerStatus customerType transactionStatus paymentAccountType paymentAccountStatus state status code error kind
  type label chain contractAddress currency sourceCurrency destinationCurrency sourcePaymentMethod destinationPaymentMethod
  bankAccountPaymentMethod transferPaymentMethod bankName method sourceAmount destinationAmount exchangeRate estimatedExchangeRate
  feeAmount feeUSDAmount developerFeeType developerFeeAmount value amount thresholdAmount cronSchedule createdAt updatedAt
  expiresAt timestamp at since until nextPageToken planId serviceId feeCurrency cryptoWalletType resolver group level
  checkedAt armedAt sentAt`
    .trim()
    .split(/\s+/),
)

const textLengthMax = 300
const digitsShown = 4

// Words with digits in them, such as the groups of an IBAN.
const numberGroups = /[\p{L}\p{N}]*\p{Nd}[\p{L}\p{N}]*(?:[ -][\p{L}\p{N}]*\p{Nd}[\p{L}\p{N}]*)*/gu
const digitsMin = 6
const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
const instant = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?/g
const link = /\bhttps?:\/\/\S+/gi

// Text as a model may read it: on one line, without what could control a terminal, and not endless.
const flatten = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\s]+/gu, ' ').trim()

const countDigits = (text: string) => text.match(/\p{Nd}/gu)?.length ?? 0

const shorten = (text: string) => (text.length > textLengthMax ? `${text.slice(0, textLengthMax)}…` : text)

const maskNumber = (number: string) => `…${number.replaceAll(/[^\p{L}\p{N}]/gu, '').slice(-digitsShown)}`

// Masks what names a person, so that whoever knows the person recognizes it: A… E…, and a…@example.com.
const maskName = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `${String.fromCodePoint(word.codePointAt(0) ?? 0)}…`)
    .join(' ')

const emailPattern = /([\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]*@([\p{L}\p{N}.-]+)/gu

// In any text.
const maskEmails = (text: string): string => text.replaceAll(emailPattern, '$1…@$2')

// Free text. Ids and times in it stay readable.
export function maskText(text: string): string {
  const kept: string[] = []
  const keep = (found: string) => `\u0000${kept.push(found) - 1}\u0000`
  // What is cut off later need not be read.
  const flat = flatten(text.slice(0, 4 * textLengthMax).replaceAll('\u0000', ''))
  return shorten(
    maskEmails(flat.replaceAll(link, '(link)').replaceAll(uuid, keep).replaceAll(instant, keep))
      .replaceAll(numberGroups, (found) => (countDigits(found) < digitsMin ? found : maskNumber(found)))
      // oxlint-disable-next-line no-control-regex -- The mark of what was kept.
      .replaceAll(/\u0000(\d+)\u0000/g, (_, index: string) => kept[Number(index)] ?? ''),
  )
}

const linkField = /link$|url$|uri$/i
const nameField = /^(name|firstName|lastName|.*OwnerName|.*BeneficiaryName|legal.*Name)$/
const numberField = /number|mask|iban|routing|address$|referenceId$|phone|birth|document|nationalId|swift|code$/i

interface MaskSettings {
  showsNames: boolean
}

function maskString(field: string, text: string, isBusiness: boolean, {showsNames}: MaskSettings): string {
  if (plainFields.has(field)) return shorten(flatten(text))
  if (linkField.test(field)) return '(link)'
  if (nameField.test(field))
    return showsNames || isBusiness ? maskText(text) : maskName(flatten(text)).slice(0, textLengthMax)
  if (numberField.test(field)) return maskNumber(text)
  return maskText(text)
}

export function mask(value: unknown, settings: MaskSettings, field = '', isBusiness = false): unknown {
  if (typeof value === 'string') return maskString(field, value, isBusiness, settings)
  if (Array.isArray(value)) return value.map((item) => mask(item, settings, field, isBusiness))
  if (typeof value !== 'object' || value === null) return value
  if (JSON.isRawJSON(value)) return JSON.stringify(value)
  const entries = Object.entries(value)
  const business = 'customerType' in value && value.customerType === 'BUSINESS'
  return Object.fromEntries(entries.map(([name, inner]) => [maskText(name), mask(inner, settings, name, business)]))
}
