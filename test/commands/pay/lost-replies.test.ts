// svc pay when replies or journals are lost: still one payment per key, and always reported.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {
  addFault,
  inSandbox,
  payWithUnknownOutcome,
  pay,
  payment,
  listTransactions,
  readJournalEntry,
} from '../../support/payments.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

describe('svc pay when something is lost', () => {
  it('ends with 7 while the outcome is unknown, and the next run pays once', async () => {
    const home = freshHome()
    const unknown = await payWithUnknownOutcome(home, 'a', '10', '--json')
    expect({code: unknown.code, out: unknown.out}).toEqual({code: 7, out: ''})
    expect(json(unknown.err.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({error: 'OUTCOME_UNKNOWN', exitCode: 7})
    const hint = await pay(home, 'a', '10', '--dry-run')
    expect(hint.err).toContain('a run would settle it first')
    const made = await pay(home, 'a', '10', '--json')
    expect(made.code).toBe(0)
    const {correlationId} = json(made.out)
    expect((await listTransactions(home)).filter((one) => one['correlationId'] === correlationId)).toHaveLength(1)
  })

  it('waits with --wait until it is certain that nothing was made, and then pays once', async () => {
    const home = freshHome()
    await run(home, ['profiles', 'set', 'sandbox', '--resend', 'unknown', '--quiet'])
    await addFault(home, 'reset', '--times', '1', '--quiet')
    const before = await listTransactions(home)
    expect(await pay(home, 'a', '10', '--wait', '--quiet')).toMatchObject({code: 0})
    expect(await listTransactions(home)).toHaveLength(before.length + 1)
    const {history} = (await readJournalEntry(home, 'a')) as {history: Array<{what: string}>}
    expect(history.map(({what}) => what)).toContain('ABANDONED')
  })

  it('shows the payment from the journal while the list does not show it', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    await run(home, ['sandbox', 'faults', 'set', '--list-lag', '5m', '--quiet'])
    const again = await pay(home, 'a', '10', '--json')
    expect(again.code).toBe(0)
    const {transactionId, correlationId, quoteId} = json(made.out)
    expect(json(again.out)).toMatchObject({transactionId, correlationId, quoteId, source: {sourceAmount: '10'}})
    expect(again.err).toContain("The service's list does not show it yet")
  })

  it('says that the outcome is unknown if it is interrupted, and the next run pays once', async () => {
    const home = freshHome()
    await addFault(home, 'hang', '--times', '1', '--quiet')
    const before = await listTransactions(home)
    const stopped = onPty(home, [...payment('a', '10'), ...inSandbox, '--yes'], {cols: 200})
    while ((await run(home, ['journal', 'list', '--state', 'ARMED', '--quiet', ...inSandbox])).out === '') continue
    stopped.type('\u0003')
    expect(await stopped.ended).toBe(130)
    expect(stopped.text()).toContain('Stopped while the payment a was in progress: whether it was made is not known.')
    expect(await pay(home, 'a', '10', '--quiet')).toEqual({code: 0, out: '', err: ''})
    expect(await listTransactions(home)).toHaveLength(before.length + 1)
  })

  it('does not pay if the journal cannot be used, and says why', async () => {
    const home = freshHome()
    const [damaged, folder] = ['damaged.sqlite', 'none'].map((name) => path.join(home.folder, name))
    fs.writeFileSync(damaged ?? '', 'this is no database, and long enough to be read as one'.repeat(100))
    fs.mkdirSync(folder ?? '')
    for (const [file, why] of [
      [damaged, 'is not a database'],
      [folder, 'cannot be'],
    ]) {
      const refused = await run(home, [...payment('a', '10'), ...inSandbox, '--json'], {env: {SVC_JOURNAL: file}})
      expect({code: refused.code, out: refused.out}).toEqual({code: 2, out: ''})
      expect(json(refused.err)).toMatchObject({error: 'JOURNAL_UNUSABLE'})
      expect(refused.err).toContain(why)
    }
    expect((await listTransactions(home)).filter((one) => String(one['correlationId']).startsWith('svc_'))).toEqual([])
  })
})

describe('svc pay with a slot in its key', () => {
  const date = 'rent-{date}'

  it('does not pay the next day while the day before is unknown, and settles that first', async () => {
    const home = freshHome()
    expect(await payWithUnknownOutcome(home, date, '10', '--slot', '2026-11-14')).toMatchObject({code: 7})
    await addFault(home, 'reset', '--quiet')
    const next = ['--slot', '2026-11-15', '--timeout', '1900ms']
    const held = await pay(home, date, '10', ...next)
    expect(held).toMatchObject({code: 7, out: ''})
    expect(held.err).toContain('rent-2026-11-14')
    await run(home, ['sandbox', 'faults', 'clear', '--quiet'])
    expect(await pay(home, date, '10', ...next.slice(0, 2), '--quiet')).toEqual({code: 0, out: '', err: ''})
    const {out} = await run(home, ['journal', 'list', ...inSandbox, '--json'])
    expect((json(out)['payments'] as Array<{state: string}>).map(({state}) => state)).toEqual(['CREATED', 'CREATED'])
  })
})
