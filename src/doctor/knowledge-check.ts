// Shows what is known about the service where its interface is silent.
import {summarizeKnowledge} from '../profiles/describe-knowledge.ts'
import {findKnowledge} from '../transport.ts'
import {isEmbedded, requireCaller} from './local-checks.ts'
import {type CheckContext, type CheckResult, ok} from './run-checks.ts'

const nothingKnown = 'Nothing is known about how the service treats keys, quotes and lists'

// Nothing is wrong with a service of which nothing is known: payments are then more careful.
export async function checkKnowledge(context: CheckContext): Promise<CheckResult> {
  const caller = requireCaller(context)
  if (isEmbedded(caller)) return ok('The embedded sandbox says itself how it treats keys')
  const knowledge = await findKnowledge(caller)
  if (knowledge) return ok(summarizeKnowledge(knowledge))
  if (caller.profileName === undefined) return ok(`${nothingKnown}, since there is no profile to keep it`)
  if (caller.knowledge) return ok(`What is known belongs to another service, ${caller.knowledge.serviceId ?? ''}`)
  return ok(`${nothingKnown}; \`svc probe\` finds out, on a test environment`)
}
