// svc payouts run on two hosts with the same file, against a service of which nothing is known: each host has its own journal.
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../../support/scripted-service.ts'
import {type Home, freshHome, run, spawnSvc} from '../../../support/svc.ts'
import {createRow, readResultRows, writePayroll} from '../../../support/payroll.ts'

const rows = Array.from({length: 12}, (_, index) => createRow(`r-${index + 1}`, {amount: String(index + 1)}))

const runPayouts = (home: Home, {env}: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env})

const countTwice = ({transactionsByKey}: PaymentService) =>
  [...transactionsByKey.values()].filter(({length}) => length > 1).length

describe('two hosts with one file', () => {
  it.each([
    {keys: 'ignored'},
    {keys: 'per-body'},
    {keys: 'refused'},
    {keys: 'ignored', listOrder: 'newest', pageItemsMax: 5},
    {keys: 'ignored', listOrder: 'mixed', pageItemsMax: 5},
  ] as const)('pay each row once if the second starts while the first is at work: %o', async (behaviour) => {
    const service = await servePayments({...behaviour, quotes: 'many', latencyMs: 5})
    const earlier = freshHome()
    // Transactions of other days, which a list that is newest first need not show again.
    for (const day of 'pageItemsMax' in behaviour ? [1, 2, 3, 4] : []) {
      service.clock.advance(86_400_000)
      const old = rows.map((row) => row.replace('r-', `day-${day}-`))
      expect(await runPayouts(earlier, service, writePayroll(earlier, old))).toMatchObject({code: 0})
    }
    const before = service.transactions.length
    await overtake(service)
    expect(service.transactions).toHaveLength(before + 12)
  })

  // One host has read its list, and waits with its first quotes until the other host has paid everything.
  async function overtake(service: PaymentService) {
    const [one, other] = [freshHome(), freshHome()]
    const file = writePayroll(one, rows)
    writePayroll(other, rows)
    const gate = Promise.withResolvers<undefined>()
    const waiting = service.script({at: 'POST /quotes', before: gate.promise, times: 4})
    const late = spawnSvc(other, ['payouts', 'run', file, '--yes', '--concurrency', '4'], {env: service.env})
    await waiting.reached
    const first = await runPayouts(one, service, file)
    expect(first.code).toBe(0)
    gate.resolve(undefined)
    const {code, out} = await late
    expect(code).toBe(0)
    expect(out).toContain('before this run')
    expect(out).not.toContain('of them before this run')
    expect(countTwice(service)).toBe(0)
    expect(readResultRows(other).map(({transaction}) => transaction)).toEqual(
      readResultRows(one).map(({transaction}) => transaction),
    )
  }

  it('are not looked for again where keys are known to be honoured', async () => {
    const service = await servePayments()
    const home = freshHome()
    const env = {...service.env, SVC_RESEND: 'yes'}
    await run(home, ['payouts', 'run', writePayroll(home, rows), '--yes'], {env})
    expect(service.requestsTo('GET /transactions')).toHaveLength(1)
  })
})
