// Reports what a probe found: keeps it in the profile, and turns it into rows.
import {type Result, listResult} from '../cli/output/result.ts'
import type {View} from '../cli/output/view.ts'
import type {SecondRequestOutcome} from '../contract/observed-service.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {type KnowledgeRow, describeKnowledge} from '../profiles/describe-knowledge.ts'
import {rememberKnowledge} from '../profiles/update-service.ts'
import {type ServiceKnowledge, isKnowledgeComplete} from '../profiles/service-knowledge.ts'
import type {ProbeContext} from './context.ts'
import {type TryOutcome, classifyTry, findRequestIds} from './outcomes.ts'
import {
  type ProbeFile,
  type ProbeState,
  type SentTry,
  type Subject,
  type TryName,
  followingTries,
} from './probe-state.ts'

interface ProbeReport extends ProbeFindings {
  // The transactions that the probe has made, as far as it knows.
  transactionIds: string[]
}

// A complete probe needs its state no longer. One without an answer to everything keeps it, and continues from there.
export async function keepFindings(
  {state, time, obstacles}: ProbeContext,
  {profileName}: Pick<Caller, 'profileName'>,
  file: Pick<ProbeFile, 'remove'>,
): Promise<ProbeReport> {
  const findings = buildFindings(state, time.now(), obstacles)
  if (profileName !== undefined) await rememberKnowledge(profileName, findings.knowledge)
  if (isKnowledgeComplete(findings.knowledge)) file.remove()
  return {...findings, transactionIds: [...new Set(state.tries.flatMap((sent) => findRequestIds(state, sent)))]}
}

// What was tried without a result. What a quick probe leaves out is no failure.
export function createOpenError({reasons, knowledge}: ProbeFindings): SvcError | undefined {
  const subjects = Object.keys(reasons)
  if (subjects.length === 0) return undefined
  const asked = describeKnowledge(knowledge)
    .filter(({subject}) => subjects.includes(subject))
    .map((row) => row.asked)
  return new SvcError({
    error: 'PENDING',
    kind: 'pending',
    effect: 'done',
    message: `The probe is not complete. Not known: ${asked.join('; ')}`,
    hint: 'Run `svc probe` again, which tries only this',
  })
}

export const buildResult = ({knowledge, reasons, transactionIds}: ProbeReport, failure: SvcError | undefined): Result =>
  listResult<KnowledgeRow>(describeKnowledge(knowledge, reasons), 'findings', knowledgeView, {
    extraFields: {knowledge, isComplete: isKnowledgeComplete(knowledge), transactionIds},
    failure,
  })

export const buildKnownResult = (knowledge: ServiceKnowledge): Result =>
  buildResult({knowledge, reasons: {}, transactionIds: []}, undefined)

// Turns what the tries of a probe showed into knowledge about the service. What is not certain is left out.
export interface ProbeFindings {
  knowledge: ServiceKnowledge
  // Why something is not known although it was tried, by subject.
  reasons: Partial<Record<Subject, string>>
}

interface Classified {
  sent: SentTry
  result: TryOutcome
}

const isCreated = ({result}: Classified) => 'outcome' in result && result.outcome === 'created'

const isKnown = ({result}: Classified) => 'outcome' in result

// A try that was repeated, because an earlier run was interrupted, counts with its worst known result.
function pickResult(classified: readonly Classified[], name: TryName): Classified | undefined {
  const own = classified.filter(({sent}) => sent.name === name)
  return own.find(isCreated) ?? own.findLast(isKnown) ?? own.at(-1)
}

interface SubjectResult {
  outcome?: SecondRequestOutcome
  reason?: string
}

// One second transaction is enough to know. That there is none must have been seen in every try.
function combineResults(results: ReadonlyArray<Classified | undefined>): SubjectResult {
  const outcomes = results.map((each) => each?.result)
  if (results.some((each) => each && isCreated(each))) return {outcome: 'created'}
  const failed = outcomes.find((result) => result && 'unknown' in result)
  if (failed && 'unknown' in failed) return {reason: failed.unknown}
  if (outcomes.includes(undefined)) return {}
  return {
    outcome: outcomes.every((result) => result && 'outcome' in result && result.outcome === 'replayed')
      ? 'replayed'
      : 'rejected',
  }
}

// How long a key was remembered, as far as the tries show. A request with a quote of its own can be stopped by its key only;
// the same request may also be rejected because its quote was used.
function findKeyLife(classified: readonly Classified[]): Pick<ServiceKnowledge, 'keyHeldMs' | 'keyForgottenAfterMs'> {
  const ages = (matches: (each: Classified) => boolean) =>
    classified.filter(matches).flatMap(({sent}) => (sent.keyAgeMs === undefined ? [] : [sent.keyAgeMs]))
  const isHeld = ({sent, result}: Classified) =>
    'outcome' in result &&
    result.outcome !== 'created' &&
    (sent.name.startsWith('other-') || (sent.name.startsWith('same-') && result.outcome === 'replayed'))
  const held = ages(isHeld)
  const forgotten = ages((each) => isCreated(each) && /^(same|other)-/.test(each.sent.name))
  const keyHeldMs = Math.max(...held)
  const keyForgottenAfterMs = Math.min(...forgotten)
  return {
    ...(held.length > 0 && {keyHeldMs}),
    // A key that was never honoured was not forgotten. Another body may be treated differently from the first.
    ...(forgotten.length > 0 && held.length > 0 && keyHeldMs < keyForgottenAfterMs && {keyForgottenAfterMs}),
  }
}

export function buildFindings(
  state: ProbeState,
  probedAtMs: number,
  obstacles: ProbeFindings['reasons'] = {},
): ProbeFindings {
  const classified = state.tries.map((sent) => ({sent, result: classifyTry(state, sent)}))
  const reasons: ProbeFindings['reasons'] = {}
  const conclude = (subject: Subject) => {
    const names = followingTries.filter((kind) => kind.subject === subject).map(({name}) => name)
    const {outcome, reason} = combineResults(names.map((name) => pickResult(classified, name)))
    const why = reason ?? obstacles[subject]
    if (outcome === undefined && why !== undefined) reasons[subject] = why
    return outcome
  }
  const sameRequest = conclude('sameRequest')
  const otherRequest = conclude('otherRequest')
  const afterRejection = conclude('keyAfterRejection')
  const usedQuote = conclude('usedQuote')
  const expiredQuote = conclude('expiredQuote')
  const {listLagMs, listLagOverMs, listOrder, date, pageToken, errors} = state
  const knowledge: ServiceKnowledge = {
    probedAt: new Date(probedAtMs).toISOString(),
    serviceId: state.serviceId,
    ...(sameRequest && {sameRequest}),
    ...(otherRequest && {otherRequest}),
    ...findKeyLife(classified),
    ...(afterRejection && {keyAfterRejection: afterRejection === 'created' ? 'usable' : 'rejected'}),
    ...(usedQuote && {usedQuote: usedQuote === 'created' ? 'created' : 'rejected'}),
    ...(expiredQuote && {expiredQuote: expiredQuote === 'created' ? 'created' : 'rejected'}),
    ...(listLagMs !== undefined && {listLagMs}),
    ...(listLagOverMs !== undefined && {listLagOverMs}),
    ...(listOrder && {listOrder}),
    ...(date?.isAbsent && {isDateAbsent: true}),
    ...(date?.aheadMs !== undefined && {dateAheadMs: date.aheadMs}),
    ...(pageToken?.lifeMs !== undefined && {pageTokenLifeMs: pageToken.lifeMs}),
    ...(pageToken?.diedAfterMs !== undefined && {pageTokenDiedAfterMs: pageToken.diedAfterMs}),
    ...(errors.length > 0 && {
      errorShape: errors.every(({isDocumented}) => isDocumented) ? 'documented' : 'other',
      errorBytesMax: Math.max(...errors.map(({bytes}) => bytes)),
    }),
  }
  return {knowledge, reasons}
}

// The table of `svc probe`: what was asked, what was found, and what it means for payments.
export const knowledgeView: View<KnowledgeRow> = {
  singular: 'finding',
  plural: 'findings',
  columns: [
    {name: 'subject', header: 'SUBJECT', value: (row) => row.subject, rank: 0, onRequest: true},
    {name: 'asked', header: 'ASKED', value: (row) => row.asked, rank: 0, widthMin: 18, wraps: true},
    {name: 'found', header: 'FOUND', value: (row) => row.found, rank: 0, widthMin: 20, wraps: true},
    {name: 'means', header: 'FOR PAYMENTS', value: (row) => row.means, rank: 0, widthMin: 20, wraps: true},
    {name: 'isKnown', header: 'KNOWN', value: (row) => row.isKnown, rank: 1, onRequest: true},
  ],
}
