// The checks of a whole file before its first row: the limits that are known, new payees, and rows that may be duplicates.
import {SvcError} from '../../errors.ts'
import {type CoolDownRules, describeHeld, findHeldPayees} from '../../payments/controls/cool-down.ts'
import {describeDuplicate, toDuplicateKey} from '../../payments/controls/duplicates.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {isOpen} from '../run/journal-state.ts'
import {
  type CheckResult,
  type RowStop,
  createDuplicatesError,
  createOverLimitError,
  createStop,
  payeeWaits,
} from '../run/row-stop.ts'
import {type CheckedFile, findRowsOverLimit} from './file-limits.ts'
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
  for (const {row, error} of stops) {
    const {key, content} = row
    if (error.error === payeeWaits) await context.journal.findOrCreate({serviceId, key, content})
  }
  await context.journal.flush()
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

// Any reply gives the service's time in its Date header. Without a reply, this machine's time is used.
async function learnTime({context, rows}: CheckedFile): Promise<void> {
  const customerId = rows[0]?.content.customerId ?? ''
  const pages = context.service.transactions(customerId, {isFirstPageEnough: true})
  await pages[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
}

// The service's time decides which day it is and how long ago a payment was made. It is requested only if payments in the
// journal stop a row.
export async function checkFile(file: CheckedFile, rules: FileRules, isRehearsal: boolean): Promise<FileCheck> {
  const atFirst = await findStops(file, rules)
  if (atFirst.dependsOnTime) await learnTime(file)
  const {overLimit, duplicates} = atFirst.dependsOnTime ? await findStops(file, rules) : atFirst
  if (!isRehearsal) await recordWaitingRows(file, overLimit)
  if (overLimit.length > 0 && !rules.isUpToCap) {
    const error = createOverLimitError(overLimit, file.rows, isRehearsal)
    return {overLimit, duplicates, refusal: {error, isAboutDuplicates: false}}
  }
  if (duplicates.length === 0) return {overLimit, duplicates}
  const error = createDuplicatesError(duplicates, file.rows, isRehearsal)
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
    return Map.groupBy(current, (payment) => toDuplicateKey(payment.content))
  }
  return async ({key, content}) => {
    const destination = content.destination.destinationPaymentAccountId
    const currency = content.source.sourceCurrency.toUpperCase()
    const route = JSON.stringify([destination, currency])
    const known = byRoute.get(route) ?? (await readRoute(destination, currency))
    byRoute.set(route, known)
    return (known.get(toDuplicateKey(content)) ?? []).filter((payment) => payment.key !== key)
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
