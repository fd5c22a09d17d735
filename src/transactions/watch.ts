// Watches a transaction until it is in a final state.
import type {ItemResult, Result} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import type {Note, State, WatchTarget, WatchedKind} from '../cli/watch/watch.ts'
import type {Client} from '../client/client.ts'
import {type LooseTransaction, readCode} from '../contract/loose.ts'
import type {transactionStatuses} from '../contract/transactions.ts'
import type {Caller} from '../profiles/caller.ts'
import {readServiceState} from '../transport.ts'
import {normalizeAmount} from '../values/money.ts'
import {svc} from '../values/text.ts'
import {type TransactionScope, findTransaction, toCustomerScope} from './find-transaction.ts'
import {awaitsTransfer, formatInstructions} from './format-amounts.ts'
import {transactionView} from './view.ts'

const tryAgain = () => `To try again, request a new quote: ${svc`quotes create`}`

// Which states are final, and what the others wait for (docs/assumptions.md, M16).
const states: Readonly<Record<(typeof transactionStatuses)[number], State>> = {
  CREATED: {waitsFor: 'the service has not started to process it'},
  AWAITING_TRANSFER: {waitsFor: 'the money has not arrived, see the transfer instructions'},
  PROCESSING: {waitsFor: 'the money is on its way'},
  COMPLETED: {ends: 'well'},
  FAILED: {ends: 'badly', next: tryAgain},
  CANCELLED: {ends: 'badly', next: tryAgain},
  EXPIRED: {ends: 'badly', why: 'the money did not arrive in time', next: tryAgain},
}

// Shown once, and again if the instructions change.
function listInstructionNotes(transaction: LooseTransaction): Note[] {
  if (!awaitsTransfer(transaction)) return []
  const lines = formatInstructions(transaction.transferInstructions, transaction)
  if (!Array.isArray(lines)) return []
  return [{key: lines.join('\n'), lines}]
}

const transactionKind: WatchedKind<LooseTransaction> = {
  view: transactionView,
  status: 'transactionStatus',
  states,
  shownColumns: ['source', 'destination', 'sourceReferenceId', 'destinationReferenceId'],
  notedColumns: ['transferInstructions'],
  notes: listInstructionNotes,
}

// The interface cannot read a single transaction. After it is found once, only the list of its customer is searched.
export function createTransactionTarget(
  client: Client,
  transactionId: string,
  scope: TransactionScope,
  writeReply?: LooseTransaction,
): WatchTarget<LooseTransaction> {
  let currentScope = writeReply ? (toCustomerScope(writeReply) ?? scope) : scope
  let isFirst = writeReply === undefined
  return {
    kind: transactionKind,
    id: transactionId,
    resume: svc`transactions watch ${transactionId}`,
    writeReply,
    async read() {
      const transaction = await findTransaction(client, transactionId, currentScope, isFirst)
      isFirst = false
      currentScope = toCustomerScope(transaction) ?? currentScope
      return transaction
    },
  }
}

// Says that an amount is magic in the sandbox, where it decided how a transaction went on. Undefined if the amount has no such effect,
// and for any other service.
export async function describeMagicEnding(
  caller: Caller,
  {transactionStatus, source}: LooseTransaction,
): Promise<string | undefined> {
  const amount = toText(source?.sourceAmount)
  const {describeMagicAmount} = await readServiceState(caller)
  const remark = amount === '' ? undefined : describeMagicAmount?.(normalizeAmount(amount), readCode(transactionStatus))
  return remark && `In the sandbox, ${remark}.`
}

// Gives the remark about the transaction of a result that ended badly.
export async function noticeMagicEnding(
  caller: Caller,
  result: Result,
  notice: (text: string) => void,
): Promise<Result> {
  if (!result || !('value' in result) || result.failure?.kind !== 'endedBadly') return result
  const remark = await describeMagicEnding(caller, (result as ItemResult<LooseTransaction>).value)
  if (remark !== undefined) notice(remark)
  return result
}
