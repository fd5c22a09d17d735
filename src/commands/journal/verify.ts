// Verifies the chain of the journal, or a proof of one payment.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {archiveFlag, journalCheckView, proofCheckView} from '../../payments/audit/audit-view.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'

export default class JournalVerify extends SvcCommand {
  static override view = journalCheckView
  static override summary = 'Verify that the journal, or a proof of a payment, was not changed'
  static override description = `Walks the history from its first entry to its last and names the first one that was changed, removed or inserted, or the payment whose row is not what its history says. Sends no requests and changes nothing.
Entries that \`svc journal archive --prune\` moved to archives are counted and not checked; --archive FILE, which can be repeated, checks those of that file.
A chain cannot show that its end was cut off, or that all of it was written anew. A head that was exported before can: give it with --head. If FILE.sig is beside it, the signature is checked too.
With --only-after, what the head covers is not read again: the head has to be one that was verified, and its entries have to be there.
With the file of a proof (\`svc journal prove\`), that file alone is checked, without a journal or a profile.
With --signers, a head that none of them signed ends with 12: in the file of --head, in a proof, or if the journal has no signed head at all. Without it, a good signature is shown with the fingerprint of its key: compare it.
svc checks signatures itself, without ssh-keygen.`
  static override examples = [
    {description: 'Verify the journal of the profile', command: 'svc journal verify'},
    {
      description: 'Verify that nothing before a signed head was changed',
      command: 'svc journal verify --head november.head --signers allowed_signers',
    },
    {
      description: 'Verify what was written since the last time, however long the journal is',
      command: 'svc journal verify --head november.head --only-after',
    },
    {
      description: 'Verify the journal with the history that was moved to an archive',
      command: 'svc journal verify --archive before-2026-10.jsonl',
    },
    {description: 'Verify a proof, on any machine', command: 'svc journal verify rent-2026-11.html'},
  ]
  static override exits = getExitCodes('done', 'usage', 'unreachable', 'finding')
  static override args = {file: Args.string({description: 'File of a proof; the journal by default'})}
  static override flags = {
    head: Flags.string({summary: 'Compare the journal with this exported head', helpValue: 'FILE'}),
    'only-after': Flags.boolean({
      summary: 'Verify only what was written after the head of --head, and the payments that it changed',
      dependsOn: ['head'],
    }),
    archive: archiveFlag,
    signers: Flags.string({
      summary: 'People who may sign, in OpenSSH’s format allowed_signers',
      helpValue: 'FILE',
    }),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(JournalVerify)
    if (args.file !== undefined && flags.head !== undefined) {
      throw badUsage('A proof has its own head', 'Leave out --head, or the file')
    }
    if (args.file !== undefined && flags.archive) {
      throw badUsage('A proof has all the entries that it needs', 'Leave out --archive, or the file')
    }
    const signers = flags.signers === undefined ? undefined : await readSigners(flags.signers)
    if (args.file !== undefined) return this.#verifyProof(args.file, signers)
    const {checkJournal} = await import('../../payments/audit/check-journal.ts')
    const address = getJournalAddress(findCaller(this.flags.profile))
    const {check, failure} = await checkJournal(address, {
      headFile: flags.head,
      isOnlyAfter: flags['only-after'],
      archives: flags.archive,
      signers,
    })
    return itemResult(check, journalCheckView, failure)
  }

  async #verifyProof(file: string, signers: Awaited<ReturnType<typeof readSigners>> | undefined): Promise<Result> {
    const {checkProof} = await import('../../payments/audit/verify-proof.ts')
    const {check, failure} = checkProof(file, {signers, version: this.config.version})
    return itemResult(check, proofCheckView, failure)
  }
}

const readSigners = async (file: string) => (await import('../../controls/signers.ts')).readSigners(file)
