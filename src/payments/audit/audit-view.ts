// How the result of `svc journal verify` is shown.
import {type View, createColumn} from '../../cli/output/view.ts'
import type {JournalCheck} from './verify-journal.ts'

const check = createColumn<JournalCheck>

export const journalCheckView: View<JournalCheck> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    check('journal', 0),
    check('isIntact', 0, {short: 'intact', header: 'INTACT', format: (isIntact) => (isIntact === true ? 'yes' : 'NO')}),
    check('finding', 0, {format: (_, {finding}) => finding?.message}),
    check('entries', 1),
    check('decisions', 2),
    check('payments', 1),
    check('lastEntryAt', 2, {short: 'last', header: 'LAST ENTRY (UTC)'}),
    check('head', 2, {
      header: 'COMPARED WITH',
      format: (_, {head}) => head && `${head.file} of ${head.at}, ${head.entries} entries`,
    }),
    check('signature', 2, {value: ({head}) => head?.signature}),
    check('digest', 3),
    check('signed', 2, {
      header: 'SIGNED NOW',
      format: (_, {signed}) => signed && [`of ${signed.at}, by ${signed.by}`, `SHA-256 ${signed.digest}`],
    }),
    check('files', 2, {value: ({signed}) => signed?.files}),
  ],
}
