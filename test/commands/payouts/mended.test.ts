// svc payouts run with a file that was mended: a row keeps its key, as long as nothing can have been made under it.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {addBankAccounts, bank, createRow, readStates, writePayroll} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const typo = 'e6086267-7e5a-4a91-b136-a94b38bbbfb9'

const runPayouts = (home: Home, {env}: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env})

describe('a mended row', () => {
  it('that the service rejected is paid under its key, and the change is shown even with --quiet', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.script({
      matches: ({body}) => body.length > 0,
      reply: refusal(400, 'BAD_REQUEST', 'destination: no such account'),
      acts: 'never',
    })
    const file = writePayroll(home, [createRow('a', {to: typo})])
    expect(await runPayouts(home, service, file)).toMatchObject({code: 3})
    expect(readStates(home)).toEqual(['REJECTED'])
    writePayroll(home, [createRow('a', {amount: '3'}), createRow('b', {amount: '4'})])
    const {code, out, err} = await runPayouts(home, service, file, '--quiet', '--json')
    expect(json(out)).toMatchObject({
      payouts: [
        {key: 'a', state: 'CREATED'},
        {key: 'b', state: 'CREATED'},
      ],
    })
    expect({code, err}).toEqual({
      code: 0,
      err: `Warning: 1 row had other content in an earlier run, which paid nothing for it; svc pays what the file has now\n  line 2, a: amount 2.5 USDC → 3 USDC; to ${typo} → ${bank}.\n`,
    })
    expect(service.transactions.map((one) => (one['source'] as Record<string, unknown>)['sourceAmount'])).toEqual(
      expect.arrayContaining(['3', '4']),
    )
    const {out: shown} = await run(home, ['journal', 'show', 'a', '--json'], {env: service.env})
    expect(shown).toContain('CONTENT_CHANGED')
    expect(shown).toContain(`amount 2.5 USDC → 3 USDC; to ${typo} → ${bank}`)
  })

  it('carries its changes in JSON, and a dry run shows them', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    addBankAccounts(service)
    service.unknownIds.add(typo)
    const file = writePayroll(home, [createRow('a', {to: typo})])
    expect((await runPayouts(home, service, file)).code).toBe(3)
    writePayroll(home, [createRow('a')])
    const dry = await runPayouts(home, service, file, '--dry-run')
    expect(dry).toMatchObject({code: 0})
    expect(dry.err).toContain(
      `1 row had other content in an earlier run, which paid nothing for it; a run would pay what the file has now\n  line 2, a: to ${typo} → ${bank}`,
    )
    const {out} = await runPayouts(home, service, file, '--json')
    expect((json(out)['payouts'] as unknown[])[0]).toMatchObject({
      state: 'CREATED',
      changes: [`to ${typo} → ${bank}`],
    })
    const again = await runPayouts(home, service, file)
    expect(again).toMatchObject({code: 0})
    expect(again.err).not.toContain('earlier run, which')
  })

  it('that was made or may have been made is a problem of the file, before anything is sent', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, [createRow('made')])
    await runPayouts(home, service, file)
    const lost = service.script({reply: 'reset', acts: 'never', times: 9})
    writePayroll(home, [createRow('maybe', {amount: '7'})])
    expect((await runPayouts(home, service, file, '--timeout', '1s')).code).toBe(7)
    lost.remove()
    const before = service.requests.length
    writePayroll(home, [createRow('made', {amount: '3'}), createRow('maybe', {amount: '8'}), createRow('new')])
    const {code, err} = await runPayouts(home, service, file)
    expect(code).toBe(2)
    expect(err).toContain('line 2: the key made belongs to a payment with other content, which was made')
    expect(err).toContain('line 3: the key maybe belongs to a payment with other content, which may have been made')
    expect(service.requests).toHaveLength(before)
  })
})
