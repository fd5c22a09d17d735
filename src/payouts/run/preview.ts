// What would become of every row of a file, at which price, with what is new and what is expensive. A dry run prints it, and the question
// before a run shows it to a person.
import type {Parties} from '../../accounts/parties.ts'
import type {BoxRow} from '../../cli/output/box.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import type {WriteConfirmation} from '../../cli/confirm-write.ts'
import {getErrorWidth, writeErrUncleaned} from '../../cli/output/streams.ts'
import {renderTable} from '../../cli/output/table.ts'
import {LimitReached} from '../../controls/check-spending.ts'
import {SvcError} from '../../errors.ts'
import {checkPriceLimits} from '../../payments/protocol/limits.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {readPrice} from '../../payments/protocol/payment.ts'
import {fetchQuote} from '../../payments/protocol/service.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {findHighFees, parseDecimal} from '../../values/money.ts'
import {capitalize, countNoun} from '../../values/text.ts'
import {describeLines} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {type PayoutResult, sumFees, toFailedResult, toResult} from './result.ts'
import {hasTransaction, isIn} from './row-states.ts'
import {type OpenRun, isOpen} from './run.ts'
import {
  type PayoutColumn,
  describeSent,
  pickColumns,
  renderFacts,
  renderFailures,
  sumDeveloperFees,
  sumRows,
} from './view.ts'

export interface Preview {
  // Of every row, in the order of the file.
  results: PayoutResult[]
  // Why rows would not be paid.
  failures: SvcError[]
  // Rows to payees whom the journal has never paid, and rows with high fees that they do not limit.
  newPayees: ReadonlySet<PayoutResult>
  expensive: ReadonlySet<PayoutResult>
  // What the rows that are ready pay the integrator, by currency.
  ownFees: string[]
  names: Parties | undefined
  isPriced: boolean
}

interface PreviewSettings {
  // Rows that are not to be paid.
  stopped: readonly PayoutResult[]
  // Whether the price of every row is requested. The service then says which rows it would refuse, too.
  isPriced: boolean
  names: Parties | undefined
  onEnd?: ((hasFailed: boolean) => void) | undefined
}

// The price of a row as it is now. Throws if the service gives none, or the limits of the row would stop it.
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

const isReady = ({state}: PayoutResult) => state === 'READY'

export async function previewRun(run: OpenRun, settings: PreviewSettings): Promise<Preview> {
  const {context, rows, told, failureBudget} = run
  const {isPriced, names, onEnd} = settings
  const stopped = new Map(settings.stopped.map((result) => [result.key, result]))
  const pricing = {...context, service: failureBudget.wrap(context.service)}
  const byKey = new Map<string, PayoutResult>()
  const failures: SvcError[] = []
  const previewRow = async (row: PayoutRow): Promise<PayoutResult> => {
    const known = told.get(row.key)
    if (known && hasTransaction(known.state)) return {...known, madeBefore: true}
    if (known && !isOpen(known)) return known
    const stop = stopped.get(row.key)?.error
    if (stop) throw new SvcError({...stop, kind: 'limit'})
    return {...toResult(row, 'READY'), ...(isPriced && (await priceRow(pricing, row)))}
  }
  await forEachConcurrently(rows, run.concurrency, async (row) => {
    const result = await previewRow(row).catch((error: unknown) => {
      if (!(error instanceof SvcError) || error.kind === 'unauthenticated') throw error
      failures.push(error)
      return toFailedResult(row, error)
    })
    byKey.set(row.key, result)
    onEnd?.(!isIn(result.state, 'made', 'ready'))
  })
  const results = rows.flatMap(({key}) => byKey.get(key) ?? [])
  const ready = results.filter(isReady)
  await names?.read(ready.map(({customer}) => customer))
  return {
    results,
    failures,
    newPayees: await findNewPayees(run, ready),
    expensive: new Set(findExpensive(rows, ready)),
    ownFees: sumDeveloperFees(rows.filter(({key}) => byKey.get(key)?.state === 'READY')),
    names,
    isPriced,
  }
}

async function findNewPayees(
  {context, serviceId}: OpenRun,
  ready: readonly PayoutResult[],
): Promise<Set<PayoutResult>> {
  const accounts = [...new Set(ready.map(({destination}) => destination))]
  const payees = await context.journal.listPayees(serviceId, accounts)
  const paid = new Set(payees.filter(({isPaid}) => isPaid).map(({destination}) => destination))
  return new Set(ready.filter(({destination}) => !paid.has(destination)))
}

// Rows that this run made, or would make, whose fees are a high share of what is sent, unless the row limits them.
function findExpensive(rows: readonly PayoutRow[], results: readonly PayoutResult[]): PayoutResult[] {
  const limited = new Set(rows.filter(({limits}) => limits.feeMax).map(({key}) => key))
  return results.filter(
    ({key, state, madeBefore, amount, currency, fee}) =>
      fee !== undefined &&
      !madeBefore &&
      isIn(state, 'made', 'ready') &&
      !limited.has(key) &&
      findHighFees({amount, currency, fees: [fee], feeCurrency: currency}) !== undefined,
  )
}

// What a script is told of them. Undefined if there are none.
export function describeExpensiveRows(
  rows: readonly PayoutRow[],
  results: readonly PayoutResult[],
): string | undefined {
  const found = findExpensive(rows, results)
  if (found.length === 0) return undefined
  return `the fees of ${countNoun(found.length, 'row')} are more than the usual 5 % of what is sent (${describeLines(found)}); the column max-fee sets a limit`
}

// Keys and notes leave the payees too little room on a narrower terminal.
const widthOfAllMin = 110

function listColumns({names, newPayees, expensive}: Preview, width = widthOfAllMin): PayoutColumn[] {
  const own: readonly PayoutColumn[] = [
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
      value: (row) => [newPayees.has(row) && 'new', expensive.has(row) && '!'].filter(Boolean).join(' '),
      rank: 0,
    },
  ]
  const order = `line payee mark amount fee received${width < widthOfAllMin ? '' : ' key note'}`
  return pickColumns(order, own).map((column) => ({...column, rank: 0}))
}

interface Style {
  painter: Painter
  // Undefined if nothing is narrowed.
  width: number | undefined
  isAll: boolean
}

// Of a longer file only so many rows are shown, the largest first.
const rowsShownMax = 30

function compareSizes(one: PayoutResult, other: PayoutResult): number {
  const [a, b] = [parseDecimal(one.amount), parseDecimal(other.amount)]
  return a && b ? b.cmp(a) : 0
}

// The rows that would not be paid, and those that would.
function renderRows(preview: Preview, {painter, width, isAll}: Style): string {
  const ready = preview.results.filter(isReady)
  const isShort = isAll || ready.length <= rowsShownMax
  const shown = isShort ? ready : ready.toSorted(compareSizes).slice(0, rowsShownMax)
  const hidden = ready.length - shown.length
  const columns = listColumns(preview, width).filter(({value}) => shown.some((row) => (value(row) ?? '') !== ''))
  return [
    ...renderFailures(preview.results, painter, width).map((line) => `${line}\n`),
    shown.length === 0 ? '' : renderTable(shown, columns, painter, width).text,
    ...(hidden > 0 ? [`And ${countNoun(hidden, 'smaller row')}; --all shows every row.\n`] : []),
  ].join('')
}

function listFacts({results, newPayees, expensive, ownFees, names, isPriced}: Preview): BoxRow[] {
  const missing = names?.describeMissing()
  const hasUnpriced = !isPriced && results.some(isReady)
  const facts: ReadonlyArray<readonly [label: string, texts: readonly string[]]> = [
    ['Your fees', ownFees],
    ['Prices', hasUnpriced ? ['not checked; --dry-run --with-quotes requests them'] : []],
    ['New payees', newPayees.size === 0 ? [] : [describeLines([...newPayees])]],
    ['High fees', expensive.size === 0 ? [] : [`${describeLines([...expensive])}: above 5 % of what is sent`]],
    ['Names', missing === undefined ? [] : [missing]],
  ]
  return [
    ...sumRows(results),
    ...facts.flatMap(([label, texts]) => (texts.length === 0 ? [] : [{label, lines: texts.map((text) => ({text}))}])),
  ]
}

// For a dry run.
export const renderPreview = (preview: Preview, style: Style): string =>
  `${renderRows(preview, style)}\n${renderFacts(listFacts(preview))}`.trimStart()

// A person who is about to be asked waits for the prices of so many rows. For more, a dry run is the right tool.
const rowsPricedMax = 100

interface QuestionSettings {
  caller: Caller
  stopped: readonly PayoutResult[]
  // How the question begins.
  verb?: string
  // Whether every row of a long file is shown.
  isAll: boolean
  names: Parties | undefined
}

// What a person agrees to: what is paid, and what was sent before and is settled.
function describeQuestion({results}: Preview, stopped: ReadonlySet<string>, verb: string): string {
  const unknown = results.filter((row) => !hasTransaction(row.state) && !isOpen(row)).length
  const tried = results.filter((row) => isOpen(row) && !stopped.has(row.key))
  const refused = tried.filter((row) => !isReady(row)).length
  const deeds = [
    ...(tried.length > 0 ? [`${verb} ${describeSent(tried)}`] : []),
    ...(unknown > 0 ? [`settle ${countNoun(unknown, 'row')} that may have been paid`] : []),
  ]
  return `${capitalize(deeds.join(', and '))}${refused > 0 ? `, although ${refused} would not be made` : ''}?`
}

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  run: OpenRun,
  {caller, stopped, verb = 'Pay', isAll, names}: QuestionSettings,
): WriteConfirmation | undefined {
  const stoppedKeys = new Set(stopped.map(({key}) => key))
  const left = [...run.told.values()].filter(({key, state}) => !hasTransaction(state) && !stoppedKeys.has(key))
  if (left.length === 0) return undefined
  let question = ''
  return {
    async describe() {
      const preview = await previewRun(run, {stopped, names, isPriced: left.length <= rowsPricedMax})
      const width = getErrorWidth()
      writeErrUncleaned(renderRows(preview, {painter: await createPainter(process.stderr), width, isAll}))
      question = describeQuestion(preview, stoppedKeys, verb)
      return {
        title: `Please confirm ${describePlace(caller)}`,
        isLive: caller.environment === 'live',
        groups: [listFacts(preview)],
      }
    },
    question: () => question,
  }
}
