// A mistake that the service refused is mended under the same key; what may have been made is never changed.
import {describe, expect, it} from 'vitest'
import {refusal, servePayments} from '../support/scripted-service.ts'
import {payment} from '../support/payments.ts'
import {run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'
import {
  type Host,
  countSent,
  countStates,
  createHost,
  createRows,
  pay,
  readJournal,
  reconcile,
  runPayouts,
  briefly,
} from './attack.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const plain = refusal(400, 'BAD_REQUEST', 'The balance is too small')

// Pays with one flag of the usual payment replaced.
const payWith = ({home, env}: Host, flag: string, value: string) => {
  const args = payment('rent', '10')
  return run(home, [...args.with(args.indexOf(flag) + 1, value), '--yes', '--timeout', '900ms'], {env})
}

const readHistory = async (host: Host): Promise<Array<{what: string}>> =>
  (await readJournal(host, 'rent'))['history'] as Array<{what: string}>

describe('a key whose payment was not made', () => {
  it('takes a mended destination after the service gave no quote, shows the change and keeps it', async () => {
    const service = await servePayments()
    const host = createHost(service)
    service.unknownIds.add('typo')
    expect((await payWith(host, '--to', 'typo')).code).toBe(3)
    const {code, err} = await pay(host, 'rent', '10')
    expect(code).toBe(0)
    expect(err).toContain('typo')
    expect(err).toContain(seeded.externalWallet)
    const changed = (await readHistory(host)).filter(({what}) => what === 'CONTENT_CHANGED')
    expect(changed).toHaveLength(1)
    expect(JSON.stringify(changed)).toContain('typo')
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(countSent(service)).toBe(1)
  })

  it('takes a mended amount after the service refused the transaction and the list cleared it', async () => {
    const service = await servePayments()
    const host = createHost(service)
    service.script({acts: 'never', reply: plain})
    expect((await pay(host, 'rent', '1000')).code).toBe(3)
    service.clock.advance(7 * 60_000)
    const {code, err} = await pay(host, 'rent', '100')
    expect(code).toBe(0)
    expect(err).toMatch(/1000.*100/s)
    expect(service.transactions).toMatchObject([{source: {sourceAmount: '100'}}])
    expect(await reconcile(host)).toEqual({code: 0, findings: []})
  })

  it('takes a mended amount after a limit stopped it, and a person abandoned it', async () => {
    const service = await servePayments({svcFee: '5'})
    const host = createHost(service)
    expect((await pay(host, 'rent', '1000', '--max-fee', '1')).code).toBe(10)
    service.script({acts: 'never', reply: 'reset'})
    expect((await pay(host, 'rent', '100', ...briefly)).code).toBe(7)
    const abandon = ['journal', 'settle', 'rent', '--abandon', '--why', 'ticket 4711', '--yes']
    expect((await run(host.home, abandon, {env: host.env})).code).toBe(0)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(service.transactions).toMatchObject([{source: {sourceAmount: '10'}}])
  })

  it('is mended in a payout file', async () => {
    const service = await servePayments()
    const host = createHost(service)
    service.unknownIds.add('typo')
    const rows = createRows(3)
    const wrong = rows.with(1, {...rows[1], to: 'typo'} as (typeof rows)[number])
    const first = await runPayouts(host, wrong, '--json')
    expect([first.code, countStates(first)]).toEqual([9, {CREATED: 2, REJECTED: 1}])
    const mended = await runPayouts(host, rows, '--json')
    expect([mended.code, countStates(mended)]).toEqual([0, {CREATED: 3}])
    expect(mended.err).toContain('typo')
    expect(countSent(service)).toBe(3)
  })

  it('is mended in a payout file after the transaction was refused', async () => {
    const service = await servePayments()
    const host = createHost(service)
    service.script({acts: 'never', reply: plain, times: 2})
    expect(countStates(await runPayouts(host, createRows(2, {amount: '1000'}), '--json'))).toEqual({REJECTED: 2})
    service.clock.advance(7 * 60_000)
    const mended = await runPayouts(host, createRows(2), '--json')
    expect([mended.code, countStates(mended)]).toEqual([0, {CREATED: 2}])
    const amounts = service.transactions.map(({source}) => (source as {sourceAmount: string}).sourceAmount)
    expect(amounts.toSorted()).toEqual(['1.01', '2.01'])
  })
})

describe('a key whose payment may have been made', () => {
  it.each([
    ['the reply was lost', {reply: 'reset'} as const],
    ['the reply was lost and nothing was made yet', {acts: 'never', reply: 'reset'} as const],
    ['the reply is a conflict', {acts: 'never', reply: refusal(409, 'X', 'idempotency key used')} as const],
  ])('never takes other content: %s', async (_, step) => {
    const service = await servePayments({keys: 'ignored', quotes: 'many', listLagMs: 60_000})
    const host = createHost(service)
    service.script(step)
    expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    const {code, err} = await pay(host, 'rent', '11')
    expect([2, 7]).toContain(code)
    expect(err).toContain('rent')
    expect(countSent(service)).toBe(1)
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'UNKNOWN'})
  })

  it('never takes other content in a payout file', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many', listLagMs: 60_000})
    const host = createHost(service)
    service.script({reply: 'reset', times: 2})
    expect((await runPayouts(host, createRows(2), ...briefly)).code).toBe(7)
    expect((await runPayouts(host, createRows(2, {amount: '77'}))).code).not.toBe(0)
    expect(countSent(service)).toBe(2)
  })

  it('never takes other content once it was made', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many'})
    const host = createHost(service)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect((await pay(host, 'rent', '11')).code).toBe(2)
    expect((await payWith(host, '--to', 'elsewhere')).code).toBe(2)
    expect(countSent(service)).toBe(1)
  })

  it('is looked for under its old content, where a refused payment turned out to be made', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many'})
    const host = createHost(service)
    // Refused, and made a minute later, with the list of the first customer.
    service.script({acts: {afterMs: 60_000}, reply: plain})
    expect((await pay(host, 'rent', '10')).code).toBe(3)
    service.clock.advance(60_000)
    const {code, err} = await payWith(host, '--customer', '00000000-0000-4000-8000-000000000002')
    expect(code).not.toBe(0)
    expect(err).toContain('rent')
    expect([countSent(service), service.transactions.length]).toEqual([1, 1])
  })
})
