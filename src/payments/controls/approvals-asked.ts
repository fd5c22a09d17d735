// What was refused for want of approvals, as the journal remembers it, so that those who look at it later see what waits for whom.
import type {NotApproved} from '../../controls/check-approvals.ts'
import {SvcError} from '../../errors.ts'
import {describeOperator} from '../../values/operator.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {isRecord, readText} from '../../values/records.ts'
import {dayMs, toInstantMs, toIso} from '../../values/time.ts'
import type {DecisionEntry, Journal} from '../journal/journal.ts'
import {withJournal} from '../journal/open-journal.ts'

// Apart from other decisions, because it is read before each entry.
const askedSubject = {serviceId: '', key: 'approval asked'} as const
const approvalAsked = 'APPROVAL_ASKED'
const approvalUsed = 'APPROVAL_USED'
// What nobody ran for so long is given up, or is run again.
const shownDays = 7

export interface ApprovalAsked {
  // The service at which it was to be paid.
  askedOf: string
  // The name of the file, or the id of the batch.
  name: string
  digest: string
  // What it pays, by currency. Empty for what pays again and again.
  sums: ReadonlyArray<{currency: string; amount: string}>
  needed: number
  // How many had approved it when it was refused.
  given: number
  // The command that approves it.
  next: string
  at: string
}

const readSums = (sums: unknown): ApprovalAsked['sums'] =>
  (Array.isArray(sums) ? sums : [])
    .filter(isRecord)
    .map(({currency, amount}) => ({currency: readText(currency), amount: readText(amount)}))

function readAsked({at, detail}: Pick<DecisionEntry, 'at' | 'detail'>): ApprovalAsked | undefined {
  const {kind, name, data} = detail ?? {}
  if (kind !== approvalAsked || !isRecord(data)) return undefined
  const {askedOf, digest, sums, needed, given, next} = data
  return {
    name: readText(name),
    askedOf: readText(askedOf),
    digest: readText(digest),
    sums: readSums(sums),
    needed: Number(needed),
    given: Number(given),
    next: readText(next),
    at: toIso(at),
  }
}

const listAsked = async (journal: Pick<Journal, 'history'>) =>
  (await journal.history(askedSubject.serviceId, askedSubject.key)).flatMap((entry) => readAsked(entry) ?? [])

// What waits is entered once, however often it is run.
export async function enterApprovalAsked(
  journal: Pick<Journal, 'history' | 'listDecisions' | 'recordDecision'>,
  {demand: {subject, required: needed, command: next, sums = []}, given}: NotApproved,
  name: string,
): Promise<void> {
  const {serviceId: askedOf, digest} = subject
  const waiting = await listApprovalsAsked(journal, askedOf, Date.now())
  const isKnown = waiting.some(
    (each) => each.name === name && each.digest === digest && each.given === given && each.needed === needed,
  )
  if (isKnown) return
  await journal.recordDecision({
    kind: approvalAsked,
    about: {...askedSubject, name},
    who: describeOperator(),
    data: {askedOf, digest, sums, needed, given, next},
  })
}

// It is refused whether this can be written or not.
export async function recordApprovalAsked(address: JournalAddress, error: NotApproved, name: string): Promise<void> {
  try {
    await withJournal(address, (journal) => enterApprovalAsked(journal, error, name))
  } catch (failure) {
    if (!(failure instanceof SvcError)) throw failure
  }
}

// When approvals of each content were last used.
async function readUses(journal: Pick<Journal, 'listDecisions'>): Promise<ReadonlyMap<string, number>> {
  const used = (await journal.listDecisions()).filter(({detail}) => detail?.['kind'] === approvalUsed)
  return new Map(
    used
      .toSorted((one, other) => one.at - other.at)
      .map(({at, detail}) => [isRecord(detail?.['data']) ? readText(detail['data']['digest']) : '', at]),
  )
}

// What still waits, the oldest first: of each file the last content that was refused, until its approvals were used. They may be
// withdrawn afterwards, and then it is asked for again.
export async function listApprovalsAsked(
  journal: Pick<Journal, 'history' | 'listDecisions'>,
  serviceId: string,
  nowMs: number,
): Promise<ApprovalAsked[]> {
  const own = (await listAsked(journal)).filter(
    ({askedOf, at}) => askedOf === serviceId && nowMs - (toInstantMs(at) ?? 0) <= shownDays * dayMs,
  )
  if (own.length === 0) return []
  const uses = await readUses(journal)
  const lastOfName = new Map(own.map((each) => [each.name, each]))
  return [...lastOfName.values()]
    .filter(({digest, at}) => (uses.get(digest) ?? 0) < (toInstantMs(at) ?? 0))
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
}
