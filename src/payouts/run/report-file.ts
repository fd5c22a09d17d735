// What has become of the rows of a file or a batch: what the journal has of them now, after any number of runs, and how the service says
// that their transactions are. Nothing is written.
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {readTransaction} from '../../payments/protocol/search.ts'
import type {FileSlot} from '../file/file-slot.ts'
import {type PayoutRow, readPayouts, rejectFile} from '../file/rows.ts'
import {CustomerLists} from '../../payments/protocol/lists.ts'
import {forEachConcurrently, concurrencyDefault} from './for-each-concurrently.ts'
import {endRow} from './pay-row.ts'
import {type PayoutResult, readPayments, toMadeResult, toResult} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type RunSettings, openRun} from './run.ts'

// A row with what the journal says of it.
interface ToldRow {
  row: PayoutRow
  result: PayoutResult
}

interface Asking {
  context: PaymentContext
  serviceId: string
  notice: (text: string) => void
}

// Some rows at a time. The list of a customer is read once for all of its rows; what it does not show is told as the journal has it.
export async function* askAboutRows(
  {context: own, serviceId, notice}: Asking,
  pages: Iterable<readonly ToldRow[]> | AsyncIterable<readonly ToldRow[]>,
): AsyncGenerator<PayoutResult[]> {
  // Whoever asks for a report writes nothing, so nothing is remembered of the lists.
  const context: PaymentContext = {...own, lists: new CustomerLists(own)}
  let isUnasked = false
  for await (const page of pages) {
    const made = page.filter(({result}) => hasTransaction(result.state))
    const recorded = await readPayments(
      context.journal,
      serviceId,
      made.map(({row}) => row),
    )
    const told = new Map(page.map(({row, result}) => [row.key, result]))
    await forEachConcurrently(made, concurrencyDefault, async ({row, result: known}) => {
      const payment = recorded.get(row.key)?.payment
      if (payment?.state !== 'CREATED') return
      const {result, failure} = await endRow({context, serviceId}, row, async () => {
        const {transaction, readError} = await readTransaction(context, payment)
        isUnasked ||= readError !== undefined
        return {result: transaction ? toMadeResult(row, payment, transaction) : known}
      })
      if (failure?.kind === 'bug') throw failure
      told.set(row.key, result)
    })
    yield page.map(({row}) => told.get(row.key) ?? toResult(row, 'NOT_TRIED'))
  }
  if (isUnasked)
    notice('The service could not be asked how the transactions are: this is what the journal knows of them.')
}

export async function reportFile(
  file: string,
  slot: FileSlot | undefined,
  {notice, ...access}: Pick<RunSettings, 'traits' | 'connect'> & Pick<Asking, 'notice'>,
): Promise<PayoutResult[]> {
  const {context, serviceId, rows, told, problems} = await openRun({...access, written: await readPayouts(file, slot)})
  try {
    rejectFile(file, problems)
    const page = rows.map((row) => ({row, result: told.get(row.key) ?? toResult(row, 'NOT_TRIED')}))
    return (await Array.fromAsync(askAboutRows({context, serviceId, notice}, [page]))).flat()
  } finally {
    await context.close()
  }
}
