// Shows what a file, a batch or a policy would do, and signs it for others to run.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import fs from 'node:fs'
import type {ApprovalStore} from '../controls/approval-store.ts'
import {type Approvable, type FileKind, describeApprovable, detectKind} from '../controls/approvable.ts'
import {checkApprovals, createNotApprovedError, listShownApprovals} from '../controls/check-approvals.ts'
import type {Judges} from '../controls/limits.ts'
import {readSigners, toJudges} from '../controls/signers.ts'
import {type Approver, findApprover, giveApproval, withdrawApproval} from '../controls/give-approval.ts'
import {approvalView} from '../controls/view.ts'
import {SvcCommand} from '../cli/command.ts'
import {yesFlag} from '../cli/flags/body-flags.ts'
import type {Box} from '../cli/output/box.ts'
import {type Result, listResult} from '../cli/output/result.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {
  describeApproveCommand,
  describeApprovePolicy,
  findRunner,
  recheckEveryMs,
  withApprovalStore,
} from '../payments/controls/require-approval.ts'
import {fileSlotFlags, readFileSlot} from '../payouts/file/file-slot.ts'
import type {Caller} from '../profiles/caller.ts'
import {describeOperator} from '../values/operator.ts'
import type {ServiceTraits} from '../profiles/service-knowledge.ts'
import {describePlace} from '../profiles/write-gate.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {readServiceTraits} from '../transport.ts'
import {dayMs, parseDuration, toIso} from '../values/time.ts'

const validDefault = '24h'
// The longest.
const validMaxMs = 366 * dayMs
// Enough to compare two of them on the phone.
const digestShown = 24

interface ReadingFlags {
  kind: FileKind | undefined
  subject: string | undefined
  prune: boolean
  all: boolean
  slot?: string | undefined
  'slot-zone'?: string | undefined
  'accept-warnings'?: boolean
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
    const judges = await this.#findJudges(caller, traits, {kind, signersFile: flags.signers})
    // A key that cannot sign is found before anything is read.
    const approver = flags.show ? undefined : await findApprover(judges, flags['signing-key'])
    const approvable = await this.#read(caller, traits, {...flags, kind, subject: args.subject})
    return this.#withStore(traits, approvable, async (store) => {
      if (approver && flags.withdraw) await this.#withdraw(store, traits, {approvable, approver})
      else if (approver) {
        if (!(flags.yes && flags.quiet)) await this.#showBox(caller, store, {approvable, judges, isAll: flags.all})
        await this.#sign(store, {approvable, approver}, {yes: flags.yes, validMs: flags['expires-in'] ?? dayMs})
      }
      return this.#report(caller, store, {approvable, judges, isAsked: flags.show})
    })
  }

  // Undefined for a batch of the fleet.
  #detectKind({journal}: ServiceTraits, subject: string, given: FileKind | undefined): FileKind | undefined {
    if (given === undefined && isDatabase(journal) && !fs.existsSync(subject)) return undefined
    return given ?? detectKind(subject)
  }

  // Those whom the policy names. Who approves away from the journal may name a file of them.
  async #findJudges(
    {approvals}: Caller,
    {serviceId, journal}: ServiceTraits,
    {kind, signersFile}: {kind: FileKind | undefined; signersFile: string | undefined},
  ): Promise<Judges | undefined> {
    if (signersFile !== undefined) return toJudges(readSigners(signersFile))
    if (kind !== 'policy') return approvals?.judges
    const {readJournalPolicies} = await import('../payments/controls/read-policies.ts')
    const judges = (await readJournalPolicies(journal)).policies.findJudges(serviceId)
    return judges && toJudges(judges.approvers)
  }

  async #read(caller: Caller, traits: ServiceTraits, flags: ReadingFlags): Promise<Approvable> {
    const {kind, subject = ''} = flags
    if (kind === 'policy') {
      const {readApprovablePolicy} = await import('../payments/controls/approve-policy.ts')
      return readApprovablePolicy(traits, flags.subject)
    }
    const connect = this.connector(caller)
    if (kind === undefined) {
      const {readApprovableBatch} = await import('../fleet/batches/approve-batch.ts')
      return readApprovableBatch({reference: subject, traits, connect, isAll: flags.all})
    }
    if (kind === 'payouts') {
      const {readApprovableFile} = await import('../payouts/file/approve-file.ts')
      const notice = (text: string) => this.notice(text)
      return readApprovableFile({file: subject, slot: readFileSlot(flags), traits, connect, notice, isAll: flags.all})
    }
    const warningPolicy = this.warningPolicy({'accept-warnings': true, 'dry-run': true})
    if (kind === 'payment') {
      const {readApprovablePlan} = await import('../payments/pay/read-approvable-plan.ts')
      return readApprovablePlan({file: subject, traits, connect, warningPolicy})
    }
    const [{readRuleFile, resolveRuleIds}, {describeRules}, {withPaymentContext}] = await Promise.all([
      import('../rules/rule-file.ts'),
      import('../rules/rule-controls.ts'),
      import('../payments/pay/open-context.ts'),
    ])
    const rules = await resolveRuleIds(await readRuleFile(subject, warningPolicy), () => this.client(caller))
    const settings = {file: subject, prune: flags.prune, isAll: flags.all}
    return withPaymentContext({traits, connect}, ({client, journal}) =>
      describeRules(traits.serviceId, rules, {...settings, client, journal}),
    )
  }

  async #withStore<T>(
    {journal}: ServiceTraits,
    {subject, file}: Approvable,
    work: (store: ApprovalStore) => Promise<T>,
  ): Promise<T> {
    if (subject.kind !== 'policy' || file !== undefined) return withApprovalStore(journal, {subject, file}, work)
    const {withPolicyStore} = await import('../payments/controls/approve-policy.ts')
    return withPolicyStore(journal, subject, work)
  }

  async #showBox(
    caller: Caller,
    store: ApprovalStore,
    {approvable, judges, isAll}: {approvable: Approvable; judges: Judges | undefined; isAll: boolean},
  ): Promise<void> {
    const {showBox} = await import('../cli/output/box.ts')
    const groups = describeApprovable(approvable, isAll)
    const people =
      judges === undefined ? [] : (await checkApprovals(store, approvable.subject, {judges, runner: undefined})).people
    const toRow = ({label, lines}: {label: string; lines: readonly string[]}) => ({
      label,
      lines: lines.map((text) => ({text})),
    })
    const box: Box = {
      title: `Approve ${approvable.name} ${describePlace(caller)}`,
      isLive: caller.environment === 'live',
      groups: [
        ...groups.map((facts) => facts.map(toRow)),
        [
          toRow({label: 'Approved', lines: people.length > 0 ? people : ['by nobody yet']}),
          toRow({label: 'Digest', lines: [`${approvable.subject.digest.slice(0, digestShown)}…`]}),
        ],
      ],
    }
    await showBox(box)
  }

  async #sign(
    store: ApprovalStore,
    {approvable, approver}: {approvable: Approvable; approver: Approver},
    {yes, validMs}: {yes: boolean; validMs: number},
  ): Promise<void> {
    const {key, person} = approver
    if (!yes) {
      const {requireYes} = await import('../cli/prompts/ask.ts')
      await requireYes(`Sign it${person === undefined ? '' : ` as ${person}`}, with ${key.name}?`, 'Nothing was signed')
    }
    const nowMs = Date.now()
    const {user, host} = describeOperator()
    const signing = {approver, user: `${user}@${host}`, nowMs, isShown: this.isInteractive, validMs}
    await giveApproval(store, approvable.subject, signing)
    this.notice(`Approved until ${toIso(nowMs + validMs)}, in ${store.place}.`)
  }

  async #withdraw(
    store: ApprovalStore,
    {journal}: ServiceTraits,
    {approvable, approver}: {approvable: Approvable; approver: Approver},
  ): Promise<void> {
    const {user, host} = describeOperator()
    const signing = {approver, user: `${user}@${host}`, nowMs: Date.now(), isShown: this.isInteractive}
    const withdrawn = await withdrawApproval(store, approvable.subject, signing)
    const {recordWithdrawal} = await import('../payments/controls/require-approval.ts')
    await recordWithdrawal(journal, {...withdrawn, name: approvable.name, signer: approver.person})
    this.notice(`Withdrawn, in ${store.place}.`)
    if (approvable.subject.kind !== 'payouts') return
    this.notice(
      `Workers and runs that have begun notice it within ${recheckEveryMs / 1000} seconds, and what they start until then is paid.`,
    )
  }

  async #report(
    caller: Caller,
    store: ApprovalStore,
    {approvable, judges, isAsked}: {approvable: Approvable; judges: Judges | undefined; isAsked: boolean},
  ): Promise<Result> {
    if (judges === undefined) {
      this.notice('Who may approve is not known here: give --signers FILE to see whether your key is among them.')
      return undefined
    }
    const {subject, name} = approvable
    // Whoever asks is told what a run of his would be told. After somebody has signed, it is not known who will run it.
    const runner = await findRunner(caller, judges)
    const isOfPolicy = subject.kind === 'policy'
    const check = await checkApprovals(store, subject, {judges, runner: isAsked && !isOfPolicy ? runner : undefined})
    const required = Math.max(1, caller.approvals?.required ?? 0)
    const isMissing = isAsked && check.people.length < required
    const command = isOfPolicy ? describeApprovePolicy(caller) : describeApproveCommand(caller, name)
    const demand = {subject, store, required, judges, runner, what: name, command}
    const failure = isMissing ? createNotApprovedError(demand, {...check, approvals: []}) : undefined
    if (isOfPolicy && !isAsked) await this.#announcePolicy(caller, approvable)
    return this.finishWrite(listResult(listShownApprovals(check), 'approvals', approvalView, {failure}))
  }

  // Says whether the policy came into force, and lets others know.
  async #announcePolicy(caller: Caller, {subject, file}: Approvable): Promise<void> {
    if (file !== undefined) {
      this.notice(`It is entered with \`svc policy set ${file}\`, by somebody who has the journal.`)
      return
    }
    const traits = await readServiceTraits(caller)
    const {announcePolicy} = await import('../payments/controls/approve-policy.ts')
    await announcePolicy({caller, traits, notice: (text) => this.notice(text)}, subject)
  }
}
