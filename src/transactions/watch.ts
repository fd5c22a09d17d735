// Transactions, followed until they are COMPLETED, or never will be.
import type {Client} from '../client/client.ts'
import type {transactionStatuses} from '../contract/transactions.ts'
import {SvcError} from '../errors.ts'
import {transactionView} from './view.ts'
import {isToBeSent, instructionLines} from './transfer-instructions.ts'
import type {Item} from '../cli/output/format-values.ts'
import {type Within, customerOf, findTransaction} from './find.ts'
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
function instructionNotes(transaction: Item): Note[] {
  if (!isToBeSent(transaction)) return []
  const lines = instructionLines(transaction['transferInstructions'], transaction)
  if (!Array.isArray(lines)) return []
  const text = lines.join('\n')
  return [{key: text, text}]
}

const kind: WatchedKind = {
  view: transactionView,
  status: 'transactionStatus',
  states,
  shownColumns: ['source', 'destination', 'sourceReferenceId', 'destinationReferenceId'],
  notedColumns: ['transferInstructions'],
  notes: instructionNotes,
  resumeCommand: (id) => `svc transactions watch ${id}`,
}

// The interface has no read of a single transaction. It is found once, and then looked for among those of its customer.
export function followedTransaction(client: Client, transactionId: string, within: Within, answer?: Item): WatchTarget {
  let narrowed = answer ? (customerOf(answer) ?? within) : within
  let isFirst = answer === undefined
  return {
    kind,
    id: transactionId,
    writeReply: answer,
    async read() {
      const transaction = await findTransaction(client, transactionId, narrowed, isFirst)
      isFirst = false
      narrowed = customerOf(transaction) ?? narrowed
      return transaction
    },
  }
}

// The one that has just been made. Without an id nothing can be looked for, though something was made.
export function followedAnswer(client: Client, answer: Item): WatchTarget {
  const {transactionId} = answer
  if (typeof transactionId === 'string' && transactionId !== '') {
    return followedTransaction(client, transactionId, {}, answer)
  }
  throw new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: 'The service took the transaction and answered without its id, so it cannot be waited for',
    hint: 'Look for it with `svc transactions list`',
  })
}
