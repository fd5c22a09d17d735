// The checks of a whole file before its first row: the limits that are known, new payees, and rows that may be duplicates.
import type {SpendingQuery} from '../../controls/check-spending.ts'
import {type CoolDownRules, describeHeld, findHeldPayees} from '../../controls/new-payees.ts'
import {SvcError} from '../../errors.ts'
import {describeDuplicate, learnTime, toDuplicateKey} from '../../payments/pay/objections.ts'
import {isSameTemplate} from '../../payments/pay/slots.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {describeChoice, findPaidElsewhere} from '../../payments/protocol/key-use.ts'
import {
  LimitReached,
  buildDailyQuery,
  checkDailyLimit,
  checkKnownFees,
  checkPaymentLimits,
} from '../../payments/protocol/limits.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {addAmounts} from '../../values/money.ts'
import {type JournalState, isOpen} from '../run/journal-state.ts'
import {
  type CheckResult,
  type RowStop,
  createDuplicatesError,
  createOverLimitError,
  createStop,
  payeeWaits,
} from '../run/result.ts'
import {getDisplayName} from './payout-file.ts'
import type {PayoutRow} from './rows.ts'

interface FileRules {
  // Whether only the rows that do not fit the limits are left out, not the whole file.
  isUpToCap: boolean
  // 0 if duplicates are allowed, or not looked for.
  duplicateWindowMs: number
  // Which payees wait. Absent if nobody does.
  coolDown?: CoolDownRules | undefined
}

export interface FileCheck {
  // Rows that do not fit the limits, or whose payees wait.
  overLimit: RowStop[]
  // Rows that fit, but may be duplicates.
  duplicates: RowStop[]
  // Why the file may not be paid as it is. A person may allow duplicates.
  refusal?: {error: SvcError; isAboutDuplicates: boolean}
}

// Rows to payees that were never paid, and have to wait.
async function findWaitingRows({context, serviceId, rows, journalState}: CheckedFile, coolDown: CoolDownRules) {
  const open = rows.filter((row) => isOpen(row, journalState))
  const payees = open.map(({content}) => content.destination.destinationPaymentAccountId)
  const held = new Map(
    (await findHeldPayees(context, serviceId, payees, coolDown)).map((payee) => [payee.destination, payee]),
  )
  return open.flatMap((row) => {
    const payee = held.get(row.content.destination.destinationPaymentAccountId)
    return payee ? [createStop(row, payeeWaits, describeHeld(payee))] : []
  })
}

// The time that a new payee waits begins when the journal first has a payment to it.
async function recordWaitingRows({context, serviceId}: CheckedFile, stops: readonly RowStop[]): Promise<void> {
  const {journal, owner} = context
  const waiting = stops.filter(({error}) => error.error === payeeWaits)
  await Promise.all(
    waiting.map(async ({row: {key, content}}) => {
      const acquired = await journal.acquireLease({serviceId, key, content}, owner)
      if ('lease' in acquired) await journal.releaseLease(acquired.lease)
    }),
  )
}

async function findStops(file: CheckedFile, {duplicateWindowMs, coolDown}: FileRules) {
  const {stops: tooMuch, ...limits} = await findRowsOverLimit(file)
  const tooMuchKeys = new Set(tooMuch.map(({row}) => row.key))
  const waiting = coolDown ? await findWaitingRows(file, coolDown) : []
  const overLimit = [...tooMuch, ...waiting.filter(({row}) => !tooMuchKeys.has(row.key))]
  const stopped = new Set(overLimit.map(({row}) => row.key))
  const rows = file.rows.filter(({key}) => !stopped.has(key))
  const {stops: duplicates, ...others} = await findDuplicateRows({...file, rows}, duplicateWindowMs)
  return {overLimit, duplicates, dependsOnTime: limits.dependsOnTime || others.dependsOnTime}
}

// The service's time decides which day it is and how long ago a payment was made. It is requested only if payments in the
// journal stop a row.
export async function checkFile(file: CheckedFile, rules: FileRules, isDryRun: boolean): Promise<FileCheck> {
  const atFirst = await findStops(file, rules)
  if (atFirst.dependsOnTime) await learnTime(file.context, file.rows[0]?.content.customerId ?? '')
  const {overLimit, duplicates} = atFirst.dependsOnTime ? await findStops(file, rules) : atFirst
  if (!isDryRun) await recordWaitingRows(file, overLimit)
  if (overLimit.length > 0 && !rules.isUpToCap) {
    const error = createOverLimitError(overLimit, file.rows, isDryRun)
    return {overLimit, duplicates, refusal: {error, isAboutDuplicates: false}}
  }
  if (duplicates.length === 0) return {overLimit, duplicates}
  const error = createDuplicatesError(duplicates, file.rows, isDryRun)
  return {overLimit, duplicates, refusal: {error, isAboutDuplicates: true}}
}

// Finds rows of a file that may be duplicates: of the same amount to the same account as another row, or as a payment of the
// journal under another key within the profile's window.

// Lists what was, or may have been, paid within the window. The journal is asked once for each account and currency.
function createPaidLookup({context, serviceId}: CheckedFile, windowMs: number): (row: PayoutRow) => Promise<Payment[]> {
  const sinceMs = context.clock.latest() - windowMs
  const byRoute = new Map<string, Map<string, Payment[]>>()
  const readRoute = async (destination: string, currency: string) => {
    const paid = await context.journal.listPaidTo({serviceId, destination, currency, sinceMs})
    // What ended badly has to be paid again, under another key.
    const current = paid.filter(({ended}) => ended === undefined)
    return Map.groupBy(current, ({content}) => toDuplicateKey(content))
  }
  return async ({key, content, template}) => {
    const destination = content.destination.destinationPaymentAccountId
    const currency = content.source.sourceCurrency.toUpperCase()
    const route = JSON.stringify([destination, currency])
    const known = byRoute.get(route) ?? (await readRoute(destination, currency))
    byRoute.set(route, known)
    const alike = known.get(toDuplicateKey(content)) ?? []
    return alike.filter((payment) => payment.key !== key && !isSameTemplate(payment.template, template))
  }
}

// A row that was made, or may have been, is not paid again and is no duplicate itself. Of several rows that are alike, the
// first one is none either.
async function findDuplicateRows(file: CheckedFile, windowMs: number): Promise<CheckResult> {
  if (windowMs === 0) return {stops: [], dependsOnTime: false}
  const listPaid = createPaidLookup(file, windowMs)
  const firstRows = new Map<string, PayoutRow>()
  let dependsOnTime = false
  const stops: RowStop[] = []
  for (const row of file.rows) {
    if (!isOpen(row, file.journalState)) continue
    const alike = toDuplicateKey(row.content)
    const first = firstRows.get(alike)
    if (!first) firstRows.set(alike, row)
    const [paid] = await listPaid(row)
    dependsOnTime ||= paid !== undefined
    if (paid) stops.push(createStop(row, 'POSSIBLE_DUPLICATE', `There is already ${describeDuplicate(paid)}`))
    if (paid || !first) continue
    const {source, destination} = row.content
    const what = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()} to ${destination.destinationPaymentAccountId}`
    stops.push(createStop(row, 'POSSIBLE_DUPLICATE', `Line ${first.line} (${first.key}) also pays ${what}`))
  }
  return {stops, dependsOnTime}
}

// Checks a whole file against the limits that are known before the first quote: the payment cap and the destinations of each
// row, the daily cap with what the journal counts today, and developer fees that exceed --max-fee by themselves.
interface CheckedFile {
  context: Pick<PaymentContext, 'controls' | 'clock' | 'journal' | 'owner' | 'service'>
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
}

// If one amount is not known, there is no sum: the amounts stay as they are, and stop every row.
function sumUp(amounts: string[]): string[] {
  const sum = addAmounts(amounts)
  return sum === undefined ? amounts : [sum]
}

// What is spent today in each currency: by the journal, and by the rows of the file that fit so far.
function createDay({context, serviceId}: CheckedFile) {
  const amountsByCurrency = new Map<string, string[]>()
  let hasSpent = false
  const listAmounts = async ({currency, sinceMs}: SpendingQuery) => {
    const known = amountsByCurrency.get(currency)
    if (known) return known
    const amounts = await context.journal.listSpentAmounts(serviceId, '', {currency, sinceMs})
    hasSpent ||= amounts.length > 0
    // One sum instead of thousands of amounts for every row.
    const summed = sumUp(amounts)
    amountsByCurrency.set(currency, summed)
    return summed
  }
  return {
    // Whether the journal has payments of today.
    hasSpent: () => hasSpent,
    async check({content}: PayoutRow) {
      const {clock, controls} = context
      const {spending = {}} = controls
      const query = buildDailyQuery(spending, content, clock.latest())
      const amounts = query ? await listAmounts(query) : []
      checkDailyLimit(spending, content, amounts, 'is paid or pending today, with the rows above')
    },
    add({content}: PayoutRow) {
      const currency = content.source.sourceCurrency.toUpperCase()
      const amounts = amountsByCurrency.get(currency)
      if (amounts) amountsByCurrency.set(currency, sumUp([...amounts, content.source.sourceAmount]))
    },
  }
}

// Returns the rows that do not fit. Each row that fits leaves less of the daily cap to those below it. Rows that an earlier
// run made or left unknown are in the journal's count already, and have to be settled whatever the limits say.
export async function findRowsOverLimit(file: CheckedFile): Promise<CheckResult> {
  const {context, journalState} = file
  const day = createDay(file)
  const stops: RowStop[] = []
  for (const row of file.rows) {
    if (!isOpen(row, journalState)) continue
    try {
      checkPaymentLimits(context.controls.spending ?? {}, row.content)
      checkKnownFees(row.limits, row.content)
      await day.check(row)
      day.add(row)
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error
      stops.push(createStop(row, 'LIMIT_REACHED', error.message))
    }
  }
  return {stops, dependsOnTime: stops.length > 0 && day.hasSpent()}
}

// Stops a payout file whose rows the journal has under the id of another service, before the first row is sent.
const rowsShownMax = 10

interface FileOfService {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
}

export async function rejectRowsElsewhere(file: string, {context, serviceId, rows}: FileOfService): Promise<void> {
  const found: Array<Pick<PayoutRow, 'line' | 'key'> & {payments: Payment[]}> = []
  for (const {line, key, content} of rows) {
    const payments = await findPaidElsewhere(context, {serviceId, key, content})
    if (payments.length > 0) found.push({line, key, payments})
  }
  if (found.length === 0) return
  const services = rankServices(found.flatMap(({payments}) => payments.map((payment) => payment.serviceId)))
  const shown = found.slice(0, rowsShownMax).map(({line, key, payments}) => {
    const places = payments.map(({serviceId: id, state}) => `${state} at ${id}`)
    return `line ${line}: ${key} is ${places.join(', ')}`
  })
  const more = found.length - shown.length
  throw new SvcError({
    error: 'KEY_AT_OTHER_SERVICE',
    kind: 'usage',
    message: `The journal has ${found.length} of the ${rows.length} rows of ${getDisplayName(file)} with the same content at ${services.join(', ')}, which may be the same service as ${serviceId}`,
    hint: describeChoice(context, services[0] ?? ''),
    problems: [...shown, ...(more > 0 ? [`… and ${more} more`] : [])],
  })
}

// The one with the most rows comes first.
const rankServices = (ids: readonly string[]) =>
  [...Map.groupBy(ids, (id) => id)].toSorted(([, one], [, other]) => other.length - one.length).map(([id]) => id)
