// Writes a part of the journal's history to a file, and with --prune removes it from the journal.
import * as Flags from '@oclif/core/flags'
import {periodFlags} from '../../books/collect.ts'
import {SvcCommand} from '../../cli/command.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {archiveView} from '../../payments/audit/audit-view.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {countNoun} from '../../values/text.ts'
import {toInstantMs} from '../../values/time.ts'

export default class JournalArchive extends SvcCommand {
  static override view = archiveView
  static override summary = 'Write history to an archive, and remove it from the journal'
  static override description = `Writes the entries of a month, or all before a day (UTC), as JSON lines, and verifies the journal and the file. Without --prune, nothing is changed.
With --prune, the file has what nobody needs any more, and the journal loses it: the history of payments that ended (CREATED, STOPPED, REJECTED, ABANDONED) and were changed before the day for the last time. The payments themselves stay, so no key can be paid twice. What people decided and the history of open payments stay too. A database lets its owner alone remove history.
Keep the archive: \`svc journal verify\` works without it and says what it did not check; with --archive FILE it checks that too.`
  static override examples = [
    {description: 'Export a month', command: 'svc journal archive --month 2026-10 --out 2026-10.jsonl'},
    {
      description: 'Move the history before October out of the journal',
      command: "svc journal archive --before 2026-10-01 --prune --out before-2026-10.jsonl --why 'ticket 4711'",
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'unreachable', 'pending', 'finding')
  static override flags = {
    month: {...periodFlags.month, summary: 'Entries of this month in UTC, such as 2026-10', exclusive: ['before']},
    before: Flags.custom<number>({
      summary: 'Entries before this day in UTC, such as 2026-10-01',
      helpValue: 'DAY',
      parse: async (text) => parseDay(text),
    })(),
    out: Flags.string({summary: 'File to write, a new one', helpValue: 'FILE', required: true}),
    prune: Flags.boolean({summary: 'Remove from the journal what is in the archive', dependsOn: ['before']}),
    why: Flags.string({summary: 'Reason, recorded in the journal', helpValue: 'TEXT', dependsOn: ['prune']}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(JournalArchive)
    const {month, before, out: file, prune, why, yes} = flags
    // A month of the environment does not stand in for the day of --prune.
    const period = before === undefined ? month : {untilMs: before}
    if (period?.untilMs === undefined) throw badUsage('Which part of the history is missing', 'Add --month or --before')
    if (prune && !yes && !this.isInteractive) {
      throw badUsage('Removing history needs confirmation', 'Add --yes to confirm; nothing was changed')
    }
    const [{archiveHistory}, {rejectExisting}] = await Promise.all([
      import('../../payments/audit/archive-journal.ts'),
      import('../../storage/write-whole-file.ts'),
    ])
    rejectExisting(file)
    const address = getJournalAddress(findCaller(this.flags.profile))
    const confirm = (found: {entries: number; payments: number}) => yes || this.#askToPrune(found, address.text)
    const archive = await archiveHistory(address, {
      file,
      svc: this.config.version,
      sinceMs: period.sinceMs,
      beforeMs: period.untilMs,
      pruning: prune ? {why, confirm: async (found) => confirm(found)} : undefined,
    })
    if (prune && archive.entries === 0) this.notice('No payment has ended before then, so nothing was archived.')
    else if (prune && !archive.isPruned) this.notice('Nothing was removed, and no archive was kept.')
    return prune ? this.finishWrite(itemResult(archive, archiveView)) : itemResult(archive, archiveView)
  }

  async #askToPrune({entries, payments}: {entries: number; payments: number}, journal: string): Promise<boolean> {
    const {askYes} = await import('../../cli/prompts/ask.ts')
    const what = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${countNoun(payments, 'payment')}`
    return askYes(`Remove ${what} from ${journal}, which are in the archive now? The payments stay.`)
  }
}

function parseDay(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? toInstantMs(text) : undefined
  if (ms === undefined) throw badUsage(`--before "${text}" is not a day`, 'Write it as 2026-10-01')
  if (ms > Date.now()) throw badUsage(`--before ${text} is in the future`, 'Name today or an earlier day')
  return ms
}
