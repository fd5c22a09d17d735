// What would become of every row of a file, at which price, with what is new and unusual. A dry run prints it, and the question before a
// run shows it to a person.
import {Big} from 'big.js'
import type {PartyNames} from '../../accounts/account-names.ts'
import type {BoxRow} from '../../cli/output/box.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import type {WriteConfirmation} from '../../cli/confirm-write.ts'
import {getErrorWidth, writeErrUncleaned} from '../../cli/output/streams.ts'
import {renderTable} from '../../cli/output/table.ts'
import type {Column} from '../../cli/output/view.ts'
import {SvcError} from '../../errors.ts'
import {LimitReached, checkPriceLimits} from '../../payments/protocol/limits.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {fetchQuote, readPrice} from '../../payments/protocol/quote.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {findHighFees, parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {NotReady, fetchCustomerStatuses, rejectUnready} from '../file/readiness.ts'
import {describeLines} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {isCreated, isUnsettled} from './journal-state.ts'
import {reportCreated} from './pay-row.ts'
import {type PayoutResult, sumFees, toBaseResult, toFailedResult} from './result.ts'
import {isIn} from './row-states.ts'
import type {OpenRun} from './run.ts'
import {describeSent, renderFacts, sumDeveloperFees, sumRows} from './summary.ts'
import {renderFailures} from './view.ts'

export interface Preview {
  // Of every row, in the order of the file.
  results: PayoutResult[]
  // Why rows would not be paid.
  failures: SvcError[]
  // Keys of rows to payees whom the journal has never paid.
  newKeys: ReadonlySet<string>
  // What is unusual about a row, by its key.
  remarks: ReadonlyMap<string, string[]>
  names: PartyNames | undefined
  isPriced: boolean
}

interface PreviewSettings {
  // Rows that are not to be paid.
  stopped: readonly PayoutResult[]
  // Whether customers and accounts are read, and prices requested.
  isChecked: boolean
  isPriced: boolean
  names: PartyNames | undefined
  onEnd?: ((hasFailed: boolean) => void) | undefined
}

const outcomeUnknown = {
  error: 'OUTCOME_UNKNOWN',
  message: 'The outcome of an earlier run is unknown: a run settles it first',
}

// A row that is ready, with its price as it is now. Throws if the service gives none, or the limits of the row would stop it.
async function priceRow(context: PaymentContext, row: PayoutRow): Promise<Partial<PayoutResult>> {
  const price = readPrice(await fetchQuote(context, row.content, row.isGuaranteed))
  try {
    checkPriceLimits(row.limits, row.content, price)
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    const message = `A limit would stop it: ${error.message}`
    throw new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message})
  }
  const fee = sumFees(price.svcFee, price.developerFee)
  return {
    ...(fee !== undefined && {fee}),
    ...(price.received && {received: price.received, guaranteed: row.isGuaranteed}),
  }
}

export async function previewRun(run: OpenRun, settings: PreviewSettings): Promise<Preview> {
  const {context, rows, journalState, concurrency, readAccounts, failureBudget} = run
  const {isChecked, isPriced, names, onEnd} = settings
  const stopped = new Map(settings.stopped.map((result) => [result.key, result]))
  const statuses = isChecked
    ? await fetchCustomerStatuses(context.client, rows, concurrency)
    : new Map<string, string>()
  const pricing = {...context, service: failureBudget.wrap(context.service)}
  const byKey = new Map<string, PayoutResult>()
  const failures: SvcError[] = []
  const previewRow = async (row: PayoutRow, customerStatus: string | undefined): Promise<PayoutResult> => {
    const known = journalState.known.get(row.key)
    if (known && isCreated(row, journalState)) return reportCreated(context, row, known, [])
    if (isUnsettled(row, journalState)) return {...toBaseResult(row, 'UNKNOWN'), error: outcomeUnknown}
    const stop = stopped.get(row.key)?.error
    if (stop) throw new SvcError({...stop, kind: 'limit'})
    if (isChecked) await rejectUnready(row, customerStatus, readAccounts)
    return {...toBaseResult(row, 'READY'), ...(isPriced && (await priceRow(pricing, row)))}
  }
  await forEachConcurrently(rows, concurrency, async (row) => {
    const customerStatus = statuses.get(row.content.customerId)
    const customer = customerStatus ? {customerStatus} : {}
    try {
      byKey.set(row.key, {...(await previewRow(row, customerStatus)), ...customer})
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind === 'unauthenticated') throw error
      failures.push(error)
      const state = error instanceof NotReady ? {state: 'NOT_READY' as const} : {}
      byKey.set(row.key, {...toFailedResult(row, error), ...state, ...customer})
    }
    onEnd?.(!isIn(byKey.get(row.key)?.state ?? 'READY', 'made', 'ready'))
  })
  const results = rows.flatMap(({key}) => byKey.get(key) ?? [])
  const ready = results.filter(isReady)
  await names?.read(ready.map(({customer}) => customer))
  const newKeys = await findNewPayees(run, ready)
  return {results, failures, newKeys, remarks: findUnusual(rows, ready), names, isPriced}
}

const isReady = ({state}: PayoutResult) => state === 'READY'

async function findNewPayees({context, serviceId}: OpenRun, ready: readonly PayoutResult[]): Promise<Set<string>> {
  const accounts = [...new Set(ready.map(({destination}) => destination))]
  const payees = await context.journal.listPayees(serviceId, accounts)
  const paid = new Set(payees.filter(({isPaid}) => isPaid).map(({destination}) => destination))
  return new Set(ready.filter(({destination}) => !paid.has(destination)).map(({key}) => key))
}

// Their share of what is sent, if that is high and the row sets no limit.
const findRowFees = (row: PayoutRow | undefined, {amount, currency, fee}: PayoutResult): string | undefined =>
  !row || row.limits.feeMax || fee === undefined
    ? undefined
    : findHighFees({amount, currency, fees: [fee], feeCurrency: currency})

// From so many times the median of the file in its currency on, an amount is unusual. The median of fewer amounts says nothing.
const unusualFactor = '5'
const medianRowsMin = 3

function computeMedian(rows: readonly PayoutRow[]): Big | undefined {
  const amounts = rows.flatMap(({content}) => parsePositiveDecimal(content.source.sourceAmount) ?? [])
  if (amounts.length < medianRowsMin) return undefined
  return amounts.toSorted((a, b) => a.cmp(b))[Math.floor((amounts.length - 1) / 2)]
}

// What is unusual about rows that would be paid, compared with the whole file.
export function findUnusual(rows: readonly PayoutRow[], ready: readonly PayoutResult[]): Map<string, string[]> {
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const byCurrency = Map.groupBy(rows, ({content}) => content.source.sourceCurrency.toUpperCase())
  const medians = new Map([...byCurrency].map(([currency, own]) => [currency, computeMedian(own)]))
  const remarks = new Map<string, string[]>()
  for (const result of ready) {
    const fees = findRowFees(rowsByKey.get(result.key), result)
    const [size, median] = [parsePositiveDecimal(result.amount), medians.get(result.currency)]
    const times = size && median?.gt('0') ? size.div(median) : undefined
    const own = [
      ...(fees === undefined ? [] : [`fees of ${fees} of what is sent`]),
      ...(times?.gte(unusualFactor)
        ? [
            `${times.round(0, Big.roundDown).toFixed()} times the median of the file, ${median?.toFixed()} ${result.currency}`,
          ]
        : []),
    ]
    if (own.length > 0) remarks.set(result.key, own)
  }
  return remarks
}

// What a script is told of high fees: those of rows that this run made, or would make. Undefined if there are none.
export function describeExpensiveRows(
  rows: readonly PayoutRow[],
  results: readonly PayoutResult[],
): string | undefined {
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const found = results.filter(
    (result) =>
      isIn(result.state, 'made', 'ready') &&
      !result.madeBefore &&
      findRowFees(rowsByKey.get(result.key), result) !== undefined,
  )
  if (found.length === 0) return undefined
  return `the fees of ${countNoun(found.length, 'row')} are more than the usual 5 % of what is sent (${describeLines(found)}); the column max-fee sets a limit`
}

// Of a longer file only so many rows are shown: those that are new or unusual, then the largest.
const rowsShownMax = 30

export function chooseShown({results, newKeys, remarks}: Preview, isAll: boolean): PayoutResult[] {
  const ready = results.filter(isReady)
  if (isAll || ready.length <= rowsShownMax) return ready
  const isMarked = ({key}: PayoutResult) => newKeys.has(key) || remarks.has(key)
  const size = ({amount}: PayoutResult) => parsePositiveDecimal(amount) ?? new Big('0')
  const ranked = ready.toSorted((a, b) => Number(isMarked(b)) - Number(isMarked(a)) || size(b).cmp(size(a)))
  const shown = new Set(ranked.slice(0, rowsShownMax))
  return ready.filter((row) => shown.has(row))
}

// Keys and notes leave the payees too little room on a narrower terminal.
const widthOfAllMin = 110

function listColumns({names, newKeys, remarks}: Preview, width = widthOfAllMin): ReadonlyArray<Column<PayoutResult>> {
  const number = {kind: 'number'} as const
  const more: ReadonlyArray<Column<PayoutResult>> = [
    {name: 'key', header: 'KEY', value: ({key}) => key, rank: 3, kind: 'text'},
    {name: 'note', header: 'NOTE', value: ({note}) => note, rank: 4, kind: 'text'},
  ]
  return [
    {name: 'line', header: 'LINE', value: ({line}) => line, rank: 0, ...number},
    {
      name: 'payee',
      header: 'PAYEE',
      value: ({customer, destination}) => names?.describeAccount(customer, destination) || destination,
      rank: 0,
      kind: 'sentence',
    },
    {
      name: 'mark',
      header: '',
      value: ({key}) => [newKeys.has(key) && 'new', remarks.has(key) && '!'].filter(Boolean).join(' '),
      rank: 0,
    },
    {name: 'amount', header: 'AMOUNT', value: ({amount, currency}) => `${amount} ${currency}`, rank: 0, ...number},
    {name: 'fee', header: 'FEE', value: ({fee, currency}) => fee && `${fee} ${currency}`, rank: 0, ...number},
    // The totals say that an estimate is not guaranteed.
    {
      name: 'arrives',
      header: 'ARRIVES',
      value: ({received, receivedCurrency, guaranteed}) =>
        received &&
        (guaranteed ? `${received} ${receivedCurrency}, guaranteed` : `about ${received} ${receivedCurrency}`),
      rank: 0,
      ...number,
    },
    ...(width >= widthOfAllMin ? more : []),
  ]
}

interface Style {
  painter: Painter
  // Undefined if nothing is narrowed.
  width: number | undefined
  isAll: boolean
}

// The rows that would not be paid, and those that would.
function renderRows(preview: Preview, {painter, width, isAll}: Style): string {
  const shown = chooseShown(preview, isAll)
  const hidden = preview.results.filter(isReady).length - shown.length
  const columns = listColumns(preview, width).filter(({value}) => shown.some((row) => (value(row) ?? '') !== ''))
  const table = shown.length === 0 ? '' : renderTable(shown, columns, painter, width).text
  return [
    ...renderFailures(preview.results, painter, width).map((line) => `${line}\n`),
    table,
    ...(hidden > 0 ? [`And ${countNoun(hidden, 'row')} more; --all shows every row.\n`] : []),
  ].join('')
}

const unusualShownMax = 10

function listFacts({results, newKeys, remarks, names, isPriced}: Preview, rows: readonly PayoutRow[]): BoxRow[] {
  const ready = new Set(results.filter(isReady).map(({key}) => key))
  const found = results.filter(({key}) => newKeys.has(key))
  const unusual = results.flatMap(({key, line}) => remarks.get(key)?.map((remark) => `line ${line}: ${remark}`) ?? [])
  const more = unusual.length - unusualShownMax
  const missing = names?.describeMissing()
  const facts: ReadonlyArray<readonly [label: string, texts: readonly string[]]> = [
    ['Your fees', sumDeveloperFees(rows.filter(({key}) => ready.has(key)))],
    ['Prices', ready.size === 0 || isPriced ? [] : ['not checked; --dry-run --with-quotes requests them']],
    ['New payees', found.length === 0 ? [] : [describeLines(found)]],
    ['Unusual', [...unusual.slice(0, unusualShownMax), ...(more > 0 ? [`and ${more} more`] : [])]],
    ['Names', missing === undefined ? [] : [missing]],
  ]
  return [
    ...sumRows(results),
    ...facts.flatMap(([label, texts]) => (texts.length === 0 ? [] : [{label, lines: texts.map((text) => ({text}))}])),
  ]
}

// For a dry run.
export const renderPreview = (preview: Preview, rows: readonly PayoutRow[], style: Style): string =>
  `${renderRows(preview, style)}\n${renderFacts(listFacts(preview, rows)).join('\n')}\n`.trimStart()

// A person who is about to be asked waits for the customers, accounts and prices of so many rows. For more, a dry run is the right tool.
const rowsCheckedMax = 100

interface QuestionSettings {
  caller: Caller
  stopped: readonly PayoutResult[]
  // How the question begins.
  verb?: string
  // Whether every row of a long file is shown.
  isAll: boolean
  names: PartyNames | undefined
}

// What a person agrees to: what is paid, what was sent before and is settled, and what is unusual.
function describeQuestion({results, remarks}: Preview, stopped: ReadonlySet<string>, verb: string): string {
  const unknown = results.filter(({state}) => state === 'UNKNOWN')
  const tried = results.filter(({key, state}) => !stopped.has(key) && !isIn(state, 'made', 'unknown'))
  const refused = tried.filter((row) => !isReady(row)).length
  const expensive = [...remarks.values()].filter(([first]) => first?.startsWith('fees ')).length
  const settle = `settle ${countNoun(unknown.length, 'row')} that may have been paid`
  const although = [
    ...(refused > 0 ? [`${refused} would be refused`] : []),
    ...(expensive > 0 ? [`the fees of ${countNoun(expensive, 'row')} are above 5 %`] : []),
  ]
  const deeds = [
    ...(tried.length > 0 ? [`${verb} ${describeSent(tried)}`] : []),
    ...(unknown.length > 0 ? [tried.length > 0 ? settle : `S${settle.slice(1)}`] : []),
  ]
  return `${deeds.join(', and ')}${although.length > 0 ? `, although ${although.join(' and ')}` : ''}?`
}

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  run: OpenRun,
  {caller, stopped, verb = 'Pay', isAll, names}: QuestionSettings,
): WriteConfirmation | undefined {
  const stoppedKeys = new Set(stopped.map(({key}) => key))
  const left = run.rows.filter((row) => !isCreated(row, run.journalState) && !stoppedKeys.has(row.key))
  if (left.length === 0) return undefined
  const isShort = left.length <= rowsCheckedMax
  let question = ''
  return {
    async describe() {
      const preview = await previewRun(run, {stopped, names, isChecked: isShort, isPriced: isShort})
      const width = getErrorWidth()
      writeErrUncleaned(renderRows(preview, {painter: await createPainter(process.stderr), width, isAll}))
      question = describeQuestion(preview, stoppedKeys, verb)
      return {
        title: `Please confirm ${describePlace(caller)}`,
        isLive: caller.environment === 'live',
        groups: [listFacts(preview, run.rows)],
      }
    },
    question: () => question,
  }
}
