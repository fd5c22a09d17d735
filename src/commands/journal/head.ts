// Exports the head of the journal, and signs it.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {headView} from '../../payments/audit/audit-view.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'

export default class JournalHead extends SvcCommand {
  static override view = headView
  static override summary = 'Export the head of the journal, and sign it'
  static override description = `A head says where the history ends now. Kept where nobody who writes the journal can change it, it shows later whether anything before it was changed or cut off: \`svc journal verify --head FILE\`.
The journal is verified first. With --signing-key, the head is signed by ssh-keygen (namespace svc-journal; keys of an agent or on hardware work), the signature is written to FILE.sig, and both are recorded in the journal, so that proofs of earlier payments have them.`
  static override examples = [
    {description: 'Show where the history ends', command: 'svc journal head'},
    {
      description: 'Sign the head, and export it with its signature',
      command: 'svc journal head --signing-key ~/.ssh/id_ed25519 --out november.head',
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'unreachable', 'finding')
  static override flags = {
    out: Flags.string({summary: 'Write the head to this file', helpValue: 'FILE'}),
    'signing-key': Flags.string({
      summary: 'Sign the head with this key: a private key, or the public half of one in your agent',
      helpValue: 'KEY',
    }),
    why: Flags.string({summary: 'Reason, recorded with the signature', helpValue: 'TEXT', dependsOn: ['signing-key']}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(JournalHead)
    const {exportHead} = await import('../../payments/audit/write-proof.ts')
    const address = getJournalAddress(findCaller(this.flags.profile))
    const {out, 'signing-key': signingKey, why} = flags
    return itemResult(await exportHead(address, {out, signingKey, why, isShown: this.isInteractive}), headView)
  }
}
