// svc sandbox accounts, fund and settle: output on a terminal, in a pipe and as JSON, and rejected input.
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {freshHome, type Home, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'
const processing = '08453f1a-c9c6-45d0-9ab5-159985b690a4'
const awaiting = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'
const unknownId = '00000000-0000-4000-8000-000000000000'

interface Account {
  paymentAccountId: string
  paymentAccountStatus: string
  balances: Record<string, string>
}

async function readWalletBalance(home: Home): Promise<string | undefined> {
  const {out} = await run(home, ['sandbox', 'accounts', 'list', '--customer', zoe, '--json'])
  const {paymentAccounts} = json(out) as unknown as {paymentAccounts: Account[]}
  return paymentAccounts.find(({paymentAccountId}) => paymentAccountId === wallet)?.balances['USDC']
}

describe('svc sandbox accounts list', () => {
  it('shows accounts and balances on a terminal', async () => {
    const screen = onTerminal(freshHome(), ['sandbox', 'accounts', 'list', '--customer', zoe])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('(pending)')
    expect(screen.text()).toContain('2666.50 USDC')
  })

  it('rejects a missing customer, one that is not a UUID, and one that does not exist', async () => {
    const home = freshHome()
    const list = async (...flags: string[]) => (await run(home, ['sandbox', 'accounts', 'list', ...flags])).code
    expect([await list(), await list('--customer', '7'), await list('--customer', unknownId)]).toEqual([2, 2, 5])
  })
})

describe('svc sandbox accounts add', () => {
  const add = ['sandbox', 'accounts', 'add', '--customer', zoe]

  it('prints it in a pipe and as JSON, and nothing with --quiet', async () => {
    const home = freshHome()
    const args = [...add, '--type', 'SVC_CRYPTO_WALLET', '--chain', 'POLYGON', '--balance', '500']
    expect((await run(home, args)).out).toMatch(/BALANCE +500\.00 USDC/)
    expect(json((await run(home, [...args, '--nickname', 'Till', '--json'])).out)).toMatchObject({
      nickname: 'Till',
      paymentAccountStatus: 'ACTIVE',
      balances: {USDC: '500.00'},
    })
    expect(await run(home, [...args, '--quiet'])).toEqual({code: 0, out: '', err: ''})
  })

  it('adds the bank account of somebody else by name, who is then the payee', async () => {
    const home = freshHome()
    const holder = ['--holder', 'Papier Vogel GmbH']
    const bank = [...add, '--type', 'EXTERNAL_BANK_ACCOUNT', '--method', 'SEPA', ...holder]
    expect(json((await run(home, [...bank, '--json'])).out)).toMatchObject({paymentAccountStatus: 'ACTIVE'})
    const {out} = await run(home, ['accounts', 'list', '--customer', zoe, '-p', 'sandbox', '--json'])
    expect(out).toContain('"bankAccountOwnerName": "Papier Vogel GmbH"')
    const refused = await run(home, [...add, '--type', 'SVC_CRYPTO_WALLET', ...holder])
    expect(refused).toMatchObject({code: 2, out: ''})
    expect(refused.err).toContain('Only a bank account has a holder')
    expect((await run(home, [...bank, '--pending'])).code).toBe(2)
  })

  it('rejects contradictions, and names every missing flag at once', async () => {
    const home = freshHome()
    const missing = await run(home, ['sandbox', 'accounts', 'add'])
    expect(missing).toMatchObject({code: 2, out: ''})
    expect(missing.err).toMatch(/--customer.*--type/)
    const args = [...add, '--type', 'SVC_CRYPTO_WALLET', '--chain', 'BASE', '--currency', 'USDT']
    const wrong = await run(home, args)
    expect(wrong).toMatchObject({code: 2, out: ''})
    expect(wrong.err).toContain('There is no USDT on BASE')
  })
})

describe('svc sandbox fund', () => {
  it('sends the transfer that a transaction waits for, in a pipe and as JSON', async () => {
    const home = freshHome()
    const {code, out} = await run(home, ['sandbox', 'fund', deposits, '--amount', '120', '--json'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({transactionId: awaiting, transactionStatus: 'PROCESSING'})
    expect((await run(home, ['sandbox', 'fund', wallet, '--amount', '1'])).out).toMatch(/BALANCE +2667\.50 USDC/)
  })

  it('rejects a missing or bad amount, an unknown account, and an amount that no transaction waits for', async () => {
    const home = freshHome()
    const fund = async (...args: string[]) => (await run(home, ['sandbox', 'fund', ...args])).code
    expect(await fund(wallet)).toBe(2)
    expect(await fund(wallet, '--amount', '0')).toBe(2)
    expect(await fund(wallet, '--amount', '1e3')).toBe(2)
    expect(await fund(unknownId, '--amount', '1')).toBe(5)
    expect(await fund(deposits, '--amount', '7')).toBe(2)
    expect(await readWalletBalance(home)).toBe('2666.50')
  })
})

describe('svc sandbox settle', () => {
  it('returns the money of a failed transaction, in a pipe and as JSON', async () => {
    const home = freshHome()
    const {out} = await run(home, ['sandbox', 'settle', processing, '--outcome', 'failed'])
    expect(out).toMatch(/STATUS +FAILED/)
    expect(await readWalletBalance(home)).toBe('2691.50')
    const expired = await run(home, ['sandbox', 'settle', awaiting, '--outcome', 'expired', '--json'])
    expect(json(expired.out)).toMatchObject({transactionId: awaiting, transactionStatus: 'EXPIRED'})
  })

  it('takes the key of a payment', async () => {
    const home = freshHome()
    await run(home, [...payment('rent', '10'), ...inSandbox, '--quiet'])
    const {code, out} = await run(home, ['sandbox', 'settle', 'rent', '--outcome', 'failed'])
    expect({code, out}).toEqual({code: 0, out: expect.stringMatching(/STATUS +FAILED/)})
  })

  it('rejects an impossible transition, an unknown transaction, and an unknown outcome', async () => {
    const home = freshHome()
    const impossible = await run(home, ['sandbox', 'settle', processing, '--outcome', 'expired'])
    expect(impossible).toMatchObject({code: 2, out: ''})
    expect(impossible.err).toContain('The transaction is PROCESSING: it cannot become EXPIRED')
    expect((await run(home, ['sandbox', 'settle', unknownId, '--outcome', 'failed'])).code).toBe(5)
    expect((await run(home, ['sandbox', 'settle', 'x', '--outcome', 'failed'])).code).toBe(2)
    expect((await run(home, ['sandbox', 'settle', processing, '--outcome', 'lost'])).code).toBe(2)
  })
})
