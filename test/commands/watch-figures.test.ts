// svc quotes watch and svc balance watch: once for cron, a line per change, on a terminal, and rejected.
import {describe, expect, it} from 'vitest'
import {inSandbox, pay, payment} from '../support/payments.ts'
import {customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onPty, onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const route = [...payment('watched', '10').slice(1, -2), ...inSandbox]
const watchRate = (...flags: string[]) => ['quotes', 'watch', ...route, ...flags]
const watchBalance = (...flags: string[]) => ['balance', 'watch', seeded.customer, ...inSandbox, ...flags]

describe('svc quotes watch', () => {
  it('prints the rate once, and ends with 12 if it is below the alert', async () => {
    const home = freshHome()
    const {code, out, err} = await run(home, watchRate('--once', '--alert-below', '0.5'))
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT\S+Z {2}[\d.]+ USDC\/USDC\n$/)
    const low = await run(home, watchRate('--once', '--alert-below', '5', '--quiet'))
    expect(low).toMatchObject({code: 12, out: ''})
    expect(low.err).toMatch(/^svc: The rate was [\d.]+ USDC\/USDC, which is below 5\.\n$/)
  })

  it('prints lines of JSON until --timeout', async () => {
    const {code, out} = await run(freshHome(), watchRate('--json', '--interval', '10m', '--timeout', '35m'))
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n').map(json)
    expect(lines[0]).toMatchObject({rate: expect.any(String), from: 'USDC', to: 'USDC', amount: '10'})
    expect(lines[0]).toHaveProperty('received')
  })

  it('names every missing flag, and rejects a format without lines', async () => {
    const home = freshHome()
    expect(await run(home, ['quotes', 'watch'])).toMatchObject({
      code: 2,
      err: 'svc: Missing --customer, --from, --to, --amount. See `svc quotes watch --help`.\n',
    })
    expect((await run(home, watchRate('-o', 'csv'))).err).toContain('Changes cannot be printed as csv')
    expect((await run(home, watchRate('--alert-below', 'low'))).code).toBe(2)
  })

  it('shows a live line with a chart on a terminal, and leaves it clean', async () => {
    const screen = onTerminal(freshHome(), watchRate('--interval', '1m', '--timeout', '3m', '--alert-below', '5'))
    expect(await screen.ended).toBe(12)
    expect(screen.text()).toContain('Warning: the rate is')
    expect(screen.text()).toMatch(/Rate [\d.]+ USDC\/USDC · below 5 [▁▂▃▄▅▆▇█]+/)
    expect(screen.text()).toMatch(/The rate is [\d.]+ USDC\/USDC, from [\d.]+ to [\d.]+ in 3 min\./)
    // No line is as wide as the terminal, so none wraps.
    for (const line of screen.raw().split(/[\r\n]/)) expect(line.length).toBeLessThan(100)
  })

  it('ends on Ctrl-C with a clean line', async () => {
    const screen = onPty(freshHome(), watchRate('--interval', '1h'))
    await screen.waitFor('next in')
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    expect(screen.words()).toMatch(/The rate is [\d.]+ USDC\/USDC, from/)
  })
})

describe('svc balance watch', () => {
  it('prints the balance of the only wallet, and each change', async () => {
    const home = freshHome()
    expect((await run(home, watchBalance('--once'))).out).toMatch(/ {2}2666\.50 USDC\n$/)
    await pay(home, 'rent', '100')
    const {code, out} = await run(home, watchBalance('--once', '--json', '--alert-below', '2600'))
    expect(code).toBe(12)
    expect(json(out)).toMatchObject({
      balance: '2566.50',
      currency: 'USDC',
      paymentAccountId: seeded.wallet,
      isEstimated: false,
      isBelow: true,
    })
  })

  it('names the wallets if there are several, and finds one by its first characters', async () => {
    const home = freshHome()
    const add = ['--customer', seeded.customer, '--type', 'SVC_CRYPTO_WALLET', '--chain', 'BASE', '--currency', 'USDC']
    await run(home, ['balance', seeded.customer, ...inSandbox])
    expect((await run(home, ['sandbox', 'accounts', 'add', ...add])).code).toBe(0)
    const {code, err} = await run(home, watchBalance('--once'))
    expect(code).toBe(2)
    expect(err).toContain('2 balances match')
    expect(err).toContain(`--account ${seeded.wallet} --currency USDC`)
    expect((await run(home, watchBalance('--once', '--account', seeded.wallet.slice(0, 8)))).out).toContain('2666.50')
    expect((await run(home, watchBalance('--once', '--currency', 'EUR'))).code).toBe(5)
  })

  it('adds up what is left of a deposit where the service tells no balances, and refuses to guess', async () => {
    const wallet = {
      paymentAccountId: 'wallet-1',
      paymentAccountType: 'SVC_CRYPTO_WALLET',
      customerId: customerId(1),
      svcCryptoWallet: {cryptoWalletType: 'EVM', address: {address: '0xabc', chain: 'BASE'}},
    }
    const usdc = {label: 'USDC', chain: 'BASE', contractAddress: '0x1', currencyDecimals: 6}
    const send = (transactionStatus: string, sourceAmount: string) => ({
      transactionId: customerId(2),
      transactionStatus,
      source: {sourcePaymentAccountId: 'wallet-1', sourceCurrency: usdc, sourceAmount},
      destination: {destinationPaymentAccountId: 'x', destinationCurrency: usdc, destinationAmount: sourceAmount},
    })
    const transactions = [send('COMPLETED', '100.10'), send('PROCESSING', '50'), send('FAILED', '70')]
    const {env} = await serve(({path}, response) =>
      reply(response, 200, path === '/transactions' ? {transactions} : {paymentAccounts: [wallet]}),
    )
    const home = freshHome()
    const watch = ['balance', 'watch', customerId(1), '--once']
    expect((await run(home, [...watch, '--deposited', '1000'], {env})).out).toMatch(/ {2}849\.9 USDC\n$/)
    const {code, err} = await run(home, watch, {env})
    expect(code).toBe(2)
    expect(err).toContain('tells no balances')
  })
})
