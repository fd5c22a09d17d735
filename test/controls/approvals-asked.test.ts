// What was refused for want of approvals is remembered until they were used, for those who look at the console.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {listApprovalsAsked} from '../../src/controls/approvals-asked.ts'
import {readJournal} from '../../src/payments/journal/entries.ts'
import {type Team, createTeam, requireApprovals} from '../support/approvals.ts'
import {writePlan} from '../support/payments.ts'
import {json} from '../support/svc.ts'

const plan = 'rent.yaml'
const hourMs = 3_600_000

async function readAsked(team: Team, nowMs = Date.now()) {
  const {out} = await team.run(team.carol, ['whoami', '--json'])
  const [file = ''] = fs.globSync('**/journal.sqlite', {cwd: team.carol.home.folder})
  const service = json(out)['service'] as string
  const address = {text: path.join(team.carol.home.folder, file)}
  return readJournal([], (journal) => listApprovalsAsked(journal, service, nowMs), {journal: address})
}

describe('a payment that was refused for want of approvals', () => {
  it('is asked for once, however often it is run, until it was paid', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 1})
    writePlan(path.join(team.folder, plan), 'rent-1', '1500')
    await team.run(team.carol, ['pay', '-f', plan, '--dry-run'])
    expect(await readAsked(team)).toEqual([])
    for (const _ of [1, 2]) expect((await team.run(team.carol, ['pay', '-f', plan])).code).toBe(10)
    const asked = {
      name: plan,
      sums: [{currency: 'USDC', amount: '1500'}],
      needed: 1,
      given: 0,
      next: `svc approve ${plan} -p sandbox`,
    }
    const found = await readAsked(team)
    expect(found).toEqual([expect.objectContaining(asked)])
    expect((await team.run(team.carol, ['pay', '-f', plan])).code).toBe(10)
    expect(await readAsked(team)).toEqual(found)
    // Whoever wanted it a week ago has given it up.
    expect(await readAsked(team, Date.now() + 8 * 24 * hourMs)).toEqual([])
    // Of a file that was changed, the last content waits.
    fs.writeFileSync(
      path.join(team.folder, plan),
      fs.readFileSync(path.join(team.folder, plan), 'utf8').replace('1500', '900'),
    )
    await team.run(team.carol, ['pay', '-f', plan])
    expect(await readAsked(team)).toEqual([
      expect.objectContaining({name: plan, sums: [{currency: 'USDC', amount: '900'}]}),
    ])
    await team.approve(team.alice, plan)
    expect((await team.run(team.carol, ['pay', '-f', plan])).code).toBe(0)
    expect(await readAsked(team)).toEqual([])
    expect((await team.run(team.carol, ['journal', 'verify'])).code).toBe(0)
  })
})
