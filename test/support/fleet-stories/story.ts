// Draws a story of a fleet from a seed: the batches, the workers, how the service behaves, and what happens meanwhile.
import {type Random, createRandom} from '../random.ts'
import {refusal} from '../scripted-service.ts'
import {type Behaviour, type Step, pickSpelling} from '../scripted/behaviour.ts'

interface StoryRow {
  key: string
  amount: string
  customer: string
}

export interface StoryBatch {
  name: string
  rows: StoryRow[]
}

export type StoryEvent =
  // A worker is suspended, for so long, or for so long that its rows are given to others.
  | {kind: 'suspend'; worker: number; forMs: number; isLong: boolean}
  // kill -9, and another one starts.
  | {kind: 'kill'; worker: number}
  // SIGTERM with little time to finish, and another one starts.
  | {kind: 'stop'; worker: number}
  | {kind: 'endBackends'}
  | {kind: 'cut'; fault: 'cutBefore' | 'cutAfter' | 'arriveLate'; isCommit: boolean}
  | {kind: 'killServer'; downMs: number}
  // A standby takes over that lacks what was committed in the last moment.
  | {kind: 'failOver'; lostMs: number}
  | {kind: 'pause' | 'resume' | 'retry' | 'cancel'; batch: number}
  // The service loses the transaction that it made last.
  | {kind: 'vanish'}
  | {kind: 'update'}
  | {kind: 'date'; skewMs: number}
  // Everything that svc says now is read.
  | {kind: 'read'; batch: number}

export interface FleetStory {
  seed: number
  batches: StoryBatch[]
  workers: number
  resend: 'yes' | 'unknown'
  behaviour: Partial<Behaviour>
  steps: Step[]
  // Each with the pause before it.
  events: Array<{afterMs: number; event: StoryEvent}>
}

const secondMs = 1_000
const minuteMs = 60 * secondMs

// Two customers, so that their lists have several pages.
const customers = ['00000000-0000-4000-8000-000000000101', '00000000-0000-4000-8000-000000000102']

function drawBatches({below, pick}: Random, seed: number): StoryBatch[] {
  return Array.from({length: 1 + below(3)}, (_, batch) => ({
    name: `story-${seed}-${batch + 1}`,
    rows: Array.from({length: 3 + below(10)}, (__, row) => ({
      key: `s${seed}-${batch + 1}-${row + 1}`,
      amount: `${batch + 1}${row + 1}.${10 + below(90)}`,
      customer: pick(customers),
    })),
  }))
}

const drawBehaviour = ({pick}: Random): Partial<Behaviour> => ({
  keys: pick(['honoured', 'honoured', 'per-body', 'ignored', 'ignored']),
  quotes: pick(['single', 'many']),
  listLagMs: pick([0, 0, 0, 2 * secondMs, 30 * secondMs]),
  listOrder: pick(['newest', 'oldest', 'updated']),
  pageItemsMax: pick([1, 3, 100]),
  hasDate: pick([true, true, true, false]),
  dateSkewMs: pick([0, 0, -3 * secondMs, 3 * secondMs]),
  status: pick(['CREATED', 'COMPLETED', 'COMPLETED', 'FAILED']),
  latencyMs: pick([5, 30, 80]),
})

// Each leaves open whether the payment was made.
const unclearReplies: ReadonlyArray<NonNullable<Step['reply']>> = [
  'reset',
  'truncated',
  {status: 200, body: 'not JSON'},
  {status: 502, body: '<html>'},
  refusal(500, 'INTERNAL_ERROR', 'Something broke'),
  refusal(409, 'CONFLICT', 'In progress'),
]
const usedRefusal = refusal(422, 'QUOTE_USED', 'The quote was used before')
const plainRefusals = [refusal(400, 'BAD_REQUEST', 'Not today'), refusal(422, 'NO_FUNDS', 'The balance is too small')]

function drawStep({pick, below}: Random, {keys, listLagMs = 0}: Partial<Behaviour>): Step {
  // A service that refuses what it makes all the same, and makes or lists it late, may make it twice unless it honours keys, and
  // nobody can know (docs/assumptions.md, P6).
  const replies = listLagMs === 0 || keys === 'honoured' ? [...unclearReplies, usedRefusal] : unclearReplies
  const skip = below(12)
  const kind = pick(['reply', 'reply', 'late', 'lost', 'refused', 'contradicted', 'list', 'quote'] as const)
  if (kind === 'reply') return {skip, reply: pick(replies)}
  if (kind === 'late')
    return {skip, acts: {afterMs: pick([secondMs, 4 * secondMs, 90 * secondMs])}, reply: pick(unclearReplies)}
  if (kind === 'lost') return {skip, acts: 'never', reply: pick([...unclearReplies, usedRefusal])}
  if (kind === 'refused') return {skip, acts: 'never', reply: pick(plainRefusals)}
  if (kind === 'contradicted') return {skip, reply: pick(listLagMs > 0 ? replies : plainRefusals)}
  const failure = pick([refusal(503, 'NOT_NOW', 'Not now'), 'reset'] as const)
  return {skip, at: kind === 'list' ? 'GET /transactions' : 'POST /quotes', reply: failure, times: pick([1, 3])}
}

const kinds = [
  'suspend',
  'suspend',
  'kill',
  'kill',
  'stop',
  'endBackends',
  'cut',
  'cut',
  'pause',
  'resume',
  'resume',
  'retry',
  'cancel',
  'vanish',
  'update',
  'date',
  'read',
  'read',
] as const

function drawEvent(random: Random, workers: number, batches: number): StoryEvent {
  const {pick, below, next} = random
  const kind = pick(kinds)
  const [worker, batch] = [below(workers), below(batches)]
  if (kind === 'suspend') return {kind, worker, forMs: 200 + below(1_500), isLong: workers === 1 && next() < 0.5}
  if (kind === 'kill' || kind === 'stop') return {kind, worker}
  if (kind === 'cut') return {kind, fault: pick(['cutBefore', 'cutAfter', 'arriveLate']), isCommit: next() < 0.5}
  if (kind === 'date') return {kind, skewMs: pick([0, 13 * minuteMs, -13 * minuteMs])}
  if (kind === 'endBackends' || kind === 'vanish' || kind === 'update') return {kind}
  return {kind, batch}
}

// One of ten stories has a standby that takes over, and one of five a server that is killed: both take long.
export function drawStory(seed: number): FleetStory {
  const random = createRandom(seed)
  const {pick, below, next} = random
  const batches = drawBatches(random, seed)
  const workers = 1 + below(3)
  const behaviour = {...drawBehaviour(random), spelling: pickSpelling(seed)}
  const steps = Array.from({length: below(5)}, () => drawStep(random, behaviour))
  const events = Array.from({length: 4 + below(6)}, () => drawEvent(random, workers, batches.length))
  if (next() < 0.1) events.splice(below(events.length), 0, {kind: 'failOver', lostMs: 200 + below(1_000)})
  if (next() < 0.2) events.splice(below(events.length), 0, {kind: 'killServer', downMs: below(1_000)})
  return {
    seed,
    batches,
    workers,
    resend: pick(behaviour.keys === 'honoured' ? ['yes', 'unknown'] : ['unknown']),
    behaviour,
    steps,
    events: events.map((event) => ({afterMs: 20 + below(500), event})),
  }
}
