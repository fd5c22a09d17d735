// Shows what a file, a batch or a policy would do, and signs it for others to run.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import fs from 'node:fs'
import {SvcCommand} from '../cli/command.ts'
import {yesFlag} from '../cli/flags/body-flags.ts'
import {type Result, listResult} from '../cli/output/result.ts'
import {type Approvable, describeApprovable, detectKind} from '../controls/approvable.ts'
import type {ApprovalStore} from '../controls/approval-store.ts'
import {
  NotApproved,
  checkApprovals,
  describeApproveCommand,
  findRunner,
  listShownApprovals,
  recheckEveryMs,
} from '../controls/approvals.ts'
import {type Approver, findApprover, recordWithdrawal, signApproval} from '../controls/give-approval.ts'
import type {Judges} from '../controls/limits.ts'
import {readSigners, toJudges} from '../controls/signers.ts'
import type {ApprovalKind} from '../controls/statement.ts'
import {approvalView} from '../controls/view.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {readJournal} from '../payments/journal/entries.ts'
import {fileSlotFlags, readFileSlot} from '../payouts/file/file-slot.ts'
import type {Caller} from '../profiles/caller.ts'
import type {ServiceTraits} from '../profiles/service-knowledge.ts'
import {describePlace} from '../profiles/write-gate.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {readServiceTraits} from '../transport.ts'
import {describeOperator} from '../values/operator.ts'
import {dayMs, parseDuration, toIso} from '../values/time.ts'

const validDefault = '24h'
// The longest.
const validMaxMs = 366 * dayMs
// Enough to compare two of them on the phone.
const digestShown = 24

interface ReadingFlags {
  kind: ApprovalKind | undefined
  subject: string | undefined
  prune: boolean
  all: boolean
  slot?: string | undefined
  'slot-zone'?: string | undefined
}

// What is approved, where its approvals are, and who may give them, if that is known.
interface Approving {
  caller: Caller
  traits: ServiceTraits
  approvable: Approvable
  store: ApprovalStore
  judges: Judges | undefined
}

export default class Approve extends SvcCommand {
  static override view = approvalView
  static override summary = 'Approve what somebody else is about to run, with a signature'
  static override description = `Shows what a payout file, a payment (\`svc pay -f\`), a file of rules, or a batch of the fleet would do: names, totals, payees who are new, and every field that is signed. Then it signs the meaning of the content with your SSH key, for the profile’s service (\`svc docs approvals\`).
The signature is kept in FILE.approvals/, or in the database of the journal where there is one. Other rows in other order and other blanks mean the same; any other change makes it void, and content that is restored exactly is approved again.
Keys of an agent and on hardware work: svc asks ssh-keygen to sign.`
  static override examples = [
    {description: 'Look at a payroll and approve it', command: 'svc approve payroll.csv'},
    {
      description: 'Approve a payment that runs every day, for a month',
      command: 'svc approve rent.yaml --expires-in 31d',
    },
    {description: 'Show who has approved it', command: 'svc approve payroll.csv --show'},
    {description: 'Withdraw your approval', command: 'svc approve payroll.csv --withdraw'},
    {description: 'Approve the policy that somebody proposed', command: 'svc approve --policy'},
  ]
  static override exits = getExitCodes('usage', 'limit', 'unreachable')
  static override args = {
    subject: Args.string({description: 'File, or a batch of the fleet'}),
  }
  static override flags = {
    kind: Flags.option({
      summary: 'What the file is; svc sees it from its content',
      options: ['payouts', 'payment', 'rules', 'policy'] as const,
    })(),
    policy: Flags.boolean({summary: 'Approve the version of the policy that waits for approvals'}),
    ...fileSlotFlags,
    prune: Flags.boolean({summary: 'Approve that rules which the file does not have are deleted'}),
    'expires-in': Flags.custom<number>({
      summary: `How long the approval counts (${validDefault})`,
      helpValue: 'DURATION',
      parse: async (text) => parseDuration(text, '--expires-in', validMaxMs),
    })(),
    'signing-key': Flags.string({
      summary: 'Key to sign with: a private key, or the public half of one in your agent',
      env: 'SVC_SIGNING_KEY',
      helpValue: 'FILE',
    }),
    signers: Flags.string({
      summary: 'File of those who may approve (allowed_signers of OpenSSH), where no policy is known',
      helpValue: 'FILE',
    }),
    all: Flags.boolean({summary: 'Show every row and payee, however many there are'}),
    show: Flags.boolean({summary: 'Show who has approved it, and sign nothing', exclusive: ['withdraw']}),
    withdraw: Flags.boolean({summary: 'Withdraw your approval'}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(Approve)
    if (flags.policy === (args.subject !== undefined)) {
      throw badUsage('Name a file or a batch, or give --policy', 'See `svc approve --help`; nothing was signed')
    }
    if (!flags.show && !flags.yes && !this.isInteractive) {
      throw badUsage('An approval needs a yes', 'Say --yes if you have looked at it; nothing was signed')
    }
    const caller = await this.writer()
    const traits = await readServiceTraits(caller)
    const kind = args.subject === undefined ? 'policy' : this.#detectKind(traits, args.subject, flags.kind)
    const judges = await this.#findJudges(caller, traits, kind, flags.signers)
    // A key that cannot sign is found before anything is read.
    const approver = flags.show ? undefined : await findApprover(judges, flags['signing-key'])
    const approvable = await this.#read(caller, traits, {...flags, kind, subject: args.subject})
    const approving = {caller, traits, approvable, judges, store: await this.#openStore(traits, approvable)}
    if (approver && flags.withdraw) await this.#withdraw(approving, approver)
    else if (approver) {
      if (!(flags.yes && flags.quiet)) await this.#showBox(approving, flags.all)
      await this.#sign(approving, approver, {yes: flags.yes, validMs: flags['expires-in'] ?? dayMs})
    }
    return this.#report(approving, flags.show)
  }

  // Undefined for a batch of the fleet.
  #detectKind({journal}: ServiceTraits, subject: string, given: ApprovalKind | undefined): ApprovalKind | undefined {
    if (given === undefined && isDatabase(journal) && !fs.existsSync(subject)) return undefined
    return given ?? detectKind(subject)
  }

  // Those whom the policy names. Who approves away from the journal may name a file of them.
  async #findJudges(
    {approvals}: Caller,
    {serviceId, journal}: ServiceTraits,
    kind: ApprovalKind | undefined,
    signersFile: string | undefined,
  ): Promise<Judges | undefined> {
    if (signersFile !== undefined) return toJudges(readSigners(signersFile))
    if (kind !== 'policy') return approvals?.judges
    const {readJournalPolicies} = await import('../payments/pay/propose-policy.ts')
    const judges = (await readJournalPolicies(journal)).policies.findJudges(serviceId)
    return judges && toJudges(judges.approvers)
  }

  async #read(caller: Caller, traits: ServiceTraits, flags: ReadingFlags): Promise<Approvable> {
    const {kind, subject: file = '', all: isAll} = flags
    if (kind === 'policy') return this.#readPolicy(traits, flags.subject)
    const connect = this.connector(caller)
    if (kind === undefined) {
      const {readApprovableBatch} = await import('../fleet/batches/approve-batch.ts')
      return readApprovableBatch({reference: file, traits, connect, isAll})
    }
    if (kind === 'payouts') {
      const {readApprovableFile} = await import('../payouts/file/approve-file.ts')
      const notice = (text: string) => this.notice(text)
      return readApprovableFile({file, slot: readFileSlot(flags), traits, connect, notice, isAll})
    }
    const warningPolicy = this.warningPolicy({'accept-warnings': true, 'dry-run': true})
    if (kind === 'payment') {
      const {readApprovablePlan} = await import('../payments/pay/approve-plan.ts')
      return readApprovablePlan({file, traits, connect, warningPolicy})
    }
    const [{readRuleFile, resolveRuleIds}, {describeRules}, {withPaymentContext}] = await Promise.all([
      import('../rules/rule-file.ts'),
      import('../rules/rule-controls.ts'),
      import('../payments/pay/open-context.ts'),
    ])
    const rules = await resolveRuleIds(await readRuleFile(file, warningPolicy), () => this.client(caller))
    return withPaymentContext({traits, connect}, ({client, journal}) =>
      describeRules(traits.serviceId, rules, {file, prune: flags.prune, isAll, client, journal}),
    )
  }

  // Without a file, the version that waits in the journal.
  async #readPolicy({serviceId, journal}: ServiceTraits, file: string | undefined): Promise<Approvable> {
    const [{readDataFile}, {readPolicyNumber}, {describePolicyVersion, parsePolicyFile}, {readJournalPolicies}] =
      await Promise.all([
        import('../cli/body/input-file.ts'),
        import('../controls/policy.ts'),
        import('../controls/enter-policy.ts'),
        import('../payments/pay/propose-policy.ts'),
      ])
    const {policies} = await readJournalPolicies(journal)
    if (file === undefined) return describePolicyVersion(policies, serviceId)
    const value = await readDataFile(file, {readNumber: readPolicyNumber})
    return describePolicyVersion(policies, serviceId, {file, proposal: parsePolicyFile(value, file, serviceId)})
  }

  async #openStore({journal}: ServiceTraits, {subject, file}: Approvable): Promise<ApprovalStore> {
    if (subject.kind !== 'policy' || file !== undefined) {
      const {openApprovalStore} = await import('../payments/pay/approve-plan.ts')
      return openApprovalStore(journal, subject, file)
    }
    const [{createPolicyStore}, {withJournal}] = await Promise.all([
      import('../controls/enter-policy.ts'),
      import('../payments/journal/open-journal.ts'),
    ])
    return createPolicyStore(subject, (work) => withJournal(journal, work))
  }

  async #showBox({caller, approvable, store, judges}: Approving, isAll: boolean): Promise<void> {
    const {showBox} = await import('../cli/output/box.ts')
    const {subject, name} = approvable
    const people = judges ? (await checkApprovals(store, subject, {judges, runner: undefined})).people : []
    const groups = [
      ...describeApprovable(approvable, isAll),
      [
        {label: 'Approved', lines: people.length > 0 ? people : ['by nobody yet']},
        {label: 'Digest', lines: [`${subject.digest.slice(0, digestShown)}…`]},
      ],
    ]
    await showBox({
      title: `Approve ${name} ${describePlace(caller)}`,
      isLive: caller.environment === 'live',
      groups: groups.map((facts) => facts.map(({label, lines}) => ({label, lines: lines.map((text) => ({text}))}))),
    })
  }

  #describeSigning(approver: Approver) {
    const {user, host} = describeOperator()
    return {approver, user: `${user}@${host}`, givenAt: Date.now(), isShown: this.isInteractive}
  }

  async #sign(
    {approvable, store}: Approving,
    approver: Approver,
    {yes, validMs}: {yes: boolean; validMs: number},
  ): Promise<void> {
    const {key, person} = approver
    if (!yes) {
      const {requireYes} = await import('../cli/prompts/ask.ts')
      await requireYes(`Sign it${person === undefined ? '' : ` as ${person}`}, with ${key.name}?`, 'Nothing was signed')
    }
    const signing = this.#describeSigning(approver)
    const expiresAt = signing.givenAt + validMs
    await signApproval(store, approvable.subject, {...signing, expiresAt})
    this.notice(`Approved until ${toIso(expiresAt)}, in ${store.place}.`)
  }

  async #withdraw({traits, approvable, store}: Approving, approver: Approver): Promise<void> {
    const {subject, name} = approvable
    const signed = await signApproval(store, subject, this.#describeSigning(approver))
    // Somebody who only approves has no journal, and gets none.
    const withdrawal = {...signed, name, signer: approver.person}
    await readJournal(undefined, (journal) => recordWithdrawal(journal, subject, withdrawal), traits)
    this.notice(`Withdrawn, in ${store.place}.`)
    if (subject.kind !== 'payouts') return
    this.notice(
      `Workers and runs that have begun notice it within ${recheckEveryMs / 1000} seconds, and what they start until then is paid.`,
    )
  }

  async #report({caller, traits, approvable, store, judges}: Approving, isAsked: boolean): Promise<Result> {
    if (judges === undefined) {
      this.notice('Who may approve is not known here: give --signers FILE to see whether your key is among them.')
      return undefined
    }
    const {subject, name, file} = approvable
    const isOfPolicy = subject.kind === 'policy'
    // Whoever asks is told what a run of his would be told. After somebody has signed, it is not known who will run it.
    const runner = isAsked && !isOfPolicy ? await findRunner(caller, judges) : undefined
    const check = await checkApprovals(store, subject, {judges, runner})
    const required = Math.max(1, caller.approvals?.required ?? 0)
    const command = describeApproveCommand(isOfPolicy ? undefined : name, caller.profileName)
    const isMissing = isAsked && check.people.length < required
    const failure = isMissing
      ? new NotApproved(name, {subject, required, command}, {...check, approvals: []})
      : undefined
    if (isOfPolicy && !isAsked) {
      const {announcePolicy} = await import('../payments/pay/propose-policy.ts')
      if (file === undefined) await announcePolicy({caller, traits, notice: (text) => this.notice(text)}, subject)
      else this.notice(`It is entered with \`svc policy set ${file}\`, by somebody who has the journal.`)
    }
    return this.finishWrite(listResult(listShownApprovals(check), 'approvals', approvalView, {failure}))
  }
}
