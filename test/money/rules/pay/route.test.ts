// svc pay without the currencies and methods that its accounts decide.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../../support/payments.ts'
import {type PaymentService, servePayments} from '../../../support/scripted-service.ts'
import {type Home, freshHome, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {seeded} from '../../../support/transactions.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {choose, waitForText} from '../../../support/wizard-keys.ts'

useVirtualTime()

const accounts = ['--customer', seeded.customer, '--from', seeded.wallet, '--to', seeded.externalWallet]
const short = (key: string, ...flags: string[]) => ['pay', ...accounts, '--amount', '10', '--key', key, ...flags]
const inUsdc = ['--from-currency', 'USDC']

const pay = (home: Home, {env}: PaymentService, args: readonly string[]) =>
  run(home, [...args, '--yes'], {env: {...env, SVC_RESEND: 'yes'}})

// From now on the external wallet of the service is on another chain.
function moveWallet(service: PaymentService, chain: string): void {
  service.present = (answer, {path: to}) => {
    if (to !== '/payment-accounts') return answer
    const text = JSON.stringify(answer.body)
    const [before, after] = [text.slice(0, text.indexOf('externalCrypto')), text.slice(text.indexOf('externalCrypto'))]
    return {...answer, body: JSON.parse(before + after.replaceAll('SOLANA', chain)) as unknown}
  }
}

describe('a payment without what its accounts decide', () => {
  it('is settled by its recorded route, whatever became of the account', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const lost = service.script({acts: 'never', reply: 'reset', times: 99})
    expect((await pay(home, service, short('rent', ...inUsdc, '--timeout', '1s'))).code).toBe(7)
    lost.remove()
    moveWallet(service, 'BASE')
    const before = service.requestsTo('GET /payment-accounts').length
    // The same payment, with its whole route.
    const {code} = await pay(home, service, payment('rent', '10'))
    expect({code, made: service.transactions.length}).toEqual({code: 0, made: 1})
    expect(service.requestsTo('GET /payment-accounts')).toHaveLength(before)
    expect(service.transactions[0]?.['destination']).toMatchObject({destinationPaymentMethod: 'SOLANA'})
  })

  it('says that the route is another one, if the account has changed since nothing was paid', async () => {
    const [home, service] = [freshHome(), await servePayments({svcFee: '1'})]
    expect((await pay(home, service, short('rent', ...inUsdc, '--max-fee', '0'))).code).toBe(10)
    moveWallet(service, 'BASE')
    const {code, err} = await pay(home, service, short('rent', ...inUsdc, '--quiet'))
    expect([code, err]).toEqual([0, expect.stringMatching(/not as in an earlier run, .*SOLANA.*BASE/)])
    expect(service.transactions[0]?.['destination']).toMatchObject({destinationPaymentMethod: 'BASE'})
  })

  it('asks a person only for the choice, and then for the price', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...short('rent'), ...inSandbox])
    await choose(screen, 'Currency that leaves the account', 'usdc', 'USDC')
    await waitForText(screen, '? Pay this')
    expect(screen.text()).not.toMatch(/Developer fee|Guarantee/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
  })
})

it('svc pay has no file of the journal after what it refuses by itself', async () => {
  const [home, service] = [freshHome(), await servePayments()]
  fs.writeFileSync(path.join(home.folder, 'memo.yaml'), `source: {memo: June}`)
  expect(await pay(freshHome(), service, short('rent'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--from-currency is needed: .* takes USDC, USDT or another currency/) as string,
  })
  expect(service.requests.splice(0).map(({path: to}) => to)).toEqual(['/payment-accounts'])
  for (const [args, words] of [
    [['pay', '--customer', seeded.customer], 'Missing --from, --to, --amount or --receive, --key.'],
    [[...payment('rent', '10'), '-f', 'memo.yaml'], 'source.memo is not a field of the interface'],
    [payment('rent', '0'), 'source.sourceAmount should be more than 0'],
  ] as const) {
    expect(await pay(home, service, args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(words) as string,
    })
  }
  expect(service.requests).toEqual([])
  expect(fs.existsSync(path.join(home.folder, 'config', 'state', 'journal.sqlite'))).toBe(false)
})
