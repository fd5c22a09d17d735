// Chooses the behaviours with which the sandbox comes closest to a service that a probe has observed.
import type {ObservedService, SecondRequestOutcome} from '../../../contract/observed-service.ts'
import type {Behaviours} from './behaviour-table.ts'
import {minuteMs, secondMs} from '../../../values/time.ts'

export interface Imitation {
  // What was taken over.
  behaviours: Partial<Behaviours>
  // What the probe did not find out. The sandbox keeps its defaults for it.
  notKnown: string[]
  // Where the sandbox still differs from the service.
  differs: string[]
}

const toSeconds = (ms: number) => Math.ceil(ms / secondMs)

// The longest life that is certain: as long as a key was seen to be honoured. A shorter one than a minute cannot be set.
function chooseForgetting({keyHeldMs = 0, keyForgottenAfterMs = 0}: ObservedService): Behaviours['idempotency'] {
  const minutes = Math.floor(keyHeldMs / minuteMs)
  if (minutes > 0) return `forget-after-${minutes}m`
  return keyForgottenAfterMs > minuteMs ? 'forget-after-1m' : 'ignore'
}

// By what became of the same body, and then of another one.
const idempotencyByOutcome: Readonly<
  Record<
    SecondRequestOutcome,
    Partial<Record<SecondRequestOutcome, Behaviours['idempotency']>> & {other: Behaviours['idempotency']}
  >
> = {
  replayed: {replayed: 'replay-any-body', created: 'per-body', other: 'replay'},
  rejected: {rejected: 'refuse', created: 'per-body', other: 'refuse'},
  created: {created: 'ignore', other: 'ignore'},
}

// Pairs of outcomes that no behaviour has: the sandbox comes as close as it can without being safer than the service.
const inexactPairs: Readonly<Record<string, string>> = {
  'rejected created': 'the same request again is replayed, while the service rejects it',
  'rejected replayed': 'another body under the same key is rejected, while the service replays the first reply',
  'created rejected': 'another body under the same key creates a transaction, while the service rejects it',
  'created replayed':
    'another body under the same key creates a transaction, while the service replays the first reply',
}

// If keys are ignored, the same request is still rejected where a quote can be used once.
const isRejectedForItsQuote = ({sameRequest, otherRequest, usedQuote}: ObservedService) =>
  sameRequest === 'rejected' && otherRequest === 'created' && usedQuote !== 'created'

function chooseIdempotency(observed: ObservedService): Behaviours['idempotency'] | undefined {
  const {sameRequest, otherRequest, keyForgottenAfterMs, keyAfterRejection} = observed
  if (keyForgottenAfterMs !== undefined) return chooseForgetting(observed)
  if (sameRequest === undefined) return undefined
  if (sameRequest === 'replayed' && otherRequest === 'rejected' && keyAfterRejection === 'rejected') {
    return 'refuse-other-body'
  }
  if (isRejectedForItsQuote(observed)) return 'ignore'
  const choices = idempotencyByOutcome[sameRequest]
  return (otherRequest && choices[otherRequest]) ?? choices.other
}

// The longest life that is certain, as for keys. A service whose tokens were never rejected keeps them for good.
function choosePageTokenSeconds({pageTokenLifeMs, pageTokenDiedAfterMs}: ObservedService): number | undefined {
  if (pageTokenDiedAfterMs === undefined) return pageTokenLifeMs === undefined ? undefined : 0
  return Math.max(1, Math.floor((pageTokenLifeMs ?? pageTokenDiedAfterMs) / secondMs))
}

function chooseListLagSeconds({listLagMs, listLagOverMs}: ObservedService): number | undefined {
  if (listLagMs === undefined && listLagOverMs === undefined) return undefined
  return toSeconds(Math.max(listLagMs ?? 0, listLagOverMs ?? 0))
}

const chooseListOrder = ({listOrder}: ObservedService) => (listOrder === 'other' ? undefined : listOrder)

function chooseBehaviours(observed: ObservedService) {
  const {usedQuote, expiredQuote, isDateAbsent, dateAheadMs} = observed
  return {
    idempotency: chooseIdempotency(observed),
    quoteUse: usedQuote && (usedQuote === 'created' ? 'many' : 'single'),
    expiredQuotes: expiredQuote && (expiredQuote === 'created' ? 'accepted' : 'refused'),
    listLagSeconds: chooseListLagSeconds(observed),
    listOrder: chooseListOrder(observed),
    pageTokenSeconds: choosePageTokenSeconds(observed),
    dateHeader: isDateAbsent ? 'left-out' : isDateAbsent === false || dateAheadMs !== undefined ? 'sent' : undefined,
  } as const satisfies {[Name in keyof Behaviours]?: Behaviours[Name] | undefined}
}

function listUnknown(observed: ObservedService): string[] {
  const {sameRequest, otherRequest, keyAfterRejection, usedQuote, expiredQuote, listOrder, keyForgottenAfterMs} =
    observed
  const isForgetful = keyForgottenAfterMs !== undefined
  const questions: ReadonlyArray<readonly [string, unknown]> = [
    ['the same key with the same body', sameRequest ?? (isForgetful || undefined)],
    ['the same key with another body', otherRequest ?? (isForgetful || undefined)],
    ['a key whose first request was rejected', keyAfterRejection],
    ['a used quote', usedQuote],
    ['an expired quote', expiredQuote],
    ['how long new transactions are missing from lists', chooseListLagSeconds(observed)],
    ['the order of lists', listOrder],
    ['the life of page tokens', choosePageTokenSeconds(observed)],
    ['the Date of replies', observed.isDateAbsent ?? observed.dateAheadMs],
  ]
  return questions.filter(([, known]) => known === undefined).map(([question]) => question)
}

// A difference of clocks below this is noise.
const clockDifferenceMsMin = 5 * secondMs

function listDifferences(observed: ObservedService) {
  const {sameRequest, otherRequest, dateAheadMs, listOrder, listLagOverMs, keyForgottenAfterMs} = observed
  const isExact = keyForgottenAfterMs !== undefined || isRejectedForItsQuote(observed)
  const pair = isExact ? undefined : inexactPairs[`${sameRequest} ${otherRequest}`]
  const aheadSeconds = Math.round((dateAheadMs ?? 0) / secondMs)
  return [
    ...(pair ? [pair] : []),
    ...(listOrder === 'other' ? ['lists are sorted newest first, while the service has an order of its own'] : []),
    ...(listLagOverMs !== undefined
      ? [`new transactions are listed after ${toSeconds(listLagOverMs)} s, while the service takes longer`]
      : []),
    // Quotes of the service expire by its own clock, so this is the clock of the sandbox and not a skew of its Date.
    ...(Math.abs(aheadSeconds * secondMs) >= clockDifferenceMsMin
      ? [
          `its clock is that of this machine, while the service's is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead' : 'behind'}`,
        ]
      : []),
  ]
}

export function imitateService(observed: ObservedService): Imitation {
  const chosen = Object.entries(chooseBehaviours(observed)).filter(([, value]) => value !== undefined)
  return {
    behaviours: Object.fromEntries(chosen),
    notKnown: listUnknown(observed),
    differs: listDifferences(observed),
  }
}
