// Lets a person choose a payment of the journal in a terminal.
import type {FindableKind} from '../../cli/ids/finder.ts'
import {pickFromAll} from '../../cli/ids/pick-item.ts'
import {formatMinute, formatMoney} from '../../cli/output/format-values.ts'
import {toText} from '../../cli/output/view.ts'
import type {JournalEntry} from './entries.ts'

const joinParts = (...parts: readonly unknown[]) => parts.map(toText).filter(Boolean).join(', ')

const paymentKind: FindableKind<JournalEntry> = {
  singular: 'payment',
  plural: 'payments in the journal for this profile',
  getId: ({key}) => key,
  describe: ({key, state, source, updatedAt}) =>
    joinParts(key, formatMoney(source?.sourceAmount, source?.sourceCurrency), state, formatMinute(updatedAt)),
  outline: ({key, state}) => joinParts(key, state),
  getSearchText: ({transactionId, quoteId, customerId}) => joinParts(transactionId, quoteId, customerId),
}

// The newest come first.
export async function pickKey(entries: readonly JournalEntry[]): Promise<string> {
  const newestFirst = entries.toSorted((a, b) => toText(b.updatedAt).localeCompare(toText(a.updatedAt)))
  const {key} = await pickFromAll(newestFirst, paymentKind)
  return key
}
