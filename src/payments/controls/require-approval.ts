// Makes sure that enough people have approved what is about to be paid, where the profile wants it.
import path from 'node:path'
import {type ApprovalStore, getApprovalFolder, openFileStore} from '../../controls/approval-store.ts'
import {
  type ApprovalDemand,
  type CheckedApproval,
  type Runner,
  requireApprovals,
  toEvidence,
} from '../../controls/check-approvals.ts'
import {needsApproval} from '../../controls/check-spending.ts'
import type {Judges} from '../../controls/limits.ts'
import {listOwnPublicKeys} from '../../controls/signatures.ts'
import {type ApprovalSubject, type Statement, renderStatement} from '../../controls/statement.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describeOperator} from '../../values/operator.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {quoteForShell} from '../../values/text.ts'
import type {Journal} from '../journal/journal.ts'
import {withJournal} from '../journal/open-journal.ts'
import {hasJournalFile} from '../journal/sqlite/file.ts'
import {findHeldPayees, getCoolDownRules} from '../pay/objections.ts'

export interface ApprovalRequest {
  caller: Caller
  journal: JournalAddress
  subject: ApprovalSubject
  // What it pays, by currency. Absent for what pays again and again, which always needs approvals.
  sums?: ReadonlyArray<{currency: string; amount: string}> | undefined
  // What it is read from: a file, or a batch of the fleet.
  file?: string | undefined
  // The slot of the file, if it has one.
  slot?: string | undefined
  batch?: string | undefined
}

// The outcome for something that may be paid.
export interface Approval {
  // Those that count.
  approvals: CheckedApproval[]
  // Whether enough people approved it, so that new payees in it need not wait.
  isApproved: boolean
  // Looks again whether they still do, and returns the error if not. Absent if nobody has to approve it.
  recheck?: (() => Promise<SvcError | undefined>) | undefined
}

// How soon a withdrawn approval is noticed.
export const recheckEveryMs = 5_000

// The one who runs svc, with the approvers that he is by the keys that he has or had.
export async function findRunner({binding}: Pick<Caller, 'binding'>, {findPerson}: Judges): Promise<Runner> {
  const {user, host} = describeOperator()
  const known = binding?.runner ?? {user: `${user}@${host}`, approvers: []}
  const byKeys = (await listOwnPublicKeys()).flatMap((key) => findPerson(key) ?? [])
  return {...known, approvers: [...new Set([...known.approvers, ...byKeys])]}
}

export const describeApproveCommand = ({profileName}: Pick<Caller, 'profileName'>, what: string, slot?: string) =>
  [
    `svc approve ${quoteForShell(what)}`,
    ...(slot === undefined ? [] : [`--slot ${slot}`]),
    ...(profileName === undefined ? [] : [`-p ${quoteForShell(profileName)}`]),
  ].join(' ')

export const describeApprovePolicy = ({profileName}: Pick<Caller, 'profileName'>) =>
  `svc approve --policy${profileName === undefined ? '' : ` -p ${quoteForShell(profileName)}`}`

const isRequired = ({caller, sums}: ApprovalRequest) =>
  sums ? needsApproval(caller, sums) : (caller.approvals?.required ?? 0) > 0

// Throws with code 10 if approvals are required and too few. Where none are required, those that there are may still let new payees
// be paid without waiting.
export async function requireApproval(request: ApprovalRequest): Promise<Approval> {
  const {caller} = request
  const {approvals: policy, coolDownMs = 0} = caller
  const isNeeded = isRequired(request)
  if (!policy || (!isNeeded && coolDownMs === 0)) return {approvals: [], isApproved: false}
  const runner = await findRunner(caller, policy.judges)
  try {
    const approvals = await findApprovals(request, runner, isNeeded ? policy.required : 1)
    return {approvals, isApproved: true, recheck: createRecheck(request, runner, isNeeded)}
  } catch (error) {
    if (isNeeded || !(error instanceof SvcError)) throw error
    return {approvals: [], isApproved: false}
  }
}

async function findApprovals(
  {caller, journal, subject, sums, file, slot, batch}: ApprovalRequest,
  runner: Runner,
  required: number,
): Promise<CheckedApproval[]> {
  const name = batch ?? file ?? ''
  const demand: Omit<ApprovalDemand, 'store'> = {
    subject,
    required,
    judges: caller.approvals?.judges ?? {people: [], findPerson: () => undefined},
    runner,
    what: batch === undefined ? name : `The batch ${name}`,
    command: describeApproveCommand(caller, name, slot),
    sums,
  }
  return withApprovalStore(journal, {subject, file}, (store) => requireApprovals({...demand, store}))
}

// Approvals may be withdrawn or expire while a long file is paid. They are read again every few seconds.
function createRecheck(request: ApprovalRequest, runner: Runner, isNeeded: boolean): NonNullable<Approval['recheck']> {
  let checked: Promise<SvcError | undefined> = Promise.resolve(undefined)
  let checkedAtMs = performance.now()
  const check = async () => {
    const required = isNeeded ? (request.caller.approvals?.required ?? 0) : 1
    try {
      await findApprovals(request, runner, required)
      return undefined
    } catch (error) {
      if (error instanceof SvcError) return error
      throw error
    }
  }
  return () => {
    if (performance.now() - checkedAtMs < recheckEveryMs) return checked
    checkedAtMs = performance.now()
    checked = check()
    return checked
  }
}

// Opens the store of approvals: the database of the journal if there is one, otherwise the folder beside the approved file.
const standardInput = '-'

// `file` is undefined for what is in no file, such as a batch.
export async function withApprovalStore<T>(
  address: JournalAddress,
  {subject, file}: {subject: ApprovalSubject; file: string | undefined},
  work: (store: ApprovalStore) => Promise<T>,
): Promise<T> {
  if (!isDatabase(address)) {
    if (file === undefined || file === standardInput) {
      throw badUsage(
        'Approvals are kept beside a file, and this comes from standard input',
        'Write it to a file, and have that approved with `svc approve FILE`; nothing was sent',
      )
    }
    return work(openFileStore(getApprovalFolder(file)))
  }
  const [{openDatabaseStore}, {openJournalDatabase}, {describePostgresFailure}] = await Promise.all([
    import('../../controls/database-store.ts'),
    import('../journal/postgres/open-postgres-journal.ts'),
    import('../journal/postgres/failure.ts'),
  ])
  const database = openJournalDatabase(address)
  try {
    await database.connect()
    return await work(await openDatabaseStore(database, subject))
  } catch (error) {
    throw error instanceof SvcError ? error : describePostgresFailure(address.text, error)
  } finally {
    await database.close()
  }
}

// Records in the journal whose approvals were used, with their signatures.

// `about` names the payment, the file or the batch; `parts` are the digests of its payments, where they are not too many.
export async function recordApprovals(
  journal: Pick<Journal, 'recordDecision'>,
  {approvals}: Approval,
  {
    about,
    subject,
    parts,
  }: {
    about: Record<string, string>
    subject: ApprovalSubject
    parts?: readonly string[] | undefined
  },
): Promise<void> {
  if (approvals.length === 0) return
  const {kind, digest} = subject
  const data = {kind, digest, approvals: approvals.map(toEvidence), ...(parts && {parts})}
  await journal.recordDecision({kind: 'APPROVAL_USED', about, who: describeOperator(), data})
}

// Makes sure that what pays again and again, such as rules, was approved where the profile wants it, and records who did.
export interface FileOfRules {
  caller: Caller
  traits: ServiceTraits
  subject: ApprovalSubject
  // The path, or - for standard input.
  file: string
  // The accounts that it pays to.
  destinations: readonly string[]
}

const newPayee = (destination: string, file: string) =>
  new SvcError({
    error: 'PAYEE_WAITS',
    kind: 'limit',
    message: `${file} pays the account ${destination}, which was never paid before and has to wait`,
    hint: 'Have it approved with `svc approve FILE` by somebody who may, or pay the account once with `svc pay`; nothing was sent',
  })

// Throws with code 10 unless enough people have approved it. Returns what records whose approvals were used, to be called when it
// is certain that something will be sent.
export async function requireRulesApproval(rules: FileOfRules): Promise<() => Promise<void>> {
  const {caller, traits, subject, file, destinations} = rules
  const approval = await requireApproval({caller, journal: traits.journal, subject, file})
  const coolDown = getCoolDownRules(caller, approval)
  if (coolDown.coolDownMs > 0) {
    const clock = {earliest: () => Date.now()}
    const [held] = await withJournal(traits.journal, (journal) =>
      findHeldPayees({journal, clock}, traits.serviceId, destinations, coolDown),
    )
    if (held) throw newPayee(held.destination, file)
  }
  return async () => {
    if (approval.approvals.length === 0) return
    const about = {file: path.basename(file)}
    await withJournal(traits.journal, (journal) => recordApprovals(journal, approval, {about, subject}))
  }
}

// Records in the journal that somebody withdrew an approval. Somebody who only approves has no journal, and gets none.
export async function recordWithdrawal(
  address: JournalAddress,
  {
    statement,
    signature,
    name,
    signer,
  }: {statement: Statement; signature: string; name: string; signer: string | undefined},
): Promise<void> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) return
  await withJournal(address, (journal) =>
    journal.recordDecision({
      kind: 'APPROVAL_WITHDRAWN',
      about: {file: name},
      who: {...describeOperator(), signer},
      data: {
        kind: statement.kind,
        digest: statement.digest,
        withdrawal: {signer: signer ?? '', statement: renderStatement(statement), signature},
      },
    }),
  )
}
