// The payment matrix: faults × kinds of services × who pays × what is known about the service, and the rule that says in which of these
// cells a second transaction is possible.
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import type {ServiceKind} from '../support/scripted/narrowing.ts'
import {type Behaviours, type FaultOrder, toBehaviour} from './faults.ts'
import type {RunOptions} from './stage.ts'

// Shorter than the timeout of a request, but long enough to matter.
const delayMs = 10_000

const kinds: ReadonlyArray<Pick<FaultOrder, 'kind' | 'status' | 'delayMs'>> = [
  {kind: 'refuse'},
  {kind: 'status'},
  {kind: 'html'},
  {kind: 'reset'},
  {kind: 'hang'},
  {kind: 'delay', delayMs},
  {kind: 'lose'},
  {kind: 'truncate'},
  {kind: 'garbage'},
]

// Statuses that mean something else as the reply to a resend than as the first reply.
const statuses = [400, 401, 404, 408, 409, 425]

export interface FaultCase {
  name: string
  fault?: Omit<FaultOrder, 'times'>
}

const onPost = {method: 'POST', path: '/transactions'} as const

export const faultCases: readonly FaultCase[] = [
  {name: 'nothing fails'},
  ...[onPost, {method: 'POST', path: '/quotes'}, {method: 'GET', path: '/transactions'}].flatMap((on) =>
    kinds.map((one) => ({name: `${one.kind} on ${on.method} ${on.path}`, fault: {...on, ...one}})),
  ),
  ...statuses.map((status) => ({
    name: `status ${status} on POST /transactions`,
    fault: {...onPost, kind: 'refuse', status} as const,
  })),
]

const lateKinds: ReadonlyArray<Pick<FaultOrder, 'kind' | 'status'>> = [
  {kind: 'reset'},
  {kind: 'hang'},
  {kind: 'refuse', status: 504},
]
const lateSeconds = [30, 90]
// After the quote has expired: while its transaction is still looked for, and when the attempt may have been abandoned and
// another one made.
const afterExpirySeconds = [9 * 60, 25 * 60]
const statusesAfterCommit = [400, 403, 404, 409, 422, 500]

const toLateCase = ({kind, status}: (typeof lateKinds)[number], seconds: number): FaultCase => ({
  name: `${kind}, and a commit ${seconds} s later`,
  fault: {...onPost, kind, status, commitAfterMs: seconds * 1_000},
})

export const lateCases: readonly FaultCase[] = [
  ...lateSeconds.flatMap((seconds) => lateKinds.map((kind) => toLateCase(kind, seconds))),
  ...afterExpirySeconds.map((seconds) => toLateCase({kind: 'reset'}, seconds)),
]

export const afterCommitCases: readonly FaultCase[] = statusesAfterCommit.map((status) => ({
  name: `status ${status} after the commit`,
  fault: {...onPost, kind: 'refuse-after', status},
}))

export const everyFaultCase: readonly FaultCase[] = [...faultCases, ...lateCases, ...afterCommitCases]

const idempotencies = [
  'replay',
  'replay-successes',
  'refuse',
  'ignore',
  'forget-after-1m',
  'replay-any-body',
  'refuse-other-body',
  'per-body',
] as const
const lagsSeconds = [0, 30, 300]
export const lagMaxSeconds = 300
// How many times a fault occurs: once, three times, or until it is cleared.
const repetitions = [1, 3, Infinity]

export type Combination = Pick<Behaviours, 'idempotency' | 'quoteUse' | 'expiredQuotes' | 'listLagSeconds'> &
  Partial<Pick<Behaviours, 'transactionOutcome' | 'outcomeAfterSeconds'>>

export const combinations: readonly Combination[] = idempotencies.flatMap((idempotency) =>
  lagsSeconds.flatMap((listLagSeconds) =>
    (['single', 'many'] as const).flatMap((quoteUse) =>
      (['refused', 'accepted'] as const).map((expiredQuotes) => ({
        idempotency,
        listLagSeconds,
        quoteUse,
        expiredQuotes,
      })),
    ),
  ),
)

export interface Kind extends ServiceKind {
  combination: Combination
}

export const toKinds = (all: readonly Combination[]): Kind[] =>
  all.flatMap((combination) =>
    repetitions.map((stepTimes) => ({combination, behaviour: {...toBehaviour(combination), stepTimes}})),
  )

// How new transactions end badly: immediately, and after the first run has reported them as made.
export const badOutcomes: ReadonlyArray<Pick<Combination, 'transactionOutcome' | 'outcomeAfterSeconds'>> = [
  {transactionOutcome: 'failed', outcomeAfterSeconds: 0},
  {transactionOutcome: 'failed', outcomeAfterSeconds: 60},
  {transactionOutcome: 'cancelled', outcomeAfterSeconds: 0},
  {transactionOutcome: 'expired', outcomeAfterSeconds: 600},
]

// Who pays: one process, two processes with one journal, two hosts with a journal each, or one whose journal is lost.
export const allPayers = ['one process', 'two processes', 'two hosts', 'a lost journal'] as const
export type Payers = (typeof allPayers)[number]

// What svc knows about reused keys: nothing, or what somebody stated with `--resend yes`, which may be wrong.
export const allKnowledge = ['unknown', 'stated'] as const
export type Knowledge = (typeof allKnowledge)[number]

// With another body, a remembered key that is compared with its body creates a second transaction.
export const areKeysHonoured = ({idempotency}: Combination) =>
  idempotency !== 'ignore' && idempotency !== 'per-body' && !idempotency.startsWith('forget')
export const isSameBodyHonoured = (combination: Combination) =>
  areKeysHonoured(combination) || combination.idempotency === 'per-body'

// A key that the service has once rejected, it may reject for ever: nothing is made, and svc says that it does not know.
export const keepsRejecting = ({idempotency}: Combination) =>
  idempotency === 'refuse' || idempotency === 'refuse-other-body'

export type Trust = Required<Pick<RunOptions, 'mayResend' | 'areKeysHonoured'>>

export const getTrust = (knowledge: Knowledge): Trust => ({
  mayResend: knowledge === 'stated',
  areKeysHonoured: knowledge === 'stated',
})

// Longer than a forgetful service remembers a key, and shorter than a quote is valid.
export const pauseSeconds = 90
const keyMemorySeconds = 60
const quoteLifeSeconds = 5 * 60

// How long after its request a transaction is listed, at the latest. A commit that comes after the quote has expired may never
// happen, but another send of the same request may be carried out at once.
export function getListedAfterSeconds({fault}: FaultCase, {listLagSeconds, expiredQuotes}: Combination) {
  const commitSeconds = (fault?.commitAfterMs ?? 0) / 1_000
  const isRefused = commitSeconds > quoteLifeSeconds && expiredQuotes === 'refused'
  return isRefused ? listLagSeconds : commitSeconds + listLagSeconds
}

const isRejectedAfterCommit = ({fault}: FaultCase) =>
  fault?.kind === 'refuse-after' && Number(fault.status) < 500 && fault.status !== 409

const isAfterExpiry = ({fault}: FaultCase) => Number(fault?.commitAfterMs) > quoteLifeSeconds * 1_000

// The service rejects the late request, whose quote has expired, and its key from then on.
export const burnsKey = (faultCase: FaultCase, combination: Combination) =>
  keepsRejecting(combination) && combination.expiredQuotes === 'refused' && isAfterExpiry(faultCase)

// From the request to the second list without it, after which another attempt is made.
const abandonedAfterSeconds = quoteLifeSeconds + (2 * listLagDefaultMs) / 1_000

const isExecutedAfterAbandonment = (faultCase: FaultCase, combination: Combination) =>
  isAfterExpiry(faultCase) && getListedAfterSeconds(faultCase, combination) > abandonedAfterSeconds

// Why a second transaction is possible: the service executes a quote long after it has expired, it refuses what it has made and lists
// it late, the journal is lost, two hosts pay, or somebody stated wrongly that keys are honoured.
// docs/paying-once.md explains each.
export type Risk = 'expired' | 'refused' | 'lost' | 'hosts' | 'stated'

export interface Situation {
  payers: Payers
  faultCase: FaultCase
  knowledge: Knowledge
}

export interface CellCase extends Situation {
  combination: Combination
}

// Two hosts need more than the list: they may both look before either of them pays.
function isRace({payers, faultCase, combination, knowledge}: CellCase): boolean {
  if (payers !== 'two hosts') return false
  const isForgetful = combination.idempotency.startsWith('forget')
  // A key that is remembered for a minute protects that minute, since svc looks again before it arms.
  if (isForgetful && knowledge !== 'stated') {
    return getListedAfterSeconds(faultCase, combination) > keyMemorySeconds
  }
  return true
}

// Keys that are honoured whatever the body exclude a second transaction by themselves. Otherwise it takes one of these.
export function findRisk(cell: CellCase): Risk | undefined {
  const {payers, faultCase, combination, knowledge} = cell
  if (areKeysHonoured(combination)) return undefined
  const isListedLate = getListedAfterSeconds(faultCase, combination) > pauseSeconds
  if (isRace(cell)) return 'hosts'
  if (payers === 'a lost journal' && isListedLate) return 'lost'
  if (isExecutedAfterAbandonment(faultCase, combination)) return 'expired'
  if (isRejectedAfterCommit(faultCase) && isListedLate) return 'refused'
  if (knowledge === 'stated' && !isSameBodyHonoured(combination) && combination.quoteUse === 'many') return 'stated'
  return undefined
}

export const isSingleGuaranteed = (cell: CellCase): boolean => findRisk(cell) === undefined

export const describeCombination = ({idempotency, quoteUse, expiredQuotes, listLagSeconds, ...more}: Combination) =>
  `keys ${idempotency}, quotes ${quoteUse}, expired ${expiredQuotes}, list lag ${listLagSeconds} s${
    more.transactionOutcome ? `, ${more.transactionOutcome} after ${more.outcomeAfterSeconds} s` : ''
  }`

export const describeCell = ({payers, faultCase, combination, knowledge}: CellCase) =>
  `${payers}, ${knowledge}, ${faultCase.name}, ${describeCombination(combination)}`
