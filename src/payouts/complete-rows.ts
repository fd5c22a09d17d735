// Completes the routes of rows with what the accounts of their customers decide, before anything is paid.
import {SvcError} from '../errors.ts'
import {decideRoute} from '../payments/decide-route.ts'
import type {OpenPaymentContext} from '../payments/open-context.ts'
import {toContent} from '../payments/payment-content.ts'
import {describeOpenChoice} from '../quotes/complete-route.ts'
import type {ReadAccounts} from './account-lists.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import type {FileProblem} from './records.ts'
import type {PayoutRow} from './rows.ts'

interface IncompleteFile {
  context: OpenPaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  readAccounts: ReadAccounts
  concurrency: number
}

export interface CompletedRows {
  // In the order of the file, without those that have a problem.
  rows: PayoutRow[]
  problems: FileProblem[]
}

// A file has columns in place of flags.
const nameColumns = (message: string) => message.replaceAll(/--((?:from|to)-(?:currency|method))/g, '$1')

// What is wrong with the row itself, and not with the connection.
const isAboutRow = (error: unknown): error is SvcError =>
  error instanceof SvcError && (error.kind === 'usage' || error.kind === 'notFound')

// A script and a person get the choices listed, each with its line: a file says for itself what it pays.
async function completeRow(
  {context, serviceId, readAccounts}: IncompleteFile,
  row: PayoutRow,
): Promise<PayoutRow | FileProblem[]> {
  const {line, key, incomplete, ...rest} = row
  if (!incomplete) return row
  try {
    const {body, choices} = await decideRoute(context, {serviceId, key}, incomplete, readAccounts)
    if (choices.length === 0) return {...rest, line, key, content: toContent(body as never)}
    return choices.map((choice) => ({line, message: nameColumns(describeOpenChoice(choice))}))
  } catch (error) {
    if (!isAboutRow(error)) throw error
    return [{line, message: nameColumns(error.message)}]
  }
}

export async function completeRows(file: IncompleteFile): Promise<CompletedRows> {
  const completed = new Map<PayoutRow, PayoutRow>()
  const problems: FileProblem[] = []
  const incomplete = file.rows.filter((row) => row.incomplete)
  await forEachConcurrently(incomplete, file.concurrency, async (row) => {
    const result = await completeRow(file, row)
    if (Array.isArray(result)) problems.push(...result)
    else completed.set(row, result)
  })
  return {rows: file.rows.flatMap((row) => (row.incomplete ? (completed.get(row) ?? []) : [row])), problems}
}
