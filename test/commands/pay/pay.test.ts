// svc pay: in a terminal, in a pipe, as JSON, rejected, and with --wait.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {readJournalEntry, inSandbox, pay, payment, listTransactions} from '../../support/payments.ts'
import {startSvc} from '../../support/running.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

describe('svc pay', () => {
  it('shows the price in a terminal and asks, also in the sandbox, and says how to follow what was paid', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...payment('rent', '10'), ...inSandbox])
    await screen.waitFor('Pay this, as rent?')
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(
      /\nKEY +rent\nID +([0-9a-f-]{36})\nSTATUS +CREATED\n[^]*\nTo follow it to its end:\s`svc transactions watch\s\1 -p sandbox`\n$/,
    )
  })

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
        /│ Key +rent +│\n│ Quote +\S+ +│\n│ +valid for (5:00|4:5\d) +│\n/,
      ]) {
        expect(screen.text()).toMatch(line)
      }
      screen.type(`${answer}\r`)
      expect(await screen.ended).toBe(code)
      expect(service.transactions).toHaveLength(code === 0 ? 1 : 0)
    }
  })

  it('has the columns of its receipt, and rejects another one before anything is sent, naming each once', async () => {
    const home = freshHome()
    const payWith = (...flags: string[]) => run(home, [...payment('rent', '10'), ...inSandbox, '--columns', ...flags])
    for (const flags of [['keys'], ['key', '-o', 'csv']]) {
      const {code, out, err} = await payWith(...flags)
      expect({code, out}).toEqual({code: 2, out: ''})
      const [, known = ''] = /Known columns are (.*); nothing was sent\.\n$/.exec(err) ?? []
      const names = known.split(', ')
      expect(names).toContain('payee')
      expect(new Set(names).size).toBe(names.length)
    }
    expect((await run(home, ['journal', 'list', ...inSandbox, '--quiet'])).out).toBe('')
    expect((await payWith('key')).out).toMatch(/^KEY +rent\n$/)
  })

  it('prints the service’s own JSON, and nothing with --quiet', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    expect(made).toMatchObject({code: 0, err: ''})
    const {correlationId, transactionId} = json(made.out)
    expect(correlationId).toMatch(/^svc_[0-9a-f]{40}$/)
    expect(await pay(home, 'a', '10', '--quiet')).toEqual({code: 0, out: '', err: ''})
    const listed = (await listTransactions(home)).filter((one) => one['correlationId'] === correlationId)
    expect(listed.map((one) => one['transactionId'])).toEqual([transactionId])
    expect(await readJournalEntry(home, 'a')).toMatchObject({state: 'CREATED', transactionId})
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

describe('svc pay --wait', () => {
  it('ends with 0 when the transaction completes, and with 11 when it fails', async () => {
    const home = freshHome()
    for (const [key, amount, code, transactionStatus] of [
      ['good', '12.50', 0, 'COMPLETED'],
      ['bad', '7.01', 11, 'FAILED'],
    ] as const) {
      const waiting = startSvc(home, [...payment(key, amount), ...inSandbox, '--wait', '--json'])
      await waiting.waitFor('waiting for a final state')
      await run(home, ['sandbox', 'clock', 'advance', '10m', '--quiet'])
      const ended = await waiting.ended
      expect(ended.code).toBe(code)
      expect(json(ended.out)).toMatchObject({transactionStatus})
    }
  })

  describe('that takes too long', () => {
    useVirtualTime()

    it('ends with 8 when the time is up; the payment is made', async () => {
      const home = freshHome()
      const pending = await pay(home, 'a', '10', '--wait', '--timeout', '1s', '--json')
      expect(pending.code).toBe(8)
      expect(json(pending.out)).toMatchObject({transactionStatus: 'CREATED'})
      expect((await readJournalEntry(home, 'a'))['state']).toBe('CREATED')
    })
  })
})
