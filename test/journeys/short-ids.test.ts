// One person's morning without a single UUID: find a customer, fund a wallet, pay, settle, and look into the journal.
import {expect, it} from 'vitest'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'

const email = 'zoe.angstrom@example.org'

it('runs on an email and the first eight characters', async () => {
  const home = freshHome()
  const svc = async (...args: string[]) => {
    const {code, out, err} = await run(home, [...args, '--json'])
    expect({args, code, err}).toMatchObject({args, code: 0})
    return json(out)
  }
  const accounts = await svc('sandbox', 'accounts', 'list', '--customer', email)
  expect(accounts['paymentAccounts']).not.toEqual([])
  expect(await svc('sandbox', 'fund', seeded.wallet.slice(0, 8), '--amount', '50')).toMatchObject({
    paymentAccountId: seeded.wallet,
  })
  const route = ['--from', seeded.wallet.slice(0, 8), '--to', seeded.externalWallet.slice(0, 8)]
  const details = ['--from-currency', 'USDC', '--to-currency', 'USDC']
  const pay = ['pay', '--customer', email, ...route, ...details, '--amount', '5', '--key', 'rent', '-p', 'sandbox']
  const {transactionId} = await svc(...pay)
  const short = String(transactionId).slice(0, 13)
  expect(await svc('sandbox', 'settle', short, '--outcome', 'completed')).toMatchObject({transactionId})
  expect(await svc('transactions', 'get', short, '--customer', email, '-p', 'sandbox')).toMatchObject({transactionId})
  const missing = await run(home, ['journal', 'show', '-p', 'sandbox'])
  expect(missing).toMatchObject({code: 2, err: 'svc: Missing KEY. See `svc journal show --help`.\n'})
  const screen = onTerminal(home, ['journal', 'show', '-p', 'sandbox'])
  await screen.waitFor(/[❯>] rent, 5 USDC, CREATED/)
  screen.type('\r')
  expect(await screen.ended).toBe(0)
  expect(screen.text()).toMatch(/^KEY +rent$/m)
})
