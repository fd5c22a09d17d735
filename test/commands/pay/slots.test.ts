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
    const runs = ['2027-03-28T00:30:00Z', '2027-03-28T23:30:00Z']
    for (const slot of runs) {
      const flags = ['--slot', slot, '--slot-zone', 'europe/berlin', '--quiet']
      expect(await pay(home, service, 'rent-{date}', ...flags)).toMatchObject({code: 0})
    }
    expect(await listKeys(home, service)).toEqual(['rent-2027-03-28', 'rent-2027-03-29'])
    const shown = await run(home, ['journal', 'show', 'rent-2027-03-29', '--json'], {env: service.env})
    expect(json(shown.out)['template']).toBe('rent-{date} in Europe/Berlin')
  })

  it('is read from SVC_SLOT_ZONE, and an unknown one is rejected before anything is sent', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const flags = ['--slot', '2026-11-15T00:30:00Z', '--quiet']
    const inZone = (zone: string) => ({...service, env: {...service.env, SVC_SLOT_ZONE: zone}})
    expect(await pay(home, inZone('America/New_York'), 'rent-{date}', ...flags)).toMatchObject({code: 0})
    expect(await listKeys(home, service)).toEqual(['rent-2026-11-14'])
    const sent = service.requests.length
    const {code, err} = await pay(home, inZone('Berlin'), 'rent-{date}', ...flags)
    expect(code).toBe(2)
    expect(err).toContain('"Berlin" is not a time zone')
    expect(service.requests).toHaveLength(sent)
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
