// The bad endings of a transaction: it exists and will not change any more, but the money did not arrive.
import type {LooseTransaction} from '../../contract/loose.ts'
import {readText} from '../../values/records.ts'

const badEndings = ['FAILED', 'CANCELLED', 'EXPIRED'] as const
export type BadEnding = (typeof badEndings)[number]

const goodEnding = 'COMPLETED'

const readStatus = ({transactionStatus}: LooseTransaction) => readText(transactionStatus).trim().toUpperCase()

// Undefined if the transaction goes on, or has ended well. Services differ in the case of a status.
export function readBadEnding(transaction: LooseTransaction): BadEnding | undefined {
  const status = readStatus(transaction)
  return badEndings.find((ending) => ending === status)
}

export const hasFinalStatus = (transaction: LooseTransaction): boolean =>
  readStatus(transaction) === goodEnding || readBadEnding(transaction) !== undefined
