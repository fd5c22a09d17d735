// Notices that a profile asks for less control than the journal says: its settings were changed without svc.
import {type ApprovalPolicy, readCoolDownMs} from '../../controls/limits.ts'
import {type Statement, renderStatement} from '../../controls/statement.ts'
import {SvcError} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {PlannedControls} from '../../profiles/controls.ts'
import {describeOperator} from '../../profiles/operator.ts'
import type {Profile} from '../../profiles/profiles.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {quoteForShell} from '../../values/text.ts'
import {formatUtcTime} from '../../values/time.ts'
import {listDecisions} from '../journal/entries.ts'
import type {HistoryEntry, Journal} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {hasJournalFile} from '../journal/sqlite/file.ts'

interface RecordedControls {
  approvals?: number
  coolDown?: string
  isProtected?: boolean
}

const parseControls = ({detail}: HistoryEntry) =>
  (detail?.['data'] as {after?: RecordedControls} | undefined)?.after ?? {}

const isAbout = ({detail}: HistoryEntry, {profileName}: Caller, serviceId: string) =>
  (detail?.['kind'] === controlsChanged || detail?.['kind'] === approvalsOff) &&
  detail['profile'] === profileName &&
  detail['service'] === serviceId

// What the profile lacks, in words.
function findDifference(recorded: RecordedControls, caller: Caller): {what: string; flag: string} | undefined {
  const required = caller.approvals?.required ?? 0
  if (required < (recorded.approvals ?? 0))
    return {
      what: `${recorded.approvals} approvals, and its settings ask for ${required}`,
      flag: `--approvals ${required}`,
    }
  if (recorded.isProtected && !caller.isProtected)
    return {what: 'signed settings, and its settings say that they need no signature', flag: '--no-protect'}
  if ((caller.coolDownMs ?? 0) < readCoolDownMs(recorded.coolDown))
    return {what: `new payees to wait ${recorded.coolDown}, and its settings let them wait less`, flag: '--cool-down 0'}
  return undefined
}

// Decisions about no payment are one list, which the journal finds by its index.
export async function rejectChangedControls(
  journal: Pick<Journal, 'history'>,
  caller: Caller,
  serviceId: string,
): Promise<void> {
  const {profileName} = caller
  if (profileName === undefined) return
  const last = (await journal.history('', '')).findLast((entry) => isAbout(entry, caller, serviceId))
  const difference = last && findDifference(parseControls(last), caller)
  if (!difference) return
  const by = `${String(last.detail?.['user'])}@${String(last.detail?.['host'])}`
  throw new SvcError({
    error: 'CONTROLS_CHANGED',
    kind: 'limit',
    message: `The journal says that ${caller.label} wants ${difference.what} (as ${by} set it at ${formatUtcTime(last.at)})`,
    hint: `If that is meant, let the journal know: svc profiles set ${quoteForShell(profileName)} ${difference.flag} --why TEXT; nothing was sent`,
  })
}

// The same for a command that does not pay itself, and opens no journal otherwise.
export async function rejectControlsUnlikeJournal(caller: Caller, {serviceId, journal}: ServiceTraits): Promise<void> {
  if (caller.profileName === undefined) return
  const decisions = await listDecisions({serviceId, journal})
  await rejectChangedControls({history: async () => [...decisions]}, caller, serviceId)
}

// Records in the journal who changed the approvals, the waiting of new payees or the protection of a profile, and why.
const approvalsOff = 'APPROVALS_OFF'
const controlsChanged = 'CONTROLS_CHANGED'

const listControls = ({approvals, coolDown, isProtected}: Profile) => ({
  approvals: approvals?.required ?? 0,
  ...(approvals?.above && {above: approvals.above}),
  ...(approvals && {signers: approvals.signers}),
  ...(coolDown && {coolDown}),
  isProtected: isProtected ?? false,
})

const isRequired = (policy: ApprovalPolicy | undefined) => (policy?.required ?? 0) > 0

// It is recorded before it is changed: what cannot be recorded is not changed.
export async function recordControls(
  {journal: address, serviceId}: ServiceTraits,
  {profile, why, change}: {profile: string; why: string | undefined; change: PlannedControls},
): Promise<void> {
  const {before, after} = change
  const kind = isRequired(before.approvals) && !isRequired(after.approvals) ? approvalsOff : controlsChanged
  const journal = await openJournal(address)
  try {
    await journal.recordDecision({
      kind,
      about: {profile, service: serviceId},
      who: describeOperator(),
      why,
      data: {before: listControls(before), after: listControls(after)},
    })
    await journal.flush()
  } finally {
    await journal.close()
  }
}

// Records in the journal that somebody withdrew an approval.

// Somebody who only approves has no journal, and gets none.
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
  const journal = await openJournal(address)
  try {
    await journal.recordDecision({
      kind: 'APPROVAL_WITHDRAWN',
      about: {file: name},
      who: {...describeOperator(), signer},
      data: {
        kind: statement.kind,
        digest: statement.digest,
        withdrawal: {signer: signer ?? '', statement: renderStatement(statement), signature},
      },
    })
    await journal.flush()
  } finally {
    await journal.close()
  }
}
