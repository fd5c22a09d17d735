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

  it('takes no amount that is finer than the currency that a person chooses', async () => {
    const args = [...short('rent'), ...inSandbox].map((word) => (word === '10' ? '10.0000001' : word))
    const screen = onTerminal(freshHome(), args)
    await choose(screen, 'Currency that leaves the account', 'usdc', 'USDC')
    await waitForText(screen, 'has more decimals than USDC has, which is 6')
    expect(await screen.ended).toBe(2)
  })
})

const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'
const fromDeposits = ['--from', deposits, '--from-method', 'ACH', '--to', seeded.wallet, '--to-currency', 'USDC']

// Each side of a payment has a currency that its account decides, and no flag says.
it.each<[what: string, args: string[], message: string]>([
  ['to pay', ['pay', ...fromDeposits, '--amount', '5.001'], 'has more decimals than USD has, which is 2'],
  [
    'to arrive',
    ['pay', '--from', seeded.wallet, ...inUsdc, '--to', seeded.sepaAccount, '--receive', '5.001'],
    'has more decimals than EUR has, which is 2',
  ],
  ['of a row', ['payouts', 'run', 'rows.csv'], 'line 2: The amount has more decimals than USD has, which is 2'],
])('refuses an amount %s that is finer than the currency of its account', async (_, args, message) => {
  const home = freshHome()
  const row = `a,${seeded.customer},${deposits},ACH,${seeded.wallet},USDC,5.001`
  const file = `key,customer,from,from-method,to,to-currency,amount\n${row}\n`
  fs.writeFileSync(path.join(home.folder, 'rows.csv'), file)
  const payer = args[0] === 'pay' ? ['--customer', seeded.customer, '--key', 'a'] : []
  const {code, err} = await run(home, [...args, ...payer, '--yes', ...inSandbox])
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
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
