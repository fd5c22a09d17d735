// Delivers due webhooks from a running server, on a timer.
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
} from './attempts.ts'
import {type Outcome, sendAttempt} from './send.ts'
import {stripQuery} from '../../../values/urls.ts'

export interface DeliverySettings {
  tickMs: number
  // How long an endpoint may take to answer.
  timeoutMs: number
  // How many endpoints are sent to at the same time.
  endpointsMax: number
  // How long an attempt may take after the server was asked to stop.
  stopGraceMs: number
  beforeTick: () => void
  // Called before the attempts to an endpoint.
  beforeDelivery: () => Promise<void>
  // Whether this process sends to the endpoint. A server sends to all of them.
  sendsTo: (endpointId: string) => boolean
}

const settingsDefault: DeliverySettings = {
  tickMs: 200,
  timeoutMs: 15_000,
  endpointsMax: 8,
  stopGraceMs: 1_000,
  beforeTick: () => {},
  beforeDelivery: async () => {},
  sendsTo: () => true,
}

// A lease lasts longer than the attempt, so that its outcome can be recorded.
const leaseMarginMs = 5_000

const ends: Record<Consequence & string, string> = {
  delivered: '',
  disabled: ', the endpoint is disabled',
  failed: `, given up after ${scheduleMs.length} attempts`,
}

function describeAttempt({type, eventId, url}: Attempt, outcome: Outcome, consequence: Consequence): string {
  const end = typeof consequence === 'string' ? ends[consequence] : `, again at ${consequence.nextAttemptAt}`
  return `${type} ${eventId} → ${stripQuery(url)} ${'status' in outcome ? outcome.status : outcome.failure}${end}`
}

export function startDelivery(
  environment: SandboxEnvironment,
  notice: (text: string) => void,
  overrides: Partial<DeliverySettings> = {},
): {stop(): Promise<void>} {
  const settings = {...settingsDefault, ...overrides}
  const {tickMs, timeoutMs, endpointsMax, stopGraceMs} = settings
  const inProgress = new Map<string, Promise<void>>()
  // The first stops new attempts, the second aborts those in progress.
  const ending = new AbortController()
  const cutting = new AbortController()
  let lastReported = ''

  // An error that repeats at every tick is reported once.
  function reportError(error: unknown) {
    const text = `Webhooks cannot be sent: ${error instanceof Error ? error.message : String(error)}`
    if (text !== lastReported && !ending.signal.aborted) notice(text)
    lastReported = text
  }

  async function deliverTo(endpointId: string) {
    await settings.beforeDelivery()
    while (!ending.signal.aborted) {
      const attempt = claimAttempt(environment, endpointId, timeoutMs + leaseMarginMs)
      if (!attempt) return
      const outcome = await sendAttempt(attempt, timeoutMs, cutting.signal)
      if (!outcome) return releaseAttempt(environment, attempt)
      const consequence = recordOutcome(environment, attempt, outcome)
      if (consequence) notice(describeAttempt(attempt, outcome, consequence))
    }
  }

  // Due tasks run here without any request, and may create events.
  function tick() {
    try {
      settings.beforeTick()
      runDueTasks(environment)
      for (const endpointId of listEndpointsDue(environment).filter(settings.sendsTo)) {
        if (inProgress.has(endpointId) || inProgress.size >= endpointsMax) continue
        const work = deliverTo(endpointId)
        inProgress.set(
          endpointId,
          work.catch(reportError).finally(() => inProgress.delete(endpointId)),
        )
      }
      lastReported = ''
    } catch (error) {
      reportError(error)
    }
  }

  const timer = setInterval(tick, tickMs)
  tick()
  return {
    async stop() {
      ending.abort()
      clearInterval(timer)
      const rest = Promise.all(inProgress.values())
      await Promise.race([rest, sleep(stopGraceMs, undefined, {ref: false})])
      cutting.abort()
      await rest
    },
  }
}
