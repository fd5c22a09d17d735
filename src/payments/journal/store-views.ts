// How a journal as a whole is shown: copied, created, or verified.
import {type Column, type View, createColumn, formatYesNo} from '../../cli/output/view.ts'
import type {JournalCheck} from '../audit/verify-journal.ts'
import type {JournalCopy} from './copy-journal.ts'
import type {JournalInit} from './postgres/open-postgres-journal.ts'

const createView = <T>(build: (column: typeof createColumn<T>) => Array<Column<T>>): View<T> => ({
  singular: 'journal',
  plural: 'journals',
  columns: build(createColumn<T>),
})

export const journalCopyView = createView<JournalCopy>((column) =>
  ['from', 'to', 'payments', 'historyLines', 'digest'].map((name) => column(name, 0)),
)

const formatChange = ({part, to}: JournalInit['changes'][number]) => `${part}: created (version ${to})`

export const journalInitView = createView<JournalInit>((column) => [
  column('journal', 0),
  column('changes', 0, {format: (_, {changes}) => (changes.length > 0 ? changes.map(formatChange) : 'none')}),
  column('isDurable', 0, {header: 'SURVIVES A CRASH', format: formatYesNo}),
  column('isReplicatedLater', 0, {header: 'A FAILOVER MAY LOSE PAYMENTS', format: formatYesNo}),
])

export const journalCheckView = createView<JournalCheck>((column) => [
  column('journal', 0),
  column('isIntact', 0, {short: 'intact', header: 'INTACT', format: (isIntact) => (isIntact === true ? 'yes' : 'NO')}),
  column('finding', 0, {format: (_, {finding}) => finding?.message}),
  column('entries', 1),
  column('decisions', 2),
  column('payments', 1),
  column('lastEntryAt', 2, {short: 'last', header: 'LAST ENTRY (UTC)'}),
  column('head', 2, {
    header: 'COMPARED WITH',
    format: (_, {head}) => head && `${head.file} of ${head.at}, ${head.entries} entries`,
  }),
  column('signature', 2, {value: ({head}) => head?.signature}),
  column('digest', 3),
  column('signed', 2, {
    header: 'SIGNED NOW',
    format: (_, {signed}) => signed && [`of ${signed.at}, by ${signed.by}`, `SHA-256 ${signed.digest}`],
  }),
  column('files', 2, {value: ({signed}) => signed?.files}),
])
