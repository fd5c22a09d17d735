// svc sandbox reproduce: in a pipe, as JSON, kept in a file, and rejected.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {inSandbox, pay, payWithUnknownOutcome, payment, readJournalEntry} from '../../support/payments.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const reproduce = (home: Home, key: string, ...flags: string[]) =>
  run(home, ['sandbox', 'reproduce', key, ...inSandbox, ...flags])

interface Line {
  at: string
  what: string
}

const readLines = (value: unknown) => (value as Line[]).map(({at, what}) => ({at, what}))

describe('svc sandbox reproduce', () => {
  it('gives the same lines at the same times, and says what led to each', async () => {
    const home = freshHome()
    expect(await pay(home, 'rent', '10')).toMatchObject({code: 0})
    const {code, out, err} = await reproduce(home, 'rent', '--json')
    expect(code).toBe(0)
    expect(err).toBe('4 steps, and the payment is CREATED, as in the journal.\n')
    const {steps, isSame} = json(out)
    expect(isSame).toBe(true)
    expect(readLines(steps)).toEqual(readLines((await readJournalEntry(home, 'rent'))['history']))
    expect(steps).toMatchObject([
      {step: 1, what: 'INTENDED', state: 'INTENDED'},
      {step: 2, what: 'QUOTED', events: ['GET /transactions: not listed', 'POST /quotes: priced']},
      {step: 3, what: 'ARMED', state: 'ARMED'},
      {step: 4, what: 'CREATED', state: 'CREATED', events: ['POST /transactions: created']},
    ])
  })

  it('shows the faults that were seen, also of a payment that is still unknown', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'faults', 'set', '--idempotency', 'ignore', '--quiet'])
    expect(await payWithUnknownOutcome(home, 'rent', '10')).toMatchObject({code: 7})
    const {code, out} = await reproduce(home, 'rent')
    expect(code).toBe(0)
    expect(out).toMatch(/UNKNOWN\s+UNKNOWN\s+POST \/transactions: reset/)
  })

  it('reproduces what a limit stopped and what was paid later, in the words of the original', async () => {
    const home = freshHome()
    expect(await pay(home, 'rent', '10', '--min-rate', '5')).toMatchObject({code: 10})
    expect(await pay(home, 'rent', '12')).toMatchObject({code: 0})
    const {code, out} = await reproduce(home, 'rent', '--json')
    expect(code).toBe(0)
    const steps = json(out)['steps'] as Array<{what: string; reason?: string}>
    expect(steps.map(({what}) => what)).toEqual([
      'INTENDED',
      'QUOTED',
      'STOPPED',
      'CONTENT_CHANGED',
      'QUOTED',
      'ARMED',
      'CREATED',
    ])
    expect(steps[2]?.reason).toContain('but at least 5 is required')
  })

  it('reproduces what a person decided', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'faults', 'set', '--idempotency', 'ignore', '--quiet'])
    await payWithUnknownOutcome(home, 'rent', '10')
    const abandon = ['journal', 'settle', 'rent', '--abandon', '--why', 'the bank said so', '--yes', ...inSandbox]
    expect(await run(home, abandon)).toMatchObject({code: 0})
    const {code, out} = await reproduce(home, 'rent', '--json')
    expect(code).toBe(0)
    expect((json(out)['steps'] as Line[]).at(-1)).toMatchObject({what: 'ABANDONED', state: 'ABANDONED'})
  })

  it('stands in for customers and accounts of any profile, and sends nothing to its service', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect(await run(home, [...payment('rent', '10'), '--yes'], service)).toMatchObject({code: 0})
    const requests = service.requests.length
    const {code, err} = await run(home, ['sandbox', 'reproduce', 'rent'], service)
    expect([code, err]).toEqual([0, '4 steps, and the payment is CREATED, as in the journal.\n'])
    expect(service.requests).toHaveLength(requests)
  })

  it('keeps the sandbox in a new file only, and leaves the user’s own data alone', async () => {
    const home = freshHome()
    await pay(home, 'rent', '10')
    const before = await readJournalEntry(home, 'rent')
    const file = path.join(home.folder, 'rent.sqlite')
    expect((await reproduce(home, 'rent', '--data', file)).err).toContain(`svc sandbox start --data ${file}`)
    expect(fs.existsSync(file)).toBe(true)
    const again = await reproduce(home, 'rent', '--data', file)
    expect(again.code).toBe(2)
    expect(again.err).toContain('exists already')
    expect(await readJournalEntry(home, 'rent')).toEqual(before)
    const transactions = ['transactions', 'list', '--all', '--jq', '.transactions | length', '-p', 'sandbox']
    const kept = await run(home, transactions, {env: {SVC_SANDBOX_FILE: file}})
    expect(Number(kept.out)).toBe(Number((await run(home, transactions)).out))
  })

  it('names a payment that is not in the journal', async () => {
    const home = freshHome()
    expect(await reproduce(home, 'rent')).toMatchObject({code: 5})
    await pay(home, 'food', '10')
    expect((await reproduce(home, 'rent')).err).toContain('The journal has no payment rent')
  })
})
