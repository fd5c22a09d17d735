// Writes a proof of one payment to a file that needs nothing else to be verified.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {namesFlags} from '../../cli/flags/shared.ts'
import {briefReads} from '../../customers/customer-names.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {archiveFlag, proofView} from '../../payments/audit/audit-view.ts'
import type {ProofParties} from '../../payments/audit/proof.ts'
import {type JournalEntry, findEntry} from '../../payments/journal/entries.ts'
import type {Caller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {getServiceId} from '../../transport.ts'

export default class JournalProve extends SvcCommand {
  static override view = proofView
  static override summary = 'Write a proof of a payment to one file'
  static override description = `The file has what was meant, who approved it, the exact bytes that were sent, times by both clocks, every answer and list that svc read, and the links to a head of the journal with its signature. It has nothing of other payments. A page also has the names of the customer and the accounts, which are read from the service and not proven; with --no-names, and as JSON, it has ids and amounts but no personal data, and nothing is sent.
\`svc journal verify FILE\` checks it on any machine. Sign a head afterwards (\`svc journal head --signing-key KEY\`) and prove again, and the proof also shows that it was not written later.
A payment whose history was moved to an archive needs --archive FILE.`
  static override examples = [
    {description: 'Write a page to read and print', command: 'svc journal prove rent-2026-11 --out rent-2026-11.html'},
    {
      description: 'Write JSON, after the head was signed',
      command:
        'svc journal head --signing-key ~/.ssh/id_ed25519 && svc journal prove rent-2026-11 --out rent-2026-11.json',
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'notFound', 'unreachable', 'finding')
  static override args = {key: Args.string({description: 'Key of the payment', required: true})}
  static override flags = {
    out: Flags.string({summary: 'File to write, .html or .json', helpValue: 'FILE', required: true}),
    archive: archiveFlag,
    ...namesFlags,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(JournalProve)
    const {checkProofName, isPage, writeProof} = await import('../../payments/audit/write-proof.ts')
    checkProofName(flags.out)
    const caller = await this.caller()
    const journal = getJournalAddress(caller)
    const service = {serviceId: await getServiceId(caller), formerIds: caller.serviceIdentity.formerIds, journal}
    // The service may have had another id when the payment was recorded.
    const entry = await findEntry(service, args.key)
    const {place: serviceId, key} = entry
    const {version: svc} = this.config
    const parties = isPage(flags.out) && !flags['no-names'] ? await this.#readParties(entry, caller) : undefined
    const proof = await writeProof(journal, {serviceId, key}, {file: flags.out, svc, parties, archives: flags.archive})
    if (!proof) throw new Error(`the journal lost the payment ${key}`)
    return itemResult(proof, proofView)
  }

  // Undefined if no name is known.
  async #readParties(
    {customerId, source, destination}: JournalEntry,
    caller: Caller,
  ): Promise<ProofParties | undefined> {
    const {readPartyNames} = await import('../../accounts/account-names.ts')
    const names = await readPartyNames(
      () => this.client(caller, briefReads),
      [customerId],
      (text) => this.notice(text),
    )
    const found = Object.entries({
      customer: names.nameCustomer(customerId),
      from: names.describeAccount(customerId, source?.sourcePaymentAccountId),
      to: names.describeAccount(customerId, destination?.destinationPaymentAccountId),
    }).filter(([, name]) => name !== '')
    return found.length > 0 ? Object.fromEntries(found) : undefined
  }
}
