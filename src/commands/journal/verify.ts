// Verifies the chain of the journal, and signs where it ends.
import * as Flags from '@oclif/core/flags'
import {signingKeyFlag} from '../../cli/flags/shared.ts'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {journalCheckView} from '../../payments/journal/store-views.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'

export default class JournalVerify extends SvcCommand {
  static override view = journalCheckView
  static override summary = 'Verify that the journal was not changed, and sign where it ends'
  static override description = `Walks the history from its first entry to its last and names the first one that was changed, removed or inserted, or the payment whose row is not what its history says. Sends no requests, and changes nothing.
A chain cannot show that its end was cut off, or that all of it was written anew. A head that was signed before can: give it with --head. If FILE.sig is beside it, the signature is checked too.
With --sign, the head of a journal that is intact is signed by ssh-keygen (namespace svc-journal; keys of an agent or on hardware work) and written to the FILE of --out and FILE.sig. Keep them where nobody who writes the journal can change them.
With --signers, a head that none of them signed ends with 12. Without it, a good signature is shown with the fingerprint of its key: compare it.
svc checks signatures itself, without ssh-keygen.`
  static override examples = [
    {description: 'Verify the journal of the profile', command: 'svc journal verify'},
    {
      description: 'Sign where it ends, and write the head with its signature',
      command: 'svc journal verify --sign --signing-key ~/.ssh/id_ed25519 --out november.head',
    },
  ]
  static override exits = getExitCodes('usage', 'unreachable', 'finding')
  static override flags = {
    head: Flags.string({summary: 'Compare the journal with this exported head', helpValue: 'FILE'}),
    signers: Flags.string({
      summary: 'People who may sign, in OpenSSH’s format allowed_signers',
      helpValue: 'FILE',
      dependsOn: ['head'],
    }),
    sign: Flags.boolean({summary: 'Sign the head of the journal, if it is intact', dependsOn: ['out']}),
    'signing-key': signingKeyFlag,
    out: Flags.string({summary: 'Write the signed head to this file', helpValue: 'FILE', dependsOn: ['sign']}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(JournalVerify)
    const {sign, head: headFile, 'signing-key': signingKey, out = ''} = flags
    if (sign && signingKey === undefined) {
      throw badUsage('--sign needs a key', 'Name one with --signing-key FILE or SVC_SIGNING_KEY')
    }
    const signers =
      flags.signers === undefined ? undefined : (await import('../../controls/signers.ts')).readSigners(flags.signers)
    const {checkJournal} = await import('../../payments/audit/verify-journal.ts')
    const address = getJournalAddress(findCaller(this.flags.profile))
    const {check, heads, failure} = await checkJournal(address, {headFile, signers})
    if (!sign || signingKey === undefined || failure) return itemResult(check, journalCheckView, failure)
    const {signHead} = await import('../../payments/audit/head.ts')
    const signed = await signHead(heads, {signingKey, out, isShown: this.isInteractive})
    return itemResult({...check, signed}, journalCheckView)
  }
}
