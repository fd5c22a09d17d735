// Delivers webhooks: on a timer, from a running server, whatever is due on the virtual clock and whoever enqueued it.
import {setTimeout as sleep} from 'node:timers/promises'
import {runDueTasks} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {
  type Attempt,
  claimAttempt,
  type Consequence,
  listEndpointsDue,
  recordOutcome,
  releaseAttempt,
  scheduleMs,
} from './claim.ts'
import {type Outcome, sendAttempt} from './send.ts'

export interface DeliverySettings {
  tickMs: number
  // How long an endpoint may take to answer.
  timeoutMs: number
  // How many endpoints are spoken to at once.
  endpointsMax: number
  // How long an attempt under way may go on when the server is told to stop.
  stopGraceMs: number
}

const settingsDefault: DeliverySettings = {tickMs: 200, timeoutMs: 15_000, endpointsMax: 8, stopGraceMs: 1_000}

// A lease outlives the attempt it is for by this much, so that what came of it can be put down.
const leaseMarginMs = 5_000

// Without the query, in which some people keep secrets.
const withoutQuery = (url: string) => url.replace(/[?#].*$/, '')

const ends: Record<Consequence & string, string> = {
  delivered: '',
  disabled: ', the endpoint is disabled',
  failed: `, given up after ${scheduleMs.length} attempts`,
}

function describeAttempt({type, eventId, url}: Attempt, outcome: Outcome, consequence: Consequence): string {
  const end = typeof consequence === 'string' ? ends[consequence] : `, again at ${consequence.nextAttemptAt}`
  return `${type} ${eventId} → ${withoutQuery(url)} ${'status' in outcome ? outcome.status : outcome.failure}${end}`
}

export function startDelivery(
  environment: SandboxEnvironment,
  notice: (text: string) => void,
  overrides: Partial<DeliverySettings> = {},
): {stop(): Promise<void>} {
  const {tickMs, timeoutMs, endpointsMax, stopGraceMs} = {...settingsDefault, ...overrides}
  const underWay = new Map<string, Promise<void>>()
  // The first ends the taking of new attempts, the second cuts off those under way.
  const ending = new AbortController()
  const cutting = new AbortController()
  let lastReported = ''

  // The same trouble at every tick is told once.
  function reportOnce(error: unknown) {
    const text = `Webhooks wait: ${error instanceof Error ? error.message : String(error)}`
    if (text !== lastReported && !ending.signal.aborted) notice(text)
    lastReported = text
  }

  async function deliverTo(endpointId: string) {
    while (!ending.signal.aborted) {
      const attempt = claimAttempt(environment, endpointId, timeoutMs + leaseMarginMs)
      if (!attempt) return
      const outcome = await sendAttempt(attempt, timeoutMs, cutting.signal)
      if (!outcome) return releaseAttempt(environment, attempt)
      const consequence = recordOutcome(environment, attempt, outcome)
      if (consequence) notice(describeAttempt(attempt, outcome, consequence))
    }
  }

  // Nobody needs to ask the service anything for its time to pass: what is due happens, and may make events.
  function tick() {
    try {
      runDueTasks(environment)
      for (const endpointId of listEndpointsDue(environment)) {
        if (underWay.has(endpointId) || underWay.size >= endpointsMax) continue
        const work = deliverTo(endpointId)
        underWay.set(
          endpointId,
          work.catch(reportOnce).finally(() => underWay.delete(endpointId)),
        )
      }
      lastReported = ''
    } catch (error) {
      reportOnce(error)
    }
  }

  const timer = setInterval(tick, tickMs)
  tick()
  return {
    async stop() {
      ending.abort()
      clearInterval(timer)
      const rest = Promise.all(underWay.values())
      await Promise.race([rest, sleep(stopGraceMs, undefined, {ref: false})])
      cutting.abort()
      await rest
    },
  }
}
