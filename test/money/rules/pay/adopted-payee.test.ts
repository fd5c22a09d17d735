// A transaction that went to somebody else, adopted for a payment by a person: its payee does not count as paid, and the journal
// says what was really paid.
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {openJournal} from '../../../../src/payments/journal/open-journal.ts'
import {type Team, createTeam, requireApprovals} from '../../../support/approvals.ts'
import {payment} from '../../../support/payments.ts'
import {differences, servePayments} from '../../../support/scripted-service.ts'
import {json, run} from '../../../support/svc.ts'
import {seeded} from '../../../support/transactions.ts'
import {createHost, pay} from '../../../features/security/attack.ts'

const adopt = (key: string, id: string) => ['journal', 'settle', key, '--adopt', id, '--why', 'a test', '--yes']

const letNewPayeesWait = (team: Team) => requireApprovals(team, team.carol, {coolDown: '24h'})

describe('a transaction to another payee', () => {
  it('is recorded with what it paid, so that the key counts as used for that', async () => {
    const team = createTeam()
    await letNewPayeesWait(team)
    await team.run(team.carol, payment('new-1', '5'))
    const adopted = await team.run(team.carol, [...adopt('new-1', seeded.awaiting), '--json'])
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

  it('can be replaced by the right one, and the payment is again what it asked for', async () => {
    const team = createTeam()
    const {alice, carol} = team
    await letNewPayeesWait(team)
    const wanted = [...payment('new-1', '5'), '--developer-fee', '0.5']
    expect((await team.run(carol, wanted)).code).toBe(10)
    const made = await team.run(alice, [...payment('by-alice', '5'), '--developer-fee', '0.5', '--json'])
    expect((await team.run(carol, adopt('new-1', seeded.awaiting))).code).toBe(0)
    expect((await team.run(carol, adopt('new-1', String(json(made.out)['transactionId'])))).code).toBe(0)
    expect((await team.run(carol, wanted)).code).toBe(0)
    expect((await team.run(carol, payment('new-2', '6'))).code).toBe(0)
  })

  it('does not end it either if it went to the payee and failed', async () => {
    const team = createTeam()
    const {alice, carol} = team
    await letNewPayeesWait(team)
    expect((await team.run(carol, payment('new-1', '5'))).code).toBe(10)
    const made = await team.run(alice, [...payment('by-alice', '5'), '--json'])
    const id = String(json(made.out)['transactionId'])
    const fail = await run(carol.home, ['sandbox', 'settle', id, '--outcome', 'failed', '--quiet'])
    expect([fail.code, fail.err]).toEqual([0, expect.anything()])
    expect((await team.run(carol, adopt('new-1', id))).code).toBe(0)
    expect((await team.run(carol, payment('new-2', '6'))).code).toBe(10)
  })
})

it('a payment that the service sent to another account does not make its payee one that was paid', async () => {
  const service = await servePayments()
  service.alter = differences.destinationAccount
  const host = createHost(service)
  expect((await pay(host, 'rent', '10')).code).toBe(0)
  const {place} = json((await run(host.home, ['journal', 'show', 'rent', '--json'], {env: host.env})).out)
  const journal = await openJournal({text: path.join(host.home.folder, 'config', 'state', 'journal.sqlite')})
  onTestFinished(() => journal.close())
  const payees = await journal.listPayees(String(place), [seeded.externalWallet])
  expect(payees).toMatchObject([{destination: seeded.externalWallet, isPaid: false}])
})
