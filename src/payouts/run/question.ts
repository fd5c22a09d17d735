// The question before a file is paid: every row with its payee, its fee and what arrives, the totals, and what is left out.
import type {Box, BoxRow} from '../../cli/output/box.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {getErrorWidth, writeErrUncleaned} from '../../cli/output/streams.ts'
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {countNoun} from '../../values/text.ts'
import {type UnreadyRow, customersCheckedMax} from '../file/readiness.ts'
import type {PayoutRow} from '../file/rows.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {isCreated, isOpen} from './journal-state.ts'
import {type KnownPayees, type PreviewRow, previewRows} from './preview.ts'
import {describeNew, describeUnusual, renderPreview} from './preview-view.ts'
import {priceRow} from './dry-run.ts'
import {type PayoutResult, type RowStop, toBaseResult, toFailedResult} from './result.ts'
import {type OpenBatch} from './run.ts'
import {computeTotals, describeArrivals, formatSums, sumDeveloperFees} from './summary.ts'

const countRows = (count: number) => countNoun(count, 'row')

const buildRow = (label: string, texts: readonly string[], remark?: string): BoxRow[] =>
  texts.length === 0
    ? []
    : [{label, lines: [...texts.map((text) => ({text})), ...(remark ? [{text: remark, tone: 'dim' as const}] : [])]}]

const unreadyShownMax = 5
const unusualShownMax = 10

function cutLines(lines: readonly string[], max: number): string[] {
  const more = lines.length - max
  return more > 0 ? [...lines.slice(0, max), `and ${countRows(more)} more; --dry-run lists them all`] : [...lines]
}

// Names the rows that the service would refuse, before the first row is paid.
function buildUnreadyRows(unready: readonly UnreadyRow[] | undefined): BoxRow[] {
  if (!unready) {
    const text = `not checked, for more than ${customersCheckedMax} customers; --dry-run checks them all`
    return buildRow('Accounts', [text])
  }
  const lines = unready.map(({row, reason}) => `line ${row.line}, ${row.key}: ${reason}`)
  return buildRow('Would be refused', cutLines(lines, unreadyShownMax))
}

// What a person agrees to although it is unusual.
function describeAlthough(count: number, refused: number, expensive: number): string {
  const who = (part: number, some: string) => (count === 1 ? 'it' : part === count ? 'each' : some)
  const parts = [
    ...(refused > 0 ? [`${who(refused, String(refused))} would be refused`] : []),
    ...(expensive > 0 ? [`the fees of ${who(expensive, countRows(expensive))} are above 5 %`] : []),
  ]
  return parts.length === 0 ? '' : `, although ${parts.join(' and ')}`
}

// A person who is about to be asked waits for these prices. For more rows, a dry run is the right tool.
const rowsPricedMax = 100

const noAnswer = new SvcError({error: 'UNREACHABLE', kind: 'unreachable', message: 'The service gave no price'})

// A person does not wait for a service that fails, so nothing is tried again.
const withoutRetries = <T extends PaymentContext>(context: T): T => ({
  ...context,
  pause: () => Promise.reject(noAnswer),
})

const isAnswer = ({kind}: SvcError) => kind === 'refused' || kind === 'notFound' || kind === 'limit'

// The prices as they are now. A row without one has the reason.
async function priceRows(batch: OpenBatch, rows: readonly PayoutRow[]): Promise<PayoutResult[]> {
  const {concurrency} = batch
  const context = withoutRetries(batch.context)
  const priced = new Map<string, PayoutResult>()
  let isAnswering = true
  const price = async (row: PayoutRow) => {
    if (!isAnswering) return
    try {
      priced.set(row.key, await priceRow(context, row))
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      isAnswering = isAnswer(error)
      if (isAnswering) priced.set(row.key, {...toFailedResult(row, error), state: 'READY'})
    }
  }
  // The first row shows whether the service answers.
  const [first, ...others] = rows
  if (first) await price(first)
  await forEachConcurrently(others, concurrency, price)
  return rows.map((row) => priced.get(row.key) ?? toBaseResult(row, 'READY'))
}

// The sums of what is sent, of all fees and of what arrives.
function buildTotals(open: readonly PayoutRow[], results: readonly PayoutResult[]): BoxRow[] {
  const priced = results.filter(({fee}) => fee !== undefined)
  const {leaving, arriving} = computeTotals(priced)
  const {leaving: sent} = computeTotals(results)
  const missing = results.length - priced.length
  const remark = missing > 0 ? `without ${countRows(missing)} whose price is not known` : undefined
  const notPriced = 'the fees of the service come out of it; --dry-run --with-quotes shows them'
  return [
    ...buildRow('Rows', [countRows(open.length)]),
    ...buildRow('To send', formatSums(sent), priced.length === 0 ? notPriced : undefined),
    ...buildRow(
      'Fees',
      leaving.map(({fee, currency}) => `${fee} ${currency}`),
      remark,
    ),
    ...buildRow(
      'Arrives',
      arriving.map(({amount, currency}) => {
        const own = priced.filter((row) => row.receivedCurrency === currency && row.received !== undefined)
        return describeArrivals(`${amount} ${currency}`, own)
      }),
    ),
    ...buildRow('Your fees', sumDeveloperFees(open)),
  ]
}

interface RunQuestionSettings extends KnownPayees {
  caller: Caller
  stops: readonly RowStop[]
  // How the question begins.
  verb?: string
  // Whether every row of a long file is shown.
  isAll: boolean
  // Reads which of the rows would be refused. It is called only if someone is asked.
  findUnready: (rows: readonly PayoutRow[]) => Promise<UnreadyRow[] | undefined>
}

async function showPreview(rows: readonly PreviewRow[], isAll: boolean): Promise<void> {
  const width = getErrorWidth()
  writeErrUncleaned(renderPreview(rows, {painter: await createPainter(process.stderr), width, isAll}))
}

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  batch: OpenBatch,
  {caller, stops, verb = 'Pay', isAll, findUnready, names, lastPayees}: RunQuestionSettings,
): {describe: () => Promise<Box>; question: () => string} | undefined {
  const {rows, journalState, context, serviceId} = batch
  const stopped = new Set(stops.map(({row}) => row.key))
  const left = rows.filter((row) => !isCreated(row, journalState))
  const open = left.filter(({key}) => !stopped.has(key))
  if (open.length === 0) return undefined
  const made = rows.length - left.length
  let [refused, expensive] = [0, 0]
  let sums: string[] = []
  return {
    describe: async () => {
      const unready = await findUnready(open)
      refused = unready?.length ?? 0
      const hopeless = new Set((unready ?? []).map(({row}) => row.key))
      const toPrice = open.filter((row) => isOpen(row, journalState) && !hopeless.has(row.key))
      const priced = open.length > rowsPricedMax ? [] : await priceRows(batch, toPrice)
      const pricedByKey = new Map(priced.map((result) => [result.key, result]))
      const results = open.map((row) => pricedByKey.get(row.key) ?? toBaseResult(row, 'READY'))
      const preview = await previewRows({serviceId, journal: context.journal, names, lastPayees}, rows, results)
      expensive = preview.filter(({highFees}) => highFees !== undefined).length
      sums = formatSums(computeTotals(results).leaving)
      await showPreview(preview, isAll)
      const namesMissing = names?.describeMissing()
      return {
        title: `Please confirm ${describePlace(caller)}`,
        isLive: caller.environment === 'live',
        groups: [
          buildTotals(open, results),
          [
            ...buildRow('Made before', made > 0 ? [`${countRows(made)}, not paid again`] : []),
            ...buildRow(
              'Left out',
              stopped.size > 0 ? [`${countRows(stopped.size)}, over the limits of the profile`] : [],
            ),
          ],
          [
            ...buildRow('New payees', describeNew(preview)),
            ...buildRow('Unusual', cutLines(describeUnusual(preview), unusualShownMax)),
            ...buildUnreadyRows(unready),
            ...buildRow('Names', namesMissing === undefined ? [] : [namesMissing]),
          ],
        ],
      }
    },
    question: () =>
      `${verb} ${[countRows(open.length), ...sums].join(', ')}${describeAlthough(open.length, refused, expensive)}?`,
  }
}
