// How the result of creating or copying a journal is shown.
import type {View} from '../../cli/output/view.ts'
import type {JournalInit} from './postgres/init-journal.ts'

const formatChange = ({part, from, to}: JournalInit['changes'][number]) =>
  from === 0 ? `${part}: created (version ${to})` : `${part}: version ${from} to ${to}`

export const journalInitView: View<JournalInit> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    {name: 'journal', header: 'JOURNAL', value: (j) => j.journal, rank: 0},
    {
      name: 'changes',
      header: 'CHANGES',
      value: (j) => j.changes,
      format: (_, {changes}) => (changes.length > 0 ? changes.map(formatChange) : 'none'),
      rank: 0,
    },
    {
      name: 'isDurable',
      header: 'SURVIVES A CRASH',
      value: (j) => j.isDurable,
      format: (v) => (v ? 'yes' : 'no'),
      rank: 0,
    },
  ],
}
