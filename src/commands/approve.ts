// Shows what a file, a batch or a policy would do, and signs it for others to run.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import fs from 'node:fs'
import * as approvals from '../controls/approvals.ts'
import {signingKeyFlag} from '../cli/flags/shared.ts'
import {SvcCommand} from '../cli/command.ts'
import {yesFlag} from '../cli/flags/body-flags.ts'
import {showBox} from '../cli/output/box.ts'
import {type Result, listResult} from '../cli/output/result.ts'
import {type Approvable, describeApprovable, detectKind} from '../controls/approvable.ts'
import type {ApprovalStore} from '../controls/approval-store.ts'
import {machineClock} from '../controls/both-clocks.ts'
import {describePolicyVersion} from '../controls/enter-policy.ts'
import {type Approver, findApprover, recordWithdrawal, signApproval} from '../controls/give-approval.ts'
import type {Signer} from '../controls/limits.ts'
import {readSigners} from '../controls/signers.ts'
import {type ApprovalKind, approvalKinds} from '../controls/statement.ts'
import {approvalView} from '../controls/view.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {readJournal} from '../payments/journal/walk.ts'
import {openApprovalStore, readApprovablePlan} from '../payments/context/approve-plan.ts'
import {
  announcePolicy,
  openPolicyStore,
  readJournalPolicies,
  readPolicyFile,
} from '../payments/context/propose-policy.ts'
import {fileSlotFlags, readFileSlot} from '../payouts/file/file-slot.ts'
import type {Caller} from '../profiles/caller.ts'
import type {ServiceTraits} from '../profiles/service.ts'
import {describePlace} from '../profiles/write-gate.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {readServiceTraits} from '../transport.ts'
import {svc} from '../values/text.ts'
import {leapYearMs, parseDuration, toIso} from '../values/time.ts'

const validDefault = '24h'
const validMaxMs = leapYearMs
// Enough to compare two of them on the phone.
const digestShown = 24

// What is approved, where its approvals are, and who may give them, if that is known.
interface Approving {
  caller: Caller
  traits: ServiceTraits
  approvable: Approvable
  store: ApprovalStore
  approvers: readonly Signer[] | undefined
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
  ]
  static override exits = getExitCodes('usage', 'unreachable', 'limit')
  static override args = {
    subject: Args.string({description: 'File, or a batch of the fleet'}),
  }
  static override flags = {
    kind: Flags.option({
      summary: 'What the file is; svc sees it from its content',
      options: approvalKinds,
    })(),
    policy: Flags.boolean({summary: 'Approve the version of the policy that waits for approvals'}),
    ...fileSlotFlags,
    prune: Flags.boolean({summary: 'Approve that rules which the file does not have are deleted'}),
    'expires-in': Flags.custom<number>({
      summary: `How long the approval counts (${validDefault})`,
      helpValue: 'DURATION',
      parse: async (text) => parseDuration(text, '--expires-in', validMaxMs),
    })(),
    'signing-key': signingKeyFlag,
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
    const {subject: name} = args
    if (name === undefined ? !flags.policy : flags.policy) {
      throw badUsage('Name a file or a batch, or give --policy', 'See `svc approve --help`; nothing was signed')
    }
    if (!flags.show && !flags.yes && !this.isInteractive) {
      throw badUsage('An approval needs a yes', 'Say --yes if you have looked at it; nothing was signed')
    }
    const caller = await this.writer()
    const traits = await readServiceTraits(caller)
    const {serviceId, journal} = traits
    const isBatch = name !== undefined && !flags.kind && isDatabase(journal) && !fs.existsSync(name)
    const kind = name === undefined ? 'policy' : isBatch ? 'batch' : (flags.kind ?? detectKind(name))
    const policies = kind === 'policy' ? (await readJournalPolicies(journal)).policies : undefined
    const named = policies ? policies.findJudges(serviceId)?.approvers : caller.approvals?.approvers
    // Who approves away from the journal may name a file of those who may.
    const approvers = flags.signers === undefined ? named : readSigners(flags.signers)
    // A key that cannot sign is found before anything is read.
    const approver = flags.show ? undefined : await findApprover(approvers, flags['signing-key'])
    const given = policies && name !== undefined ? await readPolicyFile(name, serviceId) : undefined
    const approvable = policies
      ? describePolicyVersion(policies, serviceId, given && {file: name ?? '', proposal: given})
      : await this.#read(caller, traits, kind, name ?? '', flags)
    const {subject, file} = approvable
    const store =
      policies && file === undefined
        ? openPolicyStore(journal, subject)
        : await openApprovalStore(journal, subject, file, undefined)
    const approving = {caller, traits, approvable, store, approvers}
    if (approver) {
      if (!flags.withdraw && !(flags.yes && flags.quiet)) await this.#showBox(approving, flags.all)
      await this.#sign(approving, approver, flags)
    }
    return this.#report(approving, flags.show)
  }

  async #read(
    caller: Caller,
    traits: ServiceTraits,
    kind: ApprovalKind | 'batch',
    file: string,
    flags: Parameters<typeof readFileSlot>[0] & {prune: boolean; all: boolean},
  ): Promise<Approvable> {
    const connect = this.connector(caller)
    const isAll = flags.all
    if (kind === 'batch') {
      const {readApprovableBatch} = await import('../fleet/guard.ts')
      return readApprovableBatch({traits, connect}, file, isAll)
    }
    if (kind === 'payouts') {
      const {readApprovableFile} = await import('../payouts/file/approve-file.ts')
      return readApprovableFile({file, slot: readFileSlot(flags), traits, connect, isAll})
    }
    const warningPolicy = this.warningPolicy({'accept-warnings': true, 'dry-run': true})
    if (kind === 'payment') return readApprovablePlan(file, {traits, connect})
    const [{readRuleFile}, {describeRules}, {withPaymentContext}] = await Promise.all([
      import('../rules/rule-file.ts'),
      import('../rules/rule-controls.ts'),
      import('../payments/context/open-context.ts'),
    ])
    const rules = await readRuleFile(file, warningPolicy)
    return withPaymentContext({traits, connect}, ({client, journal}) =>
      describeRules(traits.serviceId, rules, {file, prune: flags.prune, isAll, client, journal}),
    )
  }

  async #showBox({caller, approvable, store, approvers}: Approving, isAll: boolean): Promise<void> {
    const {subject, name} = approvable
    const rules = approvers && {approvers, runner: undefined, clock: machineClock}
    const people = rules ? (await approvals.checkApprovals(store, subject, rules)).people : []
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

  async #sign(
    {traits, approvable: {subject, name}, store}: Approving,
    approver: Approver,
    flags: {yes: boolean; withdraw: boolean; 'expires-in'?: number | undefined},
  ): Promise<void> {
    const {key, person} = approver
    if (!flags.yes && !flags.withdraw) {
      const {requireYes} = await import('../cli/prompts/ask.ts')
      await requireYes(`Sign it${person === undefined ? '' : ` as ${person}`}, with ${key.name}?`, 'Nothing was signed')
    }
    const givenAt = Date.now()
    const expiresAt = flags.withdraw
      ? undefined
      : givenAt + (flags['expires-in'] ?? parseDuration(validDefault, '--expires-in'))
    const signed = await signApproval(store, subject, {approver, givenAt, expiresAt, isShown: this.isInteractive})
    if (expiresAt !== undefined) return this.notice(`Approved until ${toIso(expiresAt)}, in ${store.place}.`)
    // Somebody who only approves has no journal, and gets none.
    const withdrawal = {...signed, name, signer: person}
    await readJournal(undefined, (journal) => recordWithdrawal(journal, subject, withdrawal), traits)
    this.notice(`Withdrawn, in ${store.place}.`)
    if (subject.kind !== 'payouts') return
    this.notice(
      `Workers and runs that have begun notice it within ${approvals.recheckEveryMs / 1000} seconds, and what they start until then is paid.`,
    )
  }

  async #report({caller, traits, approvable, store, approvers}: Approving, isAsked: boolean): Promise<Result> {
    if (!approvers) {
      this.notice('Who may approve is not known here: give --signers FILE to see whether your key is among them.')
      return undefined
    }
    const {subject, name, file} = approvable
    const isOfPolicy = subject.kind === 'policy'
    // Whoever asks is told what a run of his would be told. After somebody has signed, it is not known who will run it.
    const runner = isAsked && !isOfPolicy ? await approvals.findRunner(caller, approvers) : undefined
    const check = await approvals.checkApprovals(store, subject, {approvers, runner, clock: machineClock})
    const required = Math.max(1, caller.approvals?.required ?? 0)
    const command = approvals.describeApproveCommand(isOfPolicy ? undefined : name, caller.profileName)
    const demand = {subject, required, command}
    const isMissing = isAsked && check.people.length < required
    const failure = isMissing ? new approvals.NotApproved(name, demand, {...check, approvals: []}) : undefined
    if (isOfPolicy && !isAsked) {
      if (file === undefined) await announcePolicy({caller, traits, notice: (text) => this.notice(text)}, subject)
      else this.notice(`It is entered with ${svc`policy set ${file}`}, by somebody who has the journal.`)
    }
    return this.finishWrite(listResult(approvals.listShownApprovals(check), 'approvals', approvalView, {failure}))
  }
}
