// A sandbox that imitates a probed service: a second probe finds in it what the first one found in the service.
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {createClient} from '../../src/client/client.ts'
import {buildFindings} from '../../src/probe/report.ts'
import {openProbe} from '../../src/probe/open-probe.ts'
import {createProbeState} from '../../src/probe/probe-state.ts'
import {runProbe} from '../../src/probe/run-probe.ts'
import {type ServiceKnowledge, trustKnowledge} from '../../src/profiles/service-knowledge.ts'
import type {Behaviours} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {imitateService} from '../../src/sandbox/service/faults/imitate-service.ts'
import {type PreparedSandbox, prepareSandbox, Stage} from '../payments/stage.ts'
import {temporaryFolder} from '../support/svc.ts'

const serviceId = 'https://api.example.com'
const latencyMs = 20

let prepared: PreparedSandbox
beforeAll(() => {
  prepared = prepareSandbox()
})
afterAll(() => fs.rmSync(prepared.folder, {recursive: true, force: true}))

// Probes a sandbox with these behaviours, on its own clock.
async function probe(behaviours: Partial<Behaviours>): Promise<ServiceKnowledge> {
  const stage = new Stage(prepared)
  onTestFinished(() => stage.close())
  stage.behave(behaviours)
  const time = {now: stage.now, sleep: async (ms: number) => stage.advance(ms)}
  const state = createProbeState(serviceId, stage.content, time.now())
  const context = await openProbe({
    journal: {text: path.join(temporaryFolder(), 'journal.sqlite')},
    connect: async (onReply) =>
      createClient({
        baseUrl: 'http://localhost',
        fetch: stage.fetch,
        credential: async () => stage.sandbox.apiKey,
        renewable: false,
        callerLabel: 'a test',
        userAgent: 'svc/test',
        requestTimeoutMs: 30_000,
        gate: {enforce: () => {}},
        retriesReads: false,
        onReply(reply) {
          stage.advance(latencyMs)
          onReply(reply)
        },
      }),
    file: {save: () => {}},
    state,
    isQuick: false,
    time,
  })
  try {
    await runProbe(context)
    return buildFindings(state, time.now(), context.obstacles).knowledge
  } finally {
    await context.close()
  }
}

// Times are measured at ever longer intervals, so they differ from one probe to the next.
const hideTimes = (knowledge: ServiceKnowledge) =>
  Object.fromEntries(
    Object.entries(knowledge)
      .filter(([name]) => name !== 'probedAt')
      .map(([name, value]) => [name, name.endsWith('Ms') ? 'measured' : value]),
  )

const services: ReadonlyArray<[Partial<Behaviours>, Partial<Behaviours>]> = [
  [{idempotency: 'replay'}, {}],
  // The difference cannot be seen from outside without a request that is rejected once and accepted later.
  [{idempotency: 'replay-successes'}, {idempotency: 'replay'}],
  [{idempotency: 'replay-any-body'}, {}],
  [{idempotency: 'refuse'}, {}],
  [{idempotency: 'refuse-other-body'}, {}],
  [{idempotency: 'per-body'}, {}],
  [{idempotency: 'per-body', quoteUse: 'many'}, {}],
  [{idempotency: 'ignore', quoteUse: 'single'}, {}],
  [{idempotency: 'ignore', quoteUse: 'many'}, {}],
  [{idempotency: 'forget-after-1m', quoteUse: 'single'}, {}],
  [{idempotency: 'forget-after-1m', quoteUse: 'many'}, {}],
  [{expiredQuotes: 'accepted'}, {}],
  // A lag is rounded up, and a token was found dead when it was next tried.
  [{listLagSeconds: 30}, {listLagSeconds: 31}],
  [{listOrder: 'oldest-first'}, {}],
  [{pageTokenSeconds: 60}, {pageTokenSeconds: 64}],
  [{dateHeader: 'left-out'}, {}],
]

describe('the twin of a service', () => {
  it.each(services)('with %o behaves the same, and a probe cannot tell them apart', async (behaviours, differs) => {
    const found = await probe(behaviours)
    const twin = imitateService(found).behaviours
    expect(twin).toMatchObject({...behaviours, ...differs})
    expect(hideTimes(await probe(twin))).toEqual(hideTimes(found))
  })

  it('is not safer than a service that remembers a forgotten key again once it was used again', async () => {
    // The key was honoured later than it was forgotten, so a probe names no time at which it is forgotten.
    const probedAt = '2026-11-15T12:00:00Z'
    const found: ServiceKnowledge = {
      probedAt,
      sameRequest: 'created',
      otherRequest: 'created',
      usedQuote: 'created',
      keyHeldMs: 240_000,
    }
    const twin = imitateService(found).behaviours
    expect(twin).toMatchObject({idempotency: 'ignore', quoteUse: 'many'})
    expect(trustKnowledge(await probe(twin))).toEqual(trustKnowledge(found))
  })
})
