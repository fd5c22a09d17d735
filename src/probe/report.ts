// Reports what a probe found: keeps it in the profile, and turns it into rows.
import {type Result, listResult} from '../cli/output/result.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {type KnowledgeRow, describeKnowledge} from '../profiles/describe-knowledge.ts'
import {rememberKnowledge} from '../profiles/remember-knowledge.ts'
import {type ServiceKnowledge, isKnowledgeComplete} from '../profiles/service-knowledge.ts'
import type {ProbeContext} from './context.ts'
import {type ProbeFindings, buildFindings} from './findings.ts'
import {findRequestIds} from './outcomes.ts'
import type {ProbeFile} from './probe-state.ts'
import {knowledgeView} from './view.ts'

export interface ProbeReport extends ProbeFindings {
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
