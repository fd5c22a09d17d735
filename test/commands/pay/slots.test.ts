// svc pay with a slot in its key: the zone, a wrong clock, missed slots and catching up.
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const pay = (home: Home, {env}: PaymentService, key: string, ...flags: string[]) =>
  run(home, [...payment(key, '10'), '--yes', ...flags], {env})

async function listKeys(home: Home, {env}: PaymentService): Promise<string[]> {
  const {out} = await run(home, ['journal', 'list', '--json'], {env})
  const payments = json(out)['payments'] as Array<{key: string; state: string; slot: string}>
  return payments
    .filter(({state}) => state === 'CREATED')
    .toSorted((one, other) => (one.slot < other.slot ? -1 : 1))
    .map(({key}) => key)
}

describe('--slot-zone', () => {
  it('counts days in that zone, so that a job at 01:30 pays every day when the clocks change', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const runs = ['2026-03-29T00:30:00Z', '2026-03-29T23:30:00Z']
    for (const slot of runs) {
      const flags = ['--slot', slot, '--slot-zone', 'europe/berlin', '--quiet']
      expect(await pay(home, service, 'rent-{date}', ...flags)).toMatchObject({code: 0})
    }
    expect(await listKeys(home, service)).toEqual(['rent-2026-03-29', 'rent-2026-03-30'])
    const shown = await run(home, ['journal', 'show', 'rent-2026-03-30', '--json'], {env: service.env})
    expect(json(shown.out)['template']).toBe('rent-{date} in Europe/Berlin')
  })

  it('is rejected before anything is sent if it is unknown', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const flags = ['--slot', '2026-11-15T00:30:00Z', '--slot-zone', 'Berlin', '--quiet']
    const {code, err} = await pay(home, service, 'rent-{date}', ...flags)
    expect(code).toBe(2)
    expect(err).toContain('"Berlin" is not a time zone')
    expect(service.requests).toEqual([])
  })
})

describe('a slot that was made before', () => {
  it('is said to be the same slot if the time is another one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const at = (time: string) => pay(home, service, 'rent-{date}', '--slot', time)
    await at('2026-11-15T00:30:00Z')
    expect((await at('2026-11-15T00:30:00Z')).err).toMatch(/was made before, at \S+ \S+ UTC; nothing was sent\.\n/)
    const {code, err} = await at('2026-11-15T23:30:00Z')
    expect(code).toBe(0)
    expect(err).toMatch(
      /rent-2026-11-15 was made before, at .* UTC, for 2026-11-15 00:30 UTC; 2026-11-15 23:30 UTC is in the same slot, so nothing was sent\./,
    )
    expect(service.transactions).toHaveLength(1)
  })
})

describe('a clock that differs from the service’s', () => {
  it.each([
    [130_000, /is 2 min( \d+ s)? behind that of the service/],
    [-3_600_000, /is 1 h( \d+ s)? ahead of that of the service/],
  ])('by %d ms stops a slot that it chose, before anything is sent', async (dateSkewMs, words) => {
    const [home, service] = [freshHome(), await servePayments({dateSkewMs})]
    const {code, out, err} = await pay(home, service, 'rent-{date}', '--json')
    expect({code, out}).toEqual({code: 10, out: ''})
    expect(json(err)).toMatchObject({error: 'CLOCK_DIFFERS', exitCode: 10})
    expect(json(err)['message']).toMatch(words)
    expect(service.requestsTo('POST /quotes')).toEqual([])
    expect(service.transactions).toEqual([])
    const dry = await pay(home, service, 'rent-{date}', '--dry-run', '--json')
    expect(dry.code).toBe(10)
  })

  it('does not matter below two minutes, with --slot, without a slot, or without a Date', async () => {
    const [home, service] = [freshHome(), await servePayments({dateSkewMs: 110_000})]
    expect(await pay(home, service, 'rent-{date}', '--quiet')).toMatchObject({code: 0})
    service.behaviour.dateSkewMs = 200_000
    expect(await pay(home, service, 'rent-{date}', '--slot', '2026-11-01', '--quiet')).toMatchObject({code: 0})
    expect(await pay(home, service, 'rent', '--quiet')).toMatchObject({code: 0})
    service.behaviour.hasDate = false
    expect(await pay(home, service, 'wage-{date}', '--quiet')).toMatchObject({code: 0})
  })

  it('does not matter in the embedded sandbox, whose clock may be moved', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'clock', 'advance', '5d', '--quiet'])
    const args = [...payment('rent-{date}', '10'), ...inSandbox, '--quiet']
    expect(await run(home, args)).toEqual({code: 0, out: '', err: ''})
  })

  it('is reported for a slot that was made before, since it may not be the present one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect(await pay(home, service, 'rent-{date}', '--quiet')).toMatchObject({code: 0})
    service.behaviour.dateSkewMs = 86_400_000
    const {code, out, err} = await pay(home, service, 'rent-{date}', '--json')
    expect(code).toBe(10)
    expect(json(out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
    expect(err).toMatch(/is 23 h 59 min behind that of the service/)
  })
})

describe('a slot that has not come yet', () => {
  const dayMs = 86_400_000
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
  const key = 'rent-{date}'

  it('ends a script with 10, and --early pays it', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const flags = ['--slot', inDays(37)]
    const {code, out, err} = await pay(home, service, key, ...flags, '--json')
    expect({code, out}).toEqual({code: 10, out: ''})
    expect(json(err)).toMatchObject({error: 'SLOT_AHEAD', exitCode: 10})
    expect(json(err)['message']).toBe(
      `Nothing was sent for rent-${inDays(37)}: its slot, ${inDays(37)} 00:00 UTC, has not come yet.`,
    )
    expect(service.requestsTo('POST /quotes')).toEqual([])
    expect((await pay(home, service, key, ...flags, '--dry-run')).code).toBe(10)
    expect((await pay(home, service, key, ...flags, '--early')).code).toBe(0)
    // A slot that was paid is only shown.
    expect((await pay(home, service, key, ...flags)).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })

  it('is asked about in a terminal, before the price', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const args = [...payment(key, '10'), '--slot', inDays(37)]
    const start = () => onTerminal(home, args, {cols: 120, env: service.env})
    const refused = start()
    await refused.waitFor('Pay it now, before its time?')
    expect(refused.text()).toContain(`the slot of rent-${inDays(37)}, ${inDays(37)} 00:00 UTC, has not come yet`)
    expect(refused.text()).not.toContain('Arrives')
    refused.type('n\r')
    expect(await refused.ended).toBe(130)
    const paid = start()
    await paid.waitFor('Pay it now, before its time?')
    paid.type('y\r')
    await paid.waitFor(`as rent-${inDays(37)}?`)
    paid.type('y\r')
    expect(await paid.ended).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })

  it('is none if it is the present one, or if the service is there already', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect((await pay(home, service, key, '--slot', `${inDays(0)}T23:59:59Z`)).code).toBe(0)
    expect((await pay(home, service, 'wage-{month}', '--slot', new Date(Date.now() + 1000).toISOString())).code).toBe(0)
    await run(home, ['sandbox', 'clock', 'advance', '40d', '--quiet'])
    const inTheSandbox = [...payment(key, '10'), ...inSandbox, '--slot', inDays(37), '--quiet']
    expect((await run(home, inTheSandbox)).code).toBe(0)
  })

  it('makes no slot missed that has not come either', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, key, '--slot', inDays(-3))
    const {err} = await pay(home, service, key, '--slot', inDays(37), '--early')
    expect(err).toContain(
      `Missed since rent-${inDays(-3)}: rent-${inDays(-2)}, rent-${inDays(-1)}. Pay them with --catch-up 2, oldest first.`,
    )
  })
})

describe('missed slots', () => {
  const payFor = (home: Home, service: PaymentService, slot: string, ...flags: string[]) =>
    pay(home, service, 'rent-{date}', '--slot', slot, ...flags)

  it('are named, and paid with --catch-up, oldest first, once each', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect((await payFor(home, service, '2026-11-10T01:30:00Z')).err).not.toContain('Missed')
    const late = '2026-11-14T01:30:00Z'
    const named = await payFor(home, service, late, '--dry-run', '--quiet')
    expect(named.err).toBe(
      'Warning: Missed since rent-2026-11-10: rent-2026-11-11, rent-2026-11-12, rent-2026-11-13. Pay them with --catch-up 3, oldest first.\n',
    )
    const {code, out, err} = await payFor(home, service, late, '--catch-up', '2', '--json')
    expect(code).toBe(0)
    expect(err).toContain('Missed since rent-2026-11-10, to be paid first: rent-2026-11-11, rent-2026-11-12.\n')
    expect(err).toMatch(
      /Missed, and not paid now: rent-2026-11-13\. Pay the first with --slot 2026-11-13T\d\d:30:00Z\.\n/,
    )
    expect(err).toContain(
      `The slot rent-2026-11-12 is the transaction ${String(service.transactions[2]?.['transactionId'])}.\n`,
    )
    const transactions = json(out)['transactions'] as unknown[]
    expect(transactions).toHaveLength(3)
    expect(transactions).toEqual(service.transactions.slice(1))
    const days = ['10', '11', '12', '14'].map((day) => `rent-2026-11-${day}`)
    expect(await listKeys(home, service)).toEqual(days)
    // The same day again: the one that is left can be caught up, and nothing is paid twice.
    expect(await payFor(home, service, late, '--catch-up', '5', '--quiet')).toEqual({code: 0, out: '', err: ''})
    expect(await listKeys(home, service)).toEqual([...days.slice(0, 3), 'rent-2026-11-13', 'rent-2026-11-14'])
    expect(service.transactions).toHaveLength(5)
    const again = await payFor(home, service, late, '--catch-up', '5', '--columns', 'key,from')
    expect(again.out).toMatch(/^KEY .*\nrent-2026-11-14 /)
  })

  it('stop at the first that does not end well; what was paid is printed, and a rerun goes on', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await payFor(home, service, '2026-11-10')
    service.script({skip: 1, reply: refusal(400, 'BAD_REQUEST', 'Not now'), acts: 'never'})
    const stopped = await payFor(home, service, '2026-11-14', '--catch-up', '9', '--json')
    expect(stopped.code).toBe(3)
    expect(json(stopped.out)['transactions']).toHaveLength(1)
    expect(stopped.err).toContain('The service refused the payment rent-2026-11-12')
    expect(await listKeys(home, service)).toEqual(['rent-2026-11-10', 'rent-2026-11-11'])
    service.behaviour.status = 'FAILED'
    const failed = await payFor(home, service, '2026-11-14', '--catch-up', '9', '-o', 'jsonl', '--retry-now')
    expect(failed.code).toBe(11)
    expect(failed.out.trimEnd().split('\n')).toHaveLength(1)
    service.behaviour.status = 'CREATED'
    expect((await payFor(home, service, '2026-11-14', '--catch-up', '9', '--quiet')).code).toBe(0)
    expect(service.transactions).toHaveLength(5)
  })

  it('are adopted if another host has paid them, and settled if their outcome is unknown', async () => {
    const [home, other, service] = [freshHome(), freshHome(), await servePayments()]
    await payFor(home, service, '2026-11-10')
    await payFor(other, service, '2026-11-11')
    const lost = service.script({reply: 'reset', times: 9})
    expect((await payFor(home, service, '2026-11-12', '--timeout', '1900ms')).code).toBe(0)
    lost.remove()
    const never = service.script({reply: 'reset', acts: 'never', times: 9})
    expect((await payFor(home, service, '2026-11-13', '--timeout', '1900ms')).code).toBe(7)
    never.remove()
    // Its quote can no longer be executed, and the list has shown for long enough that it was never made.
    const late = (minutes: number) => {
      service.clock.advance(minutes * 60_000)
      return payFor(home, service, '2026-11-14', '--catch-up', '9', '--timeout', '1900ms', '--json')
    }
    expect((await late(12)).code).toBe(7)
    const {code, out} = await late(7)
    expect(code).toBe(0)
    expect(json(out)['transactions']).toHaveLength(2)
    const days = ['10', '12', '13', '14'].map((day) => `rent-2026-11-${day}`)
    expect(await listKeys(home, service)).toEqual(days)
    // The eleventh lies before the last one that was made. Named by its time, it is the other host's.
    const adopted = await payFor(home, service, '2026-11-11')
    expect(adopted).toMatchObject({code: 0})
    expect(adopted.err).toContain("The payment rent-2026-11-11 was found in the service's list and adopted.")
    expect(service.transactions).toHaveLength(5)
  })

  it('are counted per zone, per hour and per month', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const dry = async (key: string, slot: string, ...flags: string[]) =>
      (await pay(home, service, key, '--slot', slot, '--dry-run', ...flags)).err
    const berlin = ['--slot-zone', 'Europe/Berlin']
    await pay(home, service, 'a-{hour}', '--slot', '2026-10-24T23:05:00Z', ...berlin)
    expect(await dry('a-{hour}', '2026-10-25T02:05:00Z', ...berlin)).toContain(
      'Missed since a-2026-10-25T01: a-2026-10-25T02+02:00, a-2026-10-25T02+01:00.',
    )
    expect(await dry('a-{hour}', '2026-10-25T02:05:00Z')).not.toContain('Missed')
    await pay(home, service, 'b-{month}', '--slot', '2026-01-31T12:00:00Z')
    expect(await dry('b-{month}', '2026-09-01T12:00:00Z')).toContain(
      'Missed since b-2026-01: b-2026-02, b-2026-03, b-2026-04, b-2026-05, b-2026-06 and 2 more. Pay them with --catch-up 7',
    )
  })

  it('are also counted per minute, per week and per quarter', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const missed = async (template: string, from: string, to: string) => {
      await pay(home, service, template, '--slot', from)
      return (await pay(home, service, template, '--slot', to, '--dry-run')).err
    }
    expect(await missed('a-{minute}', '2026-11-10T10:58:30Z', '2026-11-10T11:01:00Z')).toContain(
      'Missed since a-2026-11-10T10:58: a-2026-11-10T10:59, a-2026-11-10T11:00.',
    )
    expect(await missed('b-{week}', '2026-10-20', '2026-11-10')).toContain(
      'Missed since b-2026-W43: b-2026-W44, b-2026-W45.',
    )
    expect(await missed('c-{quarter}', '2026-01-01', '2026-11-10')).toContain(
      'Missed since c-2026-Q1: c-2026-Q2, c-2026-Q3.',
    )
  })

  it('need a template, and are each asked about in a terminal', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const wrong = await pay(home, service, 'rent', '--catch-up', '1')
    expect(wrong).toMatchObject({code: 2, out: ''})
    expect(wrong.err).toContain('--catch-up is given, but --key has no {date}')
    await payFor(home, service, '2026-11-10')
    const args = [...payment('rent-{date}', '10'), '--slot', '2026-11-12', '--catch-up', '3']
    const screen = onTerminal(home, args, {cols: 120, env: service.env})
    await screen.waitFor('as rent-2026-11-11?')
    screen.type('y\r')
    await screen.waitFor('as rent-2026-11-12?')
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(await listKeys(home, service)).toEqual(['rent-2026-11-10', 'rent-2026-11-11'])
  })
})
