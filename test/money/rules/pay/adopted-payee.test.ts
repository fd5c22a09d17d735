// A transaction that went to somebody else, adopted for a payment by a person: its payee does not count as paid, and the journal
// says what was really paid.
import {expect, it} from 'vitest'
import {createTeam, requireApprovals} from '../../../support/approvals.ts'
import {payment} from '../../../support/payments.ts'
import {json} from '../../../support/svc.ts'
import {seeded} from '../../../support/transactions.ts'

it('a transaction to another payee is recorded with what it paid, so that the key counts as used for that', async () => {
  const team = createTeam()
  await requireApprovals(team, team.carol, {coolDown: '24h'})
  await team.run(team.carol, payment('new-1', '5'))
  const adopt = ['journal', 'settle', 'new-1', '--adopt', seeded.awaiting, '--why', 'a test', '--yes', '--json']
  const adopted = await team.run(team.carol, adopt)
  expect([adopted.code, adopted.err]).toEqual([
    0,
    expect.stringContaining('the journal records what the transaction paid'),
  ])
  const {out} = await team.run(team.carol, ['transactions', 'get', seeded.awaiting, '--json'])
  const {source, destination} = json(out) as {source: Record<string, unknown>; destination: Record<string, unknown>}
  expect(json(adopted.out)).toMatchObject({
    state: 'CREATED',
    source: {sourceAmount: String(source['sourceAmount'])},
    destination: {destinationPaymentAccountId: destination['destinationPaymentAccountId']},
  })
  // It ends no cool-down.
  const held = await team.run(team.carol, payment('new-2', '6'))
  expect([held.code, held.err]).toEqual([10, expect.stringContaining('was never paid before')])
  const again = await team.run(team.carol, payment('new-1', '5'))
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('belongs to a payment with other content')])
})
