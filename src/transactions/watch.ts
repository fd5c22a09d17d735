// Transactions, followed until they are COMPLETED, or never will be.
import type {Client} from '../client/client.ts'
import type {transactionStatuses} from '../contract/transactions.ts'
import {SvcError} from '../errors.ts'
import {transactionView} from './view.ts'
import {awaitsTransfer, formatInstructions} from './format-instructions.ts'
import type {Item} from '../cli/output/format-values.ts'
import {type TransactionScope, toCustomerScope, findTransaction} from './find-transaction.ts'
import type {WatchTarget, WatchedKind, Note, State} from '../cli/watch/watch-target.ts'

const tryAgain = () => 'To try again, begin with a new quote: `svc quotes create`'

// Which of the states end a wait, and how (docs/assumptions.md, M16).
const states: Readonly<Record<(typeof transactionStatuses)[number], State>> = {
  CREATED: {waitsFor: 'the service has not begun with it'},
  AWAITING_TRANSFER: {waitsFor: 'the money has not arrived, see the transfer instructions'},
  PROCESSING: {waitsFor: 'the money is under way'},
  COMPLETED: {ends: 'well'},
  FAILED: {ends: 'badly', next: tryAgain},
  CANCELLED: {ends: 'badly', next: tryAgain},
  EXPIRED: {ends: 'badly', why: 'the money did not arrive in time', next: tryAgain},
}

// What is to be sent is shown once; should it change, once more.
function listInstructionNotes(transaction: Item): Note[] {
  if (!awaitsTransfer(transaction)) return []
  const lines = formatInstructions(transaction['transferInstructions'], transaction)
  if (!Array.isArray(lines)) return []
  const text = lines.join('\n')
  return [{key: text, text}]
}

const transactionKind: WatchedKind = {
  view: transactionView,
  status: 'transactionStatus',
  states,
  shownColumns: ['source', 'destination', 'sourceReferenceId', 'destinationReferenceId'],
  notedColumns: ['transferInstructions'],
  notes: listInstructionNotes,
  resumeCommand: (id) => `svc transactions watch ${id}`,
}

// The interface has no read of a single transaction. It is found once, and then looked for among those of its customer.
export function createTransactionTarget(
  client: Client,
  transactionId: string,
  within: TransactionScope,
  answer?: Item,
): WatchTarget {
  let narrowed = answer ? (toCustomerScope(answer) ?? within) : within
  let isFirst = answer === undefined
  return {
    kind: transactionKind,
    id: transactionId,
    writeReply: answer,
    async read() {
      const transaction = await findTransaction(client, transactionId, narrowed, isFirst)
      isFirst = false
      narrowed = toCustomerScope(transaction) ?? narrowed
      return transaction
    },
  }
}

// The one that has just been made. Without an id nothing can be looked for, though something was made.
export function createReplyTarget(client: Client, answer: Item): WatchTarget {
  const {transactionId} = answer
  if (typeof transactionId === 'string' && transactionId !== '') {
    return createTransactionTarget(client, transactionId, {}, answer)
  }
  throw new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: 'The service took the transaction and answered without its id, so it cannot be waited for',
    hint: 'Look for it with `svc transactions list`',
  })
}
