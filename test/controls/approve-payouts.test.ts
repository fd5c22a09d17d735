// Four eyes: a payout file is paid only if enough other people have signed exactly its content.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Person, type Team, createTeam, requireApprovals} from '../support/approvals.ts'
import {json} from '../support/svc.ts'
import {createRow, createRows, header, listCreated} from '../commands/payouts/payroll.ts'

const file = 'payroll.csv'

function writeFile({folder}: Team, lines: readonly string[], name = file): void {
  fs.writeFileSync(path.join(folder, name), `${lines.join('\n')}\n`)
}

const writeRows = (team: Team, rows: readonly string[]) => writeFile(team, [header, ...rows])

const pay = (team: Team, person: Person, ...flags: string[]) =>
  team.run(person, ['payouts', 'run', file, '--allow-duplicates', ...flags])

// Carol pays what two others have to approve.
async function createRun(count = 2, above?: string): Promise<Team> {
  const team = createTeam()
  await requireApprovals(team, team.carol, {approvals: count, above})
  writeRows(team, createRows('a', 2))
  return team
}

const getFolder = ({folder}: Team, name = file) => path.join(folder, `${name}.approvals`)

const expectNothingPaid = async (team: Team) => expect(await listCreated(team.carol.home)).toEqual([])

describe('a payout file that two others have to approve', () => {
  it('is refused with 10 until both have, and then paid once', async () => {
    const team = await createRun()
    const none = await pay(team, team.carol)
    expect(none.code).toBe(10)
    expect(none.err).toContain('payroll.csv needs 2 approvals by others than the one who runs it, and has none')
    expect(none.err).toContain('`svc approve payroll.csv -p sandbox`')
    expect((await team.approve(team.alice, file)).code).toBe(0)
    const one = await pay(team, team.carol)
    expect(one.code).toBe(10)
    expect(one.err).toContain('has 1 (alice@example.com)')
    await expectNothingPaid(team)
    await team.approve(team.bob, file)
    expect((await pay(team, team.carol)).code).toBe(0)
    expect(await listCreated(team.carol.home)).toHaveLength(2)
  })

  it('says in a dry run what is missing, and pays nothing', async () => {
    const team = await createRun()
    const {code, err} = await pay(team, team.carol, '--dry-run')
    expect(code).toBe(0)
    expect(err).toContain('needs 2 approvals')
    await expectNothingPaid(team)
  })

  it('needs no approval up to the sum that the policy names', async () => {
    const team = await createRun(2, '5')
    expect((await pay(team, team.carol)).code).toBe(0)
    writeRows(team, [createRow('b-1', {amount: '2.50'}), createRow('b-2', {amount: '2.51'})])
    expect((await pay(team, team.carol)).code).toBe(10)
  })

  it('is reported by a rerun when all of it was paid, after its approvals have expired', async () => {
    const team = await createRun(1)
    await team.approve(team.alice, file)
    expect((await pay(team, team.carol)).code).toBe(0)
    fs.rmSync(getFolder(team), {recursive: true})
    const {code, out} = await pay(team, team.carol)
    expect([code, out]).toEqual([0, expect.stringContaining('before this run')])
  })
})

describe('an approval that does not count', () => {
  it('does not count for whoever asks and would run it, as the run says', async () => {
    const team = await createRun(1)
    await team.approve(team.carol, file)
    const show = async (person: typeof team.carol) => {
      const {out} = await team.run(person, ['approve', file, '--show', '--json'])
      return (json(out) as {approvals: unknown[]}).approvals
    }
    expect(await show(team.carol)).toMatchObject([
      {signer: 'carol@example.com', counts: false, reason: 'it is of the one who runs this'},
    ])
    expect((await pay(team, team.carol)).code).toBe(10)
    await requireApprovals(team, team.bob, {approvals: 1})
    expect(await show(team.bob)).toMatchObject([{signer: 'carol@example.com', counts: true}])
    expect((await pay(team, team.bob)).code).toBe(0)
  })
})
