// Copies a journal from a file to a PostgreSQL database, and verifies the copy.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {journalCopyView} from '../../payments/journal/store-views.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {type JournalAddress, isDatabase, parseJournalAddress} from '../../storage/journal-address.ts'

export default class JournalCopy extends SvcCommand {
  static override view = journalCopyView
  static override summary = 'Copy a journal from a file to a PostgreSQL database'
  static override description = `Copies every payment and its history, all or nothing, and verifies the copy. The file stays as it is. Copy while no svc uses it, then name the database in SVC_JOURNAL or in the profile.
The database must have an empty journal (\`svc journal init\`).`
  static override examples = [
    {
      description: 'Move the journal of this machine to a shared database',
      command: 'svc journal copy --from ~/.local/state/svc/journal.sqlite --to postgres://svc@db.example.com/svc',
    },
    {
      description: 'Print the digest of a copy, which is also that of the file',
      command: 'svc journal copy --from journal.sqlite --to postgres://svc@db.example.com/svc --jq .digest',
    },
  ]
  static override exits = getExitCodes('usage', 'unreachable', 'pending')
  static override flags = {
    from: Flags.string({summary: 'File of the journal to copy', helpValue: 'FILE', required: true}),
    to: Flags.string({
      summary: 'Database that receives it: postgres://USER@HOST/DATABASE, without a password',
      helpValue: 'ADDRESS',
      required: true,
    }),
  }

  async run() {
    const {flags} = await this.parse(JournalCopy)
    const [from, to] = [parseJournalAddress(flags.from, '--from'), parseJournalAddress(flags.to, '--to')]
    if (isDatabase({text: from})) throw badUsage('--from is a database, but only a file can be copied', 'Name a file')
    if (!isDatabase({text: to})) throw badUsage('--to is a file, but the copy is a database', 'Write postgres://…')
    const {copyJournal} = await import('../../payments/journal/copy-journal.ts')
    return itemResult(await copyJournal(from, this.#findAddress(to)), journalCopyView)
  }

  // The password command of the profile, or of the environment, is for its own journal alone.
  #findAddress(text: string): JournalAddress {
    const own = getJournalAddress(findCaller(this.flags.profile))
    return own.text === text ? own : {text}
  }
}
