// svc pay: in a terminal, in a pipe, as JSON, rejected, and with --wait.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {inSandbox, payment, readJournalEntry} from '../../../support/payments.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import {freshHome, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {seeded} from '../../../support/transactions.ts'

describe('svc pay', () => {
  it('shows the payment, the service and the price on live, and asks once; without a yes nothing is paid', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const script = await run(home, payment('rent', '10'), {env: service.env})
    expect(script).toMatchObject({code: 2, out: '', err: expect.stringContaining('--yes') as string})
    expect(service.requests).toEqual([])
    for (const [answer, code] of [
      ['n', 130],
      ['y', 0],
    ] as const) {
      const screen = onTerminal(home, payment('rent', '10'), {cols: 120, env: service.env})
      await screen.waitFor(`Pay this on ${service.url} (the environment, live), as rent?`)
      for (const line of [
        /^┌─ Pay on \S+ \(the environment, live\) ─+┐\n│ Customer +An invented customer +│\n/,
        new RegExp(
          `│ To +External wallet Invent…1111, USDC on SOLANA +│\\n│ +“Savings” +│\\n│ +${seeded.externalWallet} +│\\n`,
        ),
        /│ Amount +10 USDC +│\n│ Fee +0 USDC +│\n│ Arrives +about 10 USDC \(not guaranteed\) +│\n/,
        /│ Key +rent +│\n│ Quote +\S+ +│\n│ +valid for [45]:\d\d +│\n/,
      ]) {
        expect(screen.text()).toMatch(line)
      }
      screen.type(`${answer}\r`)
      expect(await screen.ended).toBe(code)
      expect(service.transactions).toHaveLength(code === 0 ? 1 : 0)
      if (code === 0) expect(screen.words()).toMatch(/To follow it to its end: `svc transactions watch \S+`/)
    }
  })

  it('reads a plan from a file, keeps the digits of numbers, and lets flags override it', async () => {
    const home = freshHome()
    fs.writeFileSync(
      path.join(home.folder, 'plan.yaml'),
      `key: "plan-{month}"
customerId: ${seeded.customer}
source:
  sourcePaymentAccountId: ${seeded.wallet}
  sourceCurrency: USDC
  sourcePaymentMethod: SOLANA
  sourceAmount: 10.50
destination:
  destinationPaymentAccountId: ${seeded.externalWallet}
  destinationCurrency: USDC
  destinationPaymentMethod: SOLANA
maxFee: 0.5%
minReceived: 10
`,
    )
    const args = ['pay', '-f', 'plan.yaml', '--slot', '2026-10', ...inSandbox]
    expect(await run(home, [...args, '--quiet'])).toEqual({code: 0, out: '', err: ''})
    expect(await readJournalEntry(home, 'plan-2026-10')).toMatchObject({
      state: 'CREATED',
      template: 'plan-{month}',
      source: {sourceAmount: '10.50'},
    })
    const limit = ['--key', 'other', '--max-fee', '0.01', '--allow-duplicates']
    const limited = await run(home, [...args.slice(0, 3), ...inSandbox, ...limit])
    expect(limited.code).toBe(10)
    expect(limited.err).toContain('at most 0.01 USDC is allowed')
  })
})
