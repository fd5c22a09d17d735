// What was refused for want of approvals, as the journal remembers it, so that those who look at the console see what waits for whom.
import {z} from 'zod'
import {describeOperator} from './operator.ts'
import {dayMs, toIso} from '../values/time.ts'
import type {NotApproved} from './approvals.ts'
import type {DecisionJournal} from './decisions.ts'

// Apart from other decisions, because it is read before each entry.
const askedSubject = {serviceId: '', key: 'approval asked'} as const
const approvalAsked = 'APPROVAL_ASKED'
// What nobody ran for so long is given up, or is run again.
const shownDays = 7

const askedDetail = z.object({
  kind: z.literal(approvalAsked),
  // The name of the file, or the id of the batch.
  name: z.string(),
  data: z.object({
    // The service at which it was to be paid.
    askedOf: z.string(),
    digest: z.string(),
    // What it pays, by currency. Empty for what pays again and again.
    sums: z.array(z.object({currency: z.string(), amount: z.string()})),
    needed: z.number(),
    // How many had approved it when it was refused.
    given: z.number(),
    // The command that approves it.
    next: z.string(),
  }),
})

const usedDetail = z.object({kind: z.literal('APPROVAL_USED'), data: z.object({digest: z.string()})})

export type ApprovalAsked = z.output<typeof askedDetail>['data'] & {name: string; at: string}

// What still waits, the oldest first: of each file the last content that was refused, until its approvals were used. They may be
// withdrawn afterwards, and then it is asked for again.
export async function listApprovalsAsked(
  journal: Pick<DecisionJournal, 'history' | 'listDecisions'>,
  serviceId: string,
  nowMs: number,
): Promise<ApprovalAsked[]> {
  const asked = (await journal.history(askedSubject.serviceId, askedSubject.key)).flatMap(({at, detail}) => {
    const {data: read} = askedDetail.safeParse(detail)
    const isShown = read?.data.askedOf === serviceId && nowMs - at <= shownDays * dayMs
    return isShown ? [{...read.data, name: read.name, atMs: at}] : []
  })
  if (asked.length === 0) return []
  const used = (await journal.listDecisions()).flatMap(({at, detail}) => {
    const {data: read} = usedDetail.safeParse(detail)
    return read ? [{at, digest: read.data.digest}] : []
  })
  const lastOfName = new Map(asked.map((each) => [each.name, each]))
  return [...lastOfName.values()]
    .filter(({digest, atMs}) => !used.some((use) => use.digest === digest && use.at >= atMs))
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({atMs, ...each}) => ({...each, at: toIso(atMs)}))
}

// What waits is entered once, however often it is run.
export async function enterApprovalAsked(
  journal: DecisionJournal,
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
