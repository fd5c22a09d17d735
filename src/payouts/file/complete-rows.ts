// Completes rows before anything is paid: the parts of routes that the accounts of the customer decide.
import {listAccounts} from '../../accounts/find-account.ts'
import {SvcError} from '../../errors.ts'
import {decideRoute} from '../../payments/pay/decide-route.ts'
import {toContent} from '../../payments/protocol/payment.ts'
import type {OpenPaymentContext} from '../../payments/context/open-context.ts'
import {describeOpenChoice} from '../../quotes/complete-route.ts'
import type {FileProblem} from './records.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import type {PayoutRow} from './rows.ts'

// What is wrong with the row itself, and not with the connection.
const isAboutRow = (error: unknown): error is SvcError =>
  error instanceof SvcError && (error.kind === 'usage' || error.kind === 'notFound')

// The rows in the order of the file, and the problems of those that are not among them. A script and a person get the choices listed, each
// with its line: a file says for itself what it pays.
export async function completeRows(
  context: OpenPaymentContext,
  serviceId: string,
  rows: readonly PayoutRow[],
  concurrency: number,
): Promise<{rows: PayoutRow[]; problems: FileProblem[]}> {
  const completed = new Map(rows.map((row) => [row.line, row]))
  const problems: FileProblem[] = []
  // Each customer's list is read once, when a row needs it. Rows that are worked on at the same time share a read.
  const reads = new Map<string, ReturnType<typeof listAccounts>>()
  const readAccounts = (customerId: string) => {
    const read = reads.get(customerId) ?? listAccounts(context.client, customerId)
    reads.set(customerId, read)
    return read
  }
  await forEachConcurrently(rows, concurrency, async ({incomplete, ...row}) => {
    if (!incomplete) return
    const {line, key} = row
    try {
      const {body, choices} = await decideRoute(context, {serviceId, key}, incomplete, readAccounts)
      completed.set(line, {...row, content: toContent(body)})
      // A file has columns in place of flags.
      const columns = choices.map(({flag, ...choice}) => ({...choice, flag: flag.slice('--'.length)}))
      problems.push(...columns.map((column) => ({line, message: describeOpenChoice(column)})))
    } catch (error) {
      if (!isAboutRow(error)) throw error
      problems.push({line, message: error.kind === 'notFound' ? `${error.message}; ${error.hint}` : error.message})
    }
  })
  const wrong = new Set(problems.map(({line}) => line))
  return {rows: [...completed.values()].filter(({line}) => !wrong.has(line)), problems}
}
