// What a person looks at before a file is paid: who gets what in every row, at which fee, who is new, and what is unusual.
import {Big} from 'big.js'
import type {NamedAccount, PartyNames} from '../../accounts/account-names.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {SvcError, getSystemCode} from '../../errors.ts'
import {findHighFees, parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {dayMs} from '../../values/time.ts'
import type {PayoutRow} from '../file/rows.ts'
import type {LastPayees} from './last-payees.ts'
import {type PayoutResult, describeLines} from './result.ts'
import {isIn} from './row-states.ts'

export interface PreviewRow {
  // With its price, or with the reason why it has none.
  result: PayoutResult
  // Undefined if the service does not tell it.
  payee: NamedAccount | undefined
  // The journal has never paid the account.
  isNew: boolean
  // Their share of what is sent, if that is high and the row sets no limit.
  highFees: string | undefined
  // What is unusual, the fees too.
  remarks: string[]
}

// Both are absent if names are not wanted.
export interface KnownPayees {
  names?: Pick<PartyNames, 'read' | 'nameAccount' | 'describeMissing'> | undefined
  lastPayees?: LastPayees | undefined
}

export interface PreviewReading extends KnownPayees {
  serviceId: string
  journal: Pick<Journal, 'listPayees' | 'listPaidTo'>
}

// Remembers in whose names the accounts are that were paid, as far as names were read. A failure leaves what was known before.
export function rememberPayees({names, lastPayees}: KnownPayees, results: readonly PayoutResult[]): void {
  const paid = results.filter(({state}) => state === 'CREATED')
  const payees = paid.flatMap(({customer, destination}) => {
    const name = names?.nameAccount(customer, destination)?.name
    return name ? [{accountId: destination, name}] : []
  })
  try {
    lastPayees?.save(payees)
  } catch (error) {
    if (getSystemCode(error) === undefined && !(error instanceof SvcError)) throw error
  }
}

const findRowFees = (
  {limits: {feeMax}}: Pick<PayoutRow, 'limits'>,
  {amount, currency, fee}: PayoutResult,
): string | undefined =>
  feeMax || fee === undefined ? undefined : findHighFees({amount, currency, fees: [fee], feeCurrency: currency})

// What a script is told of high fees: those of rows that this run made, or would make. Undefined if there are none.
export function describeExpensiveRows(
  rows: readonly PayoutRow[],
  results: readonly PayoutResult[],
): string | undefined {
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const found = results.filter((result) => {
    const row = rowsByKey.get(result.key)
    return row && isIn(result.state, 'made', 'ready') && !result.madeBefore && findRowFees(row, result) !== undefined
  })
  if (found.length === 0) return undefined
  return `the fees of ${countNoun(found.length, 'row')} are more than the usual 5 % of what is sent (${describeLines(found)}); the column max-fee sets a limit`
}

// From so many times what is usual on, an amount is unusual.
const unusualFactor = 5
// The median of fewer amounts says nothing.
const medianRowsMin = 3

const getMedian = (amounts: readonly Big[]): Big | undefined =>
  amounts.length < medianRowsMin
    ? undefined
    : amounts.toSorted((a, b) => a.cmp(b))[Math.floor((amounts.length - 1) / 2)]

// Says of an amount how many times the median of its currency it is, if that is many.
function createMedianCheck(rows: readonly PayoutRow[]): (result: PayoutResult) => string | undefined {
  const byCurrency = Map.groupBy(rows, ({content}) => content.source.sourceCurrency.toUpperCase())
  const medians = new Map(
    [...byCurrency].map(([currency, own]) => {
      const amounts = own.flatMap(({content}) => parsePositiveDecimal(content.source.sourceAmount) ?? [])
      return [currency, getMedian(amounts)]
    }),
  )
  return ({amount, currency}) => {
    const [size, median] = [parsePositiveDecimal(amount), medians.get(currency)]
    const times = size && median && countTimes(size, median)
    return times && `${times} times the median of the file, ${median.toFixed()} ${currency}`
  }
}

// How many times the usual amount it is. Undefined if that is not many.
const countTimes = (size: Big, usual: Big): string | undefined =>
  usual.eq('0') || size.lt(usual.times(String(unusualFactor)))
    ? undefined
    : size.div(usual).round(0, Big.roundDown).toFixed()

// Of a longer file, only the median is compared: each payee takes a read of the journal.
const payeesComparedMax = 1000
const comparedMs = 400 * dayMs

// Says of an amount how many times the most it is that the payee got before, if that is many.
async function createPayeeCheck(
  {serviceId, journal}: PreviewReading,
  results: readonly PayoutResult[],
): Promise<(result: PayoutResult) => string | undefined> {
  const getId = ({destination, currency}: PayoutResult) => `${destination} ${currency}`
  const payees = [...new Map(results.map((result) => [getId(result), result])).values()]
  const compared = payees.length > payeesComparedMax ? [] : payees
  const keys = new Set(results.map(({key}) => key))
  const sinceMs = Date.now() - comparedMs
  const most = new Map<string, Big>()
  for (const payee of compared) {
    const {destination, currency} = payee
    const payments = await journal.listPaidTo({serviceId, destination, currency, sinceMs})
    const amounts = payments
      .filter(({key, ended}) => !keys.has(key) && ended === undefined)
      .flatMap(({content}) => parsePositiveDecimal(content.source.sourceAmount) ?? [])
    const [largest] = amounts.toSorted((a, b) => b.cmp(a))
    if (largest) most.set(getId(payee), largest)
  }
  return (result) => {
    const [size, usual] = [parsePositiveDecimal(result.amount), most.get(getId(result))]
    const times = size && usual && countTimes(size, usual)
    return times && `${times} times the most that this payee got before, ${usual.toFixed()} ${result.currency}`
  }
}

function listNameRemarks(
  {names, lastPayees}: PreviewReading,
  {customer, destination}: PayoutResult,
  payee: NamedAccount | undefined,
): string[] {
  if (!payee || payee.name === '' || !lastPayees) return []
  const {name} = payee
  const paid = {accountId: destination, name}
  if (lastPayees.hasOtherName(paid)) return ['the account was in another name when it was last paid']
  const [other] = lastPayees.listOtherAccounts(paid)
  if (other === undefined) return []
  const where = names?.nameAccount(customer, other)?.bank || other
  return [`last paid to another account, ${where}`]
}

// `rows` are those of the whole file, with which an amount is compared.
export async function previewRows(
  reading: PreviewReading,
  rows: readonly PayoutRow[],
  results: readonly PayoutResult[],
): Promise<PreviewRow[]> {
  const {serviceId, journal, names} = reading
  const destinations = [...new Set(results.map(({destination}) => destination))]
  const [payees] = await Promise.all([
    journal.listPayees(serviceId, destinations),
    names?.read(results.map(({customer}) => customer)),
  ])
  const paid = new Set(payees.filter(({isPaid}) => isPaid).map(({destination}) => destination))
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const sizeChecks = [
    createMedianCheck(rows),
    await createPayeeCheck(
      reading,
      results.filter(({destination}) => paid.has(destination)),
    ),
  ]
  return results.map((result) => {
    const row = rowsByKey.get(result.key)
    const payee = names?.nameAccount(result.customer, result.destination)
    const highFees = row && findRowFees(row, result)
    return {
      result,
      payee,
      isNew: !paid.has(result.destination),
      highFees,
      remarks: [
        ...(result.error ? [`no price: ${result.error.message}`] : []),
        ...(highFees === undefined ? [] : [`fees of ${highFees} of what is sent`]),
        ...sizeChecks.flatMap((describeSize) => describeSize(result) ?? []),
        ...listNameRemarks(reading, result, payee),
      ],
    }
  })
}

// Of a longer file only so many rows are shown.
const rowsShownMax = 30
const largestShown = 10

const isUnusual = ({remarks}: PreviewRow) => remarks.length > 0

const compareSizes = ({result: one}: PreviewRow, {result: other}: PreviewRow) => {
  const [a, b] = [parsePositiveDecimal(one.amount), parsePositiveDecimal(other.amount)]
  return a && b ? b.cmp(a) : 0
}

// All of a short file; of a long one the largest of each currency, what is unusual, and the new payees, in the order of the file.
export function choosePreviewed(rows: readonly PreviewRow[], isAll: boolean): readonly PreviewRow[] {
  if (isAll || rows.length <= rowsShownMax) return rows
  const byCurrency = [...Map.groupBy(rows, ({result}) => result.currency).values()]
  const ofCurrency = Math.max(1, Math.floor(largestShown / byCurrency.length))
  const largest = byCurrency.flatMap((own) => own.toSorted(compareSizes).slice(0, ofCurrency))
  const wanted = new Set([...largest, ...rows.filter(isUnusual), ...rows.filter(({isNew}) => isNew)])
  const shown = new Set([...wanted].slice(0, rowsShownMax))
  return rows.filter((row) => shown.has(row))
}
