// How the result of copying a journal is shown.
import type {View} from '../../cli/output/view.ts'
import type {JournalCopy} from './copy-journal.ts'

export const journalCopyView: View<JournalCopy> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    {name: 'from', header: 'FROM', value: (c) => c.from, rank: 0},
    {name: 'to', header: 'TO', value: (c) => c.to, rank: 0},
    {name: 'payments', header: 'PAYMENTS', value: (c) => c.payments, rank: 0},
    {name: 'historyLines', header: 'LINES OF HISTORY', value: (c) => c.historyLines, rank: 0},
    {name: 'reservations', header: 'RESERVATIONS', value: (c) => c.reservations, rank: 0},
    {name: 'copiedBefore', header: 'COPIED BEFORE', value: (c) => c.copiedBefore, rank: 0},
    {name: 'digest', header: 'DIGEST', value: (c) => c.digest, rank: 0},
  ],
}
