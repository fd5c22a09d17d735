// Completes rows before anything is paid: the parts of routes that the accounts of the customer decide.
import {listAccounts} from '../../accounts/find-account.ts'
import {SvcError} from '../../errors.ts'
import {decideRoute} from '../../payments/pay/decide-route.ts'
import {toContent} from '../../payments/protocol/payment.ts'
import type {OpenPaymentContext} from '../../payments/pay/open-context.ts'
import {describeOpenChoice} from '../../quotes/complete-route.ts'
import type {FileProblem} from './records.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import type {PayoutRow} from './rows.ts'

// A file has columns in place of flags.
const nameColumns = (message: string) => message.replaceAll(/--((?:from|to)\b)/g, '$1')

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
  const completed = new Map<number, PayoutRow>()
  const problems: FileProblem[] = []
  // Each customer's list is read once, when a row needs it. Rows that are worked on at the same time share a read.
  const reads = new Map<string, ReturnType<typeof listAccounts>>()
  const readAccounts = (customerId: string) => {
    const read = reads.get(customerId) ?? listAccounts(context.client, customerId)
    reads.set(customerId, read)
    return read
  }
  const complete = async ({incomplete, ...row}: PayoutRow) => {
    const {line, key} = row
    const report = (message: string) => problems.push({line, message: nameColumns(message)})
    if (!incomplete) return completed.set(line, row)
    try {
      const {body, choices} = await decideRoute(context, {serviceId, key}, incomplete, readAccounts)
      for (const choice of choices) report(describeOpenChoice(choice))
      if (choices.length === 0) completed.set(line, {...row, content: toContent(body)})
    } catch (error) {
      if (!isAboutRow(error)) throw error
      report(error.message)
    }
    return completed
  }
  await forEachConcurrently(rows, concurrency, async (row) => void (await complete(row)))
  return {rows: rows.flatMap(({line}) => completed.get(line) ?? []), problems}
}
