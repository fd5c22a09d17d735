// Previews every row of a file: what would become of it, at which price, with what is new and what
// is expensive. A dry run prints it, and the question before a run shows it to a person.
import type {Parties} from '../../accounts/parties.ts'
import type {BoxRow} from '../../cli/output/box.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import type {WriteConfirmation} from '../../cli/confirm-write.ts'
import {getErrorWidth, writeErrUncleaned} from '../../cli/output/streams.ts'
import {renderTable} from '../../cli/output/table.ts'
import {SvcError} from '../../errors.ts'
import {findQuoteProblems} from '../../payments/protocol/limits.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {readPrice} from '../../payments/protocol/payment.ts'
import {fetchQuote} from '../../payments/protocol/service.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {feePercentMax, findHighFees, parseDecimal} from '../../values/money.ts'
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
  // Facts to be known beside the sums.
  facts: BoxRow[]
  names: Parties | undefined
}

interface PreviewSettings {
  // Rows that are not to be paid.
  stopped: readonly PayoutResult[]
  // Whether the price of every row is requested. The service then says which rows it would refuse,
  // too.
  isPriced: boolean
  names: Parties | undefined
  onEnd?: ((hasFailed: boolean) => void) | undefined
}

// The price of a row as it is now. Throws if the service gives none, or the limits of the row would
// stop it.
async function priceRow(context: PaymentContext, row: PayoutRow): Promise<Partial<PayoutResult>> {
  const price = readPrice(await fetchQuote(context, row.content, row.isGuaranteed))
  const [problem] = findQuoteProblems(row.limits, row.content, price)
  if (problem !== undefined) {
    throw new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message: `A limit would stop it: ${problem}`})
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
  return {results, failures, facts: await listFacts(run, results, settings), names}
}

// Facts about the rows that are ready: what they pay the integrator, who has never been paid, and
// whose fees are high.
async function listFacts(
  {context, serviceId, rows}: OpenRun,
  results: readonly PayoutResult[],
  {isPriced, names}: PreviewSettings,
): Promise<BoxRow[]> {
  const ready = results.filter(isReady)
  await names?.read(ready.map(({customer}) => customer))
  const payees = await context.journal.listPayees(serviceId, [...new Set(ready.map(({destination}) => destination))])
  const paid = new Set(payees.filter(({isPaid}) => isPaid).map(({destination}) => destination))
  const newPayees = ready.filter(({destination}) => !paid.has(destination))
  const readyKeys = new Set(ready.map(({key}) => key))
  const limited = new Set(rows.filter(({limits}) => limits.feeMax).map(({key}) => key))
  const expensive = ready.filter(
    ({key, amount, currency, fee}) =>
      fee !== undefined &&
      !limited.has(key) &&
      findHighFees({amount, currency, fees: [fee], feeCurrency: currency}) !== undefined,
  )
  const facts: ReadonlyArray<readonly [label: string, texts: ReadonlyArray<string | undefined>]> = [
    ['Your fees', sumDeveloperFees(rows.filter(({key}) => readyKeys.has(key)))],
    ['Prices', [!isPriced && ready.length > 0 ? 'not checked; --dry-run --with-quotes requests them' : undefined]],
    ['New payees', newPayees.length === 0 ? [] : [describeLines(newPayees)]],
    [
      'High fees',
      expensive.length === 0 ? [] : [`${describeLines(expensive)}: above ${feePercentMax} % of what is sent`],
    ],
    ['Names', [names?.describeMissing()]],
  ]
  return facts.flatMap(([label, texts]) => {
    const lines = texts.flatMap((text) => (text === undefined ? [] : [{text}]))
    return lines.length === 0 ? [] : [{label, lines}]
  })
}

const listColumns = (names: Parties | undefined): PayoutColumn[] =>
  pickColumns('line payee amount fee received', [
    {
      name: 'payee',
      header: 'PAYEE',
      value: ({customer, destination}) => names?.describeAccount(customer, destination) || destination,
      rank: 0,
      kind: 'sentence',
    },
  ]).map((column) => ({...column, rank: 0}))

// Of a longer file only so many rows are shown, the largest first.
const rowsShownMax = 30

function compareSizes(one: PayoutResult, other: PayoutResult): number {
  const [a, b] = [parseDecimal(one.amount), parseDecimal(other.amount)]
  return a && b ? b.cmp(a) : 0
}

// The rows that would not be paid, and those that would.
function renderRows({results, names}: Preview, painter: Painter, width: number | undefined): string {
  const ready = results.filter(isReady)
  const hidden = Math.max(0, ready.length - rowsShownMax)
  const shown = hidden === 0 ? ready : ready.toSorted(compareSizes).slice(0, rowsShownMax)
  const columns = listColumns(names).filter(({value}) => shown.some((row) => (value(row) ?? '') !== ''))
  return [
    ...renderFailures(results, painter, width).map((line) => `${line}\n`),
    shown.length === 0 ? '' : renderTable(shown, columns, painter, width).text,
    ...(hidden > 0 ? [`And ${countNoun(hidden, 'smaller row')}; --dry-run -o csv has every row.\n`] : []),
  ].join('')
}

// For a dry run.
export const renderPreview = (preview: Preview, painter: Painter, width: number | undefined): string =>
  `${renderRows(preview, painter, width)}\n${renderFacts([...sumRows(preview.results), ...preview.facts])}`.trimStart()

// A person who is about to be asked waits for the prices of so many rows. For more, a dry run is
// the right tool.
const rowsPricedMax = 100

interface QuestionSettings {
  caller: Caller
  stopped: readonly PayoutResult[]
  // How the question begins.
  verb?: string
  names: Parties | undefined
}

// The deed that a person agrees to: what is paid, and what was sent before and is settled.
function describeQuestion({results}: Preview, stopped: ReadonlySet<string>, verb: string): string {
  const unknown = results.filter((row) => !hasTransaction(row.state) && !isOpen(row)).length
  const tried = results.filter((row) => isOpen(row) && !stopped.has(row.key))
  const refused = tried.filter((row) => !isReady(row)).length
  const deeds = [
    ...(tried.length > 0 ? [`${verb} ${describeSent(tried)}`] : []),
    ...(unknown > 0 ? [`settle ${countNoun(unknown, 'row')} that may have been paid`] : []),
  ]
  return `${capitalize(deeds.join(', and '))}${refused > 0 ? `, of which ${refused} would not be made now` : ''}?`
}

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  run: OpenRun,
  {caller, stopped, verb = 'Pay', names}: QuestionSettings,
): WriteConfirmation | undefined {
  const stoppedKeys = new Set(stopped.map(({key}) => key))
  const left = [...run.told.values()].filter(({key, state}) => !hasTransaction(state) && !stoppedKeys.has(key))
  if (left.length === 0) return undefined
  let question = ''
  return {
    async describe() {
      const preview = await previewRun(run, {stopped, names, isPriced: left.length <= rowsPricedMax})
      writeErrUncleaned(renderRows(preview, await createPainter(process.stderr), getErrorWidth()))
      question = describeQuestion(preview, stoppedKeys, verb)
      return {
        title: `Please confirm ${describePlace(caller)}`,
        isLive: caller.environment === 'live',
        groups: [[...sumRows(preview.results), ...preview.facts]],
      }
    },
    question: () => question,
  }
}
