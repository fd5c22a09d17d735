// svc pay: in a terminal, in a pipe, as JSON, rejected, and with --wait.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {readJournalEntry, inSandbox, pay, payment, listTransactions} from '../../support/payments.ts'
import {startSvc} from '../../support/running.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

const lines = (text: string) => text.trimEnd().split('\n')

describe('svc pay', () => {
  it('shows the price in a terminal and asks, also in the sandbox, and says how to follow what was paid', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...payment('rent', '10'), ...inSandbox])
    await screen.waitFor('Pay this, as rent?')
    expect(screen.text()).toMatch(/Arrives +about \d+\.\d+ USDC \(not guaranteed\)/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(
      /\nKEY +rent\nID +([0-9a-f-]{36})\nSTATUS +CREATED\n[^]*\nTo follow it to its end:\s`svc transactions watch\s\1 -p sandbox`\n$/,
    )
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
    const stopped = await run(home, [...args, '--key', 'other', '--max-fee', '0.01', '--json'])
    expect(stopped.code).toBe(2)
    const limit = ['--key', 'other', '--max-fee', '0.01', '--allow-duplicates']
    const limited = await run(home, [...args.slice(0, 3), ...inSandbox, ...limit])
    expect(limited.code).toBe(10)
    expect(limited.err).toContain('at most 0.01 USDC is allowed')
  })
})

describe('svc pay --wait', () => {
  it('ends with 0 when the transaction completes, and with 11 and a hint about the key when it fails', async () => {
    const home = freshHome()
    const waiting = startSvc(home, [...payment('good', '12.50'), ...inSandbox, '--wait', '--json'])
    await waiting.waitFor('waiting for a final state')
    await run(home, ['sandbox', 'clock', 'advance', '10m', '--quiet'])
    const good = await waiting.ended
    expect(good.code).toBe(0)
    expect(json(good.out)).toMatchObject({transactionStatus: 'COMPLETED'})
    const failing = startSvc(home, [...payment('bad', '7.01'), ...inSandbox, '--wait', '--json'])
    await failing.waitFor('waiting for a final state')
    await run(home, ['sandbox', 'clock', 'advance', '10m', '--quiet'])
    const bad = await failing.ended
    expect(bad.code).toBe(11)
    expect(json(bad.out)).toMatchObject({transactionStatus: 'FAILED'})
    expect(json(lines(bad.err).at(-1) ?? '')['hint']).toContain('choose another key')
    expect(await pay(home, 'bad', '7.01', '--wait', '--quiet')).toMatchObject({code: 11, out: ''})
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
