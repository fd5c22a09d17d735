// A transaction that a magic amount of the sandbox ended: the cause is named.
import {expect, it} from 'vitest'
import {inSandbox, pay, readJournalEntry} from '../../support/payments.ts'
import {freshHome, json, run} from '../../support/svc.ts'

const remark = 'In the sandbox, amounts with .01 are magic (`svc sandbox magic`): FAILED instead of COMPLETED'

it('a magic amount is named as the cause where the transaction is shown, and not where it decided nothing', async () => {
  const home = freshHome()
  const first = await pay(home, 'fails', '10.01', '--json')
  expect(first).toMatchObject({code: 0})
  expect(first.err).not.toContain('magic')
  await pay(home, 'succeeds', '10.06', '--quiet')
  await run(home, ['sandbox', 'clock', 'until-idle', '--quiet'])

  const again = await pay(home, 'fails', '10.01', '--json')
  expect(again.code).toBe(11)
  expect(again.err).toContain(remark)
  const {transactionId} = json(first.out)
  const shown = await run(home, ['transactions', 'get', String(transactionId), ...inSandbox, '--json'])
  expect(shown.code).toBe(0)
  expect(shown.err).toContain(remark)
  expect(json(shown.out)).toMatchObject({transactionId, transactionStatus: 'FAILED'})
  const watched = await run(home, ['transactions', 'watch', String(transactionId), ...inSandbox, '--json'])
  expect(watched.code).toBe(11)
  expect(watched.err).toContain(remark)
  const {transactionId: other} = await readJournalEntry(home, 'succeeds')
  expect((await run(home, ['transactions', 'get', String(other), ...inSandbox])).err).toBe('')
})
