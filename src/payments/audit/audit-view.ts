// How the result of `svc journal verify` is shown.
import type {View} from '../../cli/output/view.ts'
import type {JournalCheck} from './check-journal.ts'

const formatIntact = (isIntact: unknown) => (isIntact === true ? 'yes' : 'NO')

export const journalCheckView: View<JournalCheck> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    {name: 'journal', header: 'JOURNAL', value: (c) => c.journal, rank: 0},
    {name: 'isIntact', short: 'intact', header: 'INTACT', value: (c) => c.isIntact, format: formatIntact, rank: 0},
    {name: 'finding', header: 'FINDING', value: (c) => c.finding, format: (_, c) => c.finding?.message, rank: 0},
    {name: 'entries', header: 'ENTRIES', value: (c) => c.entries, rank: 1},
    {name: 'decisions', header: 'DECISIONS', value: (c) => c.decisions, rank: 2},
    {name: 'payments', header: 'PAYMENTS', value: (c) => c.payments, rank: 1},
    {name: 'lastEntryAt', short: 'last', header: 'LAST ENTRY (UTC)', value: (c) => c.lastEntryAt, rank: 2},
    {
      name: 'head',
      header: 'COMPARED WITH',
      value: (c) => c.head,
      format: (_, c) => c.head && `${c.head.file} of ${c.head.at}, ${c.head.entries} entries`,
      rank: 2,
    },
    {
      name: 'signature',
      header: 'SIGNATURE',
      value: (c) => c.head?.signature,
      rank: 2,
    },
    {name: 'signedHeads', short: 'heads', header: 'SIGNED HEADS IN IT', value: (c) => c.signedHeads, rank: 3},
    {name: 'signedEntries', header: 'SIGNED ENTRIES', value: (c) => c.signedEntries, rank: 3},
    {name: 'digest', header: 'DIGEST', value: (c) => c.digest, rank: 3},
    {
      name: 'signed',
      header: 'SIGNED NOW',
      value: (c) => c.signed,
      format: (_, c) => c.signed && [`of ${c.signed.at}, by ${c.signed.by}`, `SHA-256 ${c.signed.digest}`],
      rank: 2,
      hidesEmpty: true,
    },
    {name: 'files', header: 'FILES', value: (c) => c.signed?.files, rank: 2, hidesEmpty: true},
  ],
}
