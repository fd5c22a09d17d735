// Every behaviour of keys and quotes × what happens to the request × lag of the list × who pays, with a service of which
// nothing is known. What must hold in each cell: code 0 means one transaction, "was not made" means none, and time settles
// everything.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import type {Step} from '../support/scripted/behaviour.ts'
import {isInShare, shareName} from '../support/share.ts'
import type {RunResult} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {type Host, briefly, createHost, pay} from './attack.ts'

useVirtualTime()

const minuteMs = 60_000

const services = {
  'keys honoured': {keys: 'honoured'},
  'keys honoured, quotes reusable': {keys: 'honoured', quotes: 'many'},
  'keys refused': {keys: 'refused'},
  'keys per body': {keys: 'per-body', quotes: 'many'},
  'other bodies refused': {keys: 'other-body-refused', quotes: 'many'},
  'keys forgotten after a minute': {keys: 'honoured', quotes: 'many', keysForgottenAfterMs: minuteMs},
  'keys ignored': {keys: 'ignored'},
  'keys ignored, quotes reusable': {keys: 'ignored', quotes: 'many'},
} as const

const faults: Record<string, Step | undefined> = {
  'nothing fails': undefined,
  'the reply is lost': {reply: 'reset'},
  'the request is lost': {acts: 'never', reply: 'reset'},
  '504 and made 90 s later': {acts: {afterMs: 90_000}},
  '409 after it was made': {reply: refusal(409, 'CONFLICT', 'In progress')},
  '422 of a used key after it was made': {reply: refusal(422, 'REUSED', 'The idempotency key was used before')},
  'refused for another reason': {acts: 'never', reply: refusal(400, 'BAD_REQUEST', 'The balance is too small')},
}

const lags = {'no lag': 0, 'a lag of 5 minutes': 5 * minuteMs}

const cells = Object.entries(services)
  .flatMap(
    ([service, behaviour]) =>
      Object.entries(faults).flatMap(([fault, step]) =>
        Object.entries(lags).map(([lag, listLagMs]) => ({
          name: `${service}; ${fault}; ${lag}`,
          behaviour: {...behaviour, listLagMs},
          step,
        })),
      ),
    // A service that refuses what it has made, and also lists it late, is not covered (docs/assumptions.md, P6).
  )
  .filter(({step, behaviour}) => step !== faults['422 of a used key after it was made'] || behaviour.listLagMs === 0)

// Keys that do not prevent a second payment for ever.
const areKeysWeak = (behaviour: {keys: string}) =>
  ['per-body', 'ignored'].includes(behaviour.keys) || 'keysForgottenAfterMs' in behaviour

// Of each list below, a sixth is played in each run.
const playedOneIn = 6
const takeShare = <T>(list: readonly T[]) => list.filter((_, index) => isInShare(index, playedOneIn))

const weakCells = cells.filter(({behaviour}) => areKeysWeak(behaviour))

// What the outcome says must be true at that moment.
function expectTruth({code, err}: RunResult, service: PaymentService): void {
  expect([0, 3, 7, 8]).toContain(code)
  if (code === 0) expect(service.transactions.length).toBeGreaterThan(0)
  if (/was not made/.test(err)) expect(service.transactions).toEqual([])
}

// Either made, or made twice: further runs change nothing.
const isFinal = ({code, err}: RunResult) => code === 0 || err.includes('2 transactions')

// Runs again as cron would, with time in between.
async function payUntilDone(host: Host, service: PaymentService): Promise<RunResult> {
  let result = await pay(host, 'rent', '10', ...briefly)
  for (let again = 0; again < 6 && !isFinal(result); again += 1) {
    expectTruth(result, service)
    service.clock.advance(4 * minuteMs)
    result = await pay(host, 'rent', '10', ...briefly)
  }
  return result
}

describe(`one host, ${shareName}`, () => {
  it.each(takeShare(cells))('pays once: $name', async ({behaviour, step}) => {
    const service = await servePayments(behaviour)
    const host = createHost(service)
    if (step) service.script(step)
    expect((await payUntilDone(host, service)).code).toBe(0)
    service.clock.advance(10 * minuteMs)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })
})

describe(`a second host, ${shareName}`, () => {
  // Each host starts when the list shows everything that the other has made.
  it.each(takeShare(weakCells))('pays nothing after the lag: $name', async ({behaviour, step}) => {
    const service = await servePayments(behaviour)
    if (step) service.script(step)
    const first = createHost(service)
    expectTruth(await pay(first, 'rent', '10', ...briefly), service)
    for (const host of [createHost(service), first]) {
      service.clock.advance(behaviour.listLagMs + 2 * minuteMs)
      expect((await payUntilDone(host, service)).code).toBe(0)
    }
    expect(service.transactions).toHaveLength(1)
  })

  // It starts at once, so that only keys can prevent a second payment while the list lags or the first is on its way.
  it.each(takeShare(cells))(
    'at once pays a second time only where keys allow it, and then both say so: $name',
    async (cell) => {
      const {behaviour, step} = cell
      const service = await servePayments(behaviour)
      if (step) service.script(step)
      const hosts = [createHost(service), createHost(service)]
      for (const host of hosts) expectTruth(await pay(host, 'rent', '10', ...briefly), service)
      const isBlind = behaviour.listLagMs > 0 || typeof step?.acts === 'object'
      service.clock.advance(behaviour.listLagMs)
      for (const host of hosts) await payUntilDone(host, service)
      service.clock.advance(behaviour.listLagMs)
      const made = service.transactions.map(({transactionId}) => String(transactionId))
      expect(made.length).toBeLessThanOrEqual(isBlind && areKeysWeak(behaviour) ? 2 : 1)
      for (const host of hosts) {
        const {code, err} = await pay(host, 'rent', '10')
        expect(code).toBe(made.length === 1 ? 0 : 7)
        if (made.length > 1) for (const id of made) expect(err).toContain(id)
      }
    },
  )
})
