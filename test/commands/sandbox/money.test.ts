// svc sandbox accounts, fund and settle: output on a terminal, in a pipe and as JSON, and rejected input.
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {freshHome, type Home, json, run} from '../../support/svc.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'
const processing = '08453f1a-c9c6-45d0-9ab5-159985b690a4'
const awaiting = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'

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

describe('svc sandbox accounts add', () => {
  const add = ['sandbox', 'accounts', 'add', '--customer', zoe]

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
})

describe('svc sandbox fund', () => {
  it('sends the transfer that a transaction waits for, in a pipe and as JSON', async () => {
    const home = freshHome()
    const {code, out} = await run(home, ['sandbox', 'fund', deposits, '--amount', '120', '--json'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({transactionId: awaiting, transactionStatus: 'PROCESSING'})
    expect((await run(home, ['sandbox', 'fund', wallet, '--amount', '1'])).out).toMatch(/BALANCE +2667\.50 USDC/)
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
})
