// Completes rows before anything is paid: the parts of routes that the accounts of the customer decide.
import {listAccounts} from '../../accounts/find-account.ts'
import type {Client} from '../../client/client.ts'
import {SvcError} from '../../errors.ts'
import {decideRoute} from '../../payments/pay/decide-route.ts'
import {toContent} from '../../payments/protocol/payment.ts'
import type {OpenPaymentContext} from '../../payments/pay/open-context.ts'
import {describeOpenChoice} from '../../quotes/complete-route.ts'
import type {FileProblem} from './records.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import type {PayoutRow} from './rows.ts'

interface IncompleteFile {
  context: OpenPaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  concurrency: number
}

interface CompletedRows {
  // In the order of the file, without those that have a problem.
  rows: PayoutRow[]
  problems: FileProblem[]
}

// A file has columns in place of flags.
const nameColumns = (message: string) => message.replaceAll(/--((?:from|to)\b)/g, '$1')

// What is wrong with the row itself, and not with the connection.
const isAboutRow = (error: unknown): error is SvcError =>
  error instanceof SvcError && (error.kind === 'usage' || error.kind === 'notFound')

// A script and a person get the choices listed, each with its line: a file says for itself what it pays.
async function completeRow(
  {context, serviceId}: IncompleteFile,
  row: PayoutRow,
  read: ReturnType<typeof createAccountReader>,
): Promise<PayoutRow | FileProblem[]> {
  const {line, key, incomplete, ...rest} = row
  if (!incomplete) return row
  try {
    const {body, choices} = await decideRoute(context, {serviceId, key}, incomplete, read)
    if (choices.length === 0) return {...rest, line, key, content: toContent(body)}
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
  const read = createAccountReader(file.context.client)
  await forEachConcurrently(incomplete, file.concurrency, async (row) => {
    const result = await completeRow(file, row, read)
    if (Array.isArray(result)) problems.push(...result)
    else completed.set(row, result)
  })
  return {rows: file.rows.flatMap((row) => (row.incomplete ? (completed.get(row) ?? []) : [row])), problems}
}

// Each customer's list is read once, when a row needs it. Rows that are worked on at the same time share a read.
function createAccountReader(client: Client) {
  const reads = new Map<string, ReturnType<typeof listAccounts>>()
  return (customerId: string) => {
    const read = reads.get(customerId) ?? listAccounts(client, customerId)
    reads.set(customerId, read)
    return read
  }
}
