// Checks of the service: it is reachable, accepts the credential, and has the same time as this machine.
import {limits} from '../contract/vocabulary.ts'
import {SvcError} from '../errors.ts'
import {formatDuration, readHttpDateMs, secondMs} from '../values/time.ts'
import {isEmbedded, requireCaller} from './local-checks.ts'
import {type CheckContext, type CheckResult, type FirstRequest, failed, ok, skipped, warning} from './run-checks.ts'

// Quotes are valid for five minutes by the service's clock. A clock that is off by a tenth of that is a warning; one that is
// off by all of it makes their expiry meaningless (docs/assumptions.md, D2).
const skewWarningSeconds = limits.quoteLifetimeSeconds / 10
const skewMaxSeconds = limits.quoteLifetimeSeconds

// The Date header has whole seconds.
const dateStepMs = 1000

// Sent if there is no credential. The service refuses it, but the reply still shows that it is reachable, and its clock.
const invalidCredential = 'none'

export async function checkReachable(context: CheckContext): Promise<CheckResult> {
  const caller = requireCaller(context)
  const hasCredential = context.rows.some(({check, outcome}) => check === 'credential' && outcome !== 'failed')
  const first: FirstRequest = {sentAtMs: Date.now(), endedAtMs: 0}
  const client = await context.connect(
    hasCredential ? caller : {...caller, credential: async () => invalidCredential, renewable: false},
    // The first reply counts, so reads are not retried.
    {retriesReads: false, onReply: ({headers}) => void (first.date ??= headers.get('date'))},
  )
  context.firstRequest = first
  const startedMs = performance.now()
  first.sentAtMs = Date.now()
  try {
    await client.raw({method: 'GET', path: '/customers', query: {pageSize: 1}})
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    first.failure = error
  }
  first.endedAtMs = Date.now()
  if (first.failure?.kind === 'unreachable') throw first.failure
  return ok(`Answered in ${Math.round(performance.now() - startedMs)} ms`)
}

export function checkAccepted({firstRequest}: CheckContext): CheckResult {
  if (!firstRequest?.failure) return ok('The service accepts the credential')
  const {message, hint, kind} = firstRequest.failure
  return failed(message, kind === 'unauthenticated' ? hint : 'Check the base URL')
}

// The smallest possible difference between the clocks: the reply was made at some time between sentAtMs and endedAtMs.
function computeSkewSeconds({sentAtMs, endedAtMs}: FirstRequest, dateMs: number): number {
  const aheadMs = Math.max(0, dateMs - endedAtMs)
  const behindMs = Math.max(0, sentAtMs - (dateMs + dateStepMs))
  return Math.round((aheadMs - behindMs) / 1000)
}

export function checkClock(context: CheckContext): CheckResult {
  if (isEmbedded(requireCaller(context))) return skipped('The embedded sandbox has a clock of its own')
  const {firstRequest} = context
  const dateMs = readHttpDateMs(firstRequest?.date)
  if (!firstRequest || dateMs === undefined) return skipped('No reply had a Date header')
  const skew = computeSkewSeconds(firstRequest, dateMs)
  const apart = Math.abs(skew)
  if (apart <= skewWarningSeconds) return ok(`Within ${skewWarningSeconds} s of the service’s`)
  const what = `This clock is ${formatDuration(apart * secondMs)} ${skew > 0 ? 'behind' : 'ahead of'} the service’s`
  const next = 'Synchronize this clock with a time server; quotes and tokens expire by the service’s clock'
  return apart < skewMaxSeconds ? warning(what, next) : failed(what, next)
}
