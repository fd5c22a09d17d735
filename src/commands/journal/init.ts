// Creates the journal in a PostgreSQL database.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {journalInitView} from '../../payments/journal/store-views.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {isDatabase} from '../../storage/journal-address.ts'
import {lowerFirst} from '../../values/text.ts'

export default class JournalInit extends SvcCommand {
  static override view = journalInitView
  static override summary = 'Create the journal in a PostgreSQL database'
  static override description = `Creates the schema \`svc\` in the database that SVC_JOURNAL or the profile names (\`svc profiles set NAME --journal postgres://…\`), with the tables of the fleet. It can be repeated, and changes nothing that is there. Every other command refuses a database that has no journal.
The role needs the right to create a schema in the database, not more. With --worker, another role gets what it needs to do everything else: it can add approvals and history, and change or remove none (docs/postgres.md).
The password comes from PGPASSWORD, a pgpass file (PGPASSFILE, ~/.pgpass) or a command (SVC_JOURNAL_PASSWORD_COMMAND, --journal-password-command of the profile), never from the address.`
  static override examples = [
    {
      description: 'Create the journal that the environment names',
      command: 'SVC_JOURNAL=postgres://svc@db.example.com/svc svc journal init',
    },
    {description: 'Let another role do the rest', command: 'svc journal init -p acme --worker svc_worker'},
  ]
  static override exits = getExitCodes('usage', 'unreachable')
  static override flags = {
    worker: Flags.string({summary: 'Grant this role what workers need, and nothing else', helpValue: 'ROLE'}),
    'dry-run': Flags.boolean({summary: 'Show what would change, and change nothing', env: 'SVC_DRY_RUN'}),
  }

  async run() {
    const {flags} = await this.parse(JournalInit)
    const address = getJournalAddress(findCaller(this.flags.profile))
    if (!isDatabase(address)) {
      throw badUsage(
        `The journal is the file ${address.text}, which svc creates by itself`,
        'To use a database, set SVC_JOURNAL=postgres://…, or `svc profiles set NAME --journal postgres://…`',
      )
    }
    const [
      {grantJournal, initJournal},
      {replicationWarning},
      {journalPart},
      {fleetPart},
      {approvalsPart},
      {initQueue},
    ] = await Promise.all([
      import('../../payments/journal/postgres/open-postgres-journal.ts'),
      import('../../storage/postgres/schema-parts.ts'),
      import('../../payments/journal/postgres/postgres-journal.ts'),
      import('../../fleet/open-fleet.ts'),
      import('../../controls/approval-store.ts'),
      import('../../fleet/queue.ts'),
    ])
    const options = {isDryRun: flags['dry-run']}
    const result = await initJournal(address, [journalPart, fleetPart, approvalsPart], options)
    const queueChange = await initQueue(address, options)
    if (queueChange) result.changes.push(queueChange)
    if (flags.worker !== undefined && !flags['dry-run']) await grantJournal(address, flags.worker)
    if (!result.isDurable) {
      this.notice(
        'Warning: the server has fsync or full_page_writes off: a crash of its machine loses payments from the journal, which may then be paid again.',
      )
    }
    if (result.isReplicatedLater) this.notice(`Warning: ${lowerFirst(replicationWarning)}.`)
    if (flags['dry-run']) this.notice('Nothing was changed.')
    const shown = itemResult(result, journalInitView)
    return flags['dry-run'] ? shown : this.finishWrite(shown)
  }
}
