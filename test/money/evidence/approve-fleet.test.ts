// Four eyes in a fleet: approvals are in the database, and workers look at them again before they pay.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import {
  type Person,
  type Team,
  createFleetTeam,
  createTeam,
  requireApprovals,
  setPolicy,
} from '../../support/approvals.ts'
import {useFleet} from '../../support/fleet.ts'
import {runSql} from '../../support/postgres.ts'
import {PostgresProxy} from '../../support/postgres-proxy.ts'
import {listApprovalsAsked} from '../../../src/controls/approvals-asked.ts'
import {readJournal} from '../../../src/payments/journal/walk.ts'
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {openJournal} from '../../../src/payments/journal/open-journal.ts'
import type {PayRun} from '../../../src/payments/context/open-context.ts'
import {requirePlanApproval} from '../../../src/payments/context/approve-plan.ts'
import {createServerClock} from '../../../src/payments/protocol/clock.ts'
import {type FileToApprove, requireFileApproval} from '../../../src/payouts/file/approve-file.ts'
import type {OpenRun} from '../../../src/payouts/run/run.ts'
import {dayMs, hourMs} from '../../../src/values/time.ts'
import {addFault, writePlan} from '../../support/payments.ts'
import {json} from '../../support/svc.ts'
import {createRow, createRows, header, listCreated} from '../../support/payroll.ts'
import {content} from '../connect.ts'

const fleet = useFleet()
const file = 'payroll.csv'

type Args = readonly string[]

interface Shown {
  history: Array<{what: string; detail?: {data?: {approvals?: Array<{signer: string}>}}}>
}

const createFleet = () => createFleetTeam(fleet.getAddress())

async function createTeamWithFile(prefix: string): Promise<Team> {
  const team = await createFleet()
  await requireApprovals(team, team.carol, {approvals: 1})
  fs.writeFileSync(path.join(team.folder, file), `${[header, ...createRows(prefix, 2)].join('\n')}\n`)
  return team
}

const submit = (team: Team, person: Person) =>
  team.run(person, ['payouts', 'submit', file, '--allow-duplicates', '--json'])
const work = (team: Team, person: Person) => team.run(person, ['payouts', 'work', '--until-idle', '--listen', 'off'])
const readState = async (team: Team, id: string) =>
  json((await team.run(team.carol, ['payouts', 'status', id, '--json'])).out)

// What the console shows as waiting for an approval.
async function listAsked(team: Team, nowMs = Date.now()) {
  const service = String(json((await team.run(team.carol, ['whoami', '--json'])).out)['service'])
  const read = (journal: Journal) => listApprovalsAsked(journal, service, nowMs)
  return readJournal([], read, {journal: {text: fleet.getAddress()}})
}

describe('a fleet with approvals', () => {
  it('stores a file only if it is approved, keeps approvals in the database, and pays it', async () => {
    const team = await createTeamWithFile('stored')
    const refused = await submit(team, team.carol)
    expect([refused.code, refused.err]).toEqual([10, expect.stringContaining('needs 1 approval')])
    const asked = await listAsked(team)
    const sums = [{currency: 'USDC', amount: '5.00'}]
    expect(asked).toMatchObject([{name: file, sums, needed: 1, given: 0, next: `svc approve ${file} -p sandbox`}])
    // It is asked for once, however often it is tried; whoever wanted it a week ago has given it up.
    expect((await submit(team, team.carol)).code).toBe(10)
    expect(await listAsked(team)).toEqual(asked)
    expect(await listAsked(team, Date.now() + 8 * dayMs)).toEqual([])
    // Of a file that was changed, the last content waits.
    fs.appendFileSync(path.join(team.folder, file), `${createRow('stored-3', {amount: '7'})}\n`)
    expect((await submit(team, team.carol)).code).toBe(10)
    expect(await listAsked(team)).toMatchObject([{name: file, sums: [{currency: 'USDC', amount: '12.00'}]}])
    const approved = await team.approve(team.alice, file)
    expect(approved.err).toContain('in the database of the journal')
    expect(fs.existsSync(path.join(team.folder, `${file}.approvals`))).toBe(false)
    expect((await submit(team, team.carol)).code).toBe(0)
    const worked = await work(team, team.carol)
    expect([worked.code, worked.err]).toEqual([0, expect.stringContaining('Working')])
    expect(await listCreated(team.carol.home)).toHaveLength(3)
    expect(await listAsked(team)).toEqual([])
  })

  it('pauses a batch whose approval was withdrawn, and pays it after it was approved by its id and resumed', async () => {
    const team = await createTeamWithFile('withdrawn')
    await team.approve(team.alice, file)
    const id = String(json((await submit(team, team.carol)).out)['id'])
    const withdrawn = await team.approve(team.alice, file, '--withdraw')
    expect(withdrawn.code).toBe(0)
    expect(withdrawn.err).toContain(
      'Workers and runs that have begun notice it within 5 seconds, and what they start until then is paid',
    )
    const stopped = await work(team, team.carol)
    expect(stopped.code).toBe(10)
    expect(stopped.err).toContain(`The batch ${id} needs 1 approval`)
    expect(stopped.err).toContain(`svc payouts resume ${id}`)
    expect(await readState(team, id)).toMatchObject({state: 'PAUSED'})
    expect(await listAsked(team)).toMatchObject([{name: id}])
    expect(await listCreated(team.carol.home)).toEqual([])
    expect((await team.approve(team.bob, id)).code).toBe(0)
    expect((await team.run(team.carol, ['payouts', 'resume', id])).code).toBe(0)
    expect((await work(team, team.carol)).code).toBe(0)
    expect(await readState(team, id)).toMatchObject({state: 'DONE'})
    expect(await listAsked(team)).toEqual([])
  })

  // The clock of the service is two hours ahead of that of the worker's machine.
  it('pauses a batch whose approval has expired by the clock of the service', async () => {
    const team = await createTeamWithFile('expired')
    await team.approve(team.alice, file, '--expires-in', '1h')
    const id = String(json((await submit(team, team.carol)).out)['id'])
    await team.run(team.carol, ['sandbox', 'clock', 'advance', '2h'])
    const worked = await work(team, team.carol)
    expect([worked.code, worked.err]).toEqual([10, expect.stringContaining('needs 1 approval')])
    expect(await readState(team, id)).toMatchObject({state: 'PAUSED'})
    expect(await listCreated(team.carol.home)).toEqual([])
  })

  const pay: Args = ['pay', '-f', 'rent.yaml']
  const runFile: Args = ['payouts', 'run', file, '--allow-duplicates']
  const submitFile: Args = ['payouts', 'submit', file, '--allow-duplicates']
  const workFile: Args = ['payouts', 'work', '--until-idle', '--listen', 'off']

  it.each([
    ['pay', 'a file', createTeam, 'rent.yaml', [pay]],
    ['pay', 'a database', createFleet, 'rent.yaml', [pay]],
    ['payouts run', 'a file', createTeam, file, [runFile]],
    ['payouts run', 'a database', createFleet, file, [runFile]],
    ['payouts work', 'a database', createFleet, file, [submitFile, workFile]],
  ])(
    '%s with its journal in %s lets svc journal show say who approved the payment',
    async (_, _journal, create, approved, commands) => {
      const team = await create()
      const key = 'rent'
      await requireApprovals(team, team.carol, {approvals: 2})
      writePlan(path.join(team.folder, 'rent.yaml'), key, '5')
      fs.writeFileSync(path.join(team.folder, file), `${[header, createRow(key), createRow('other')].join('\n')}\n`)
      for (const person of [team.alice, team.bob]) expect((await team.approve(person, approved)).code).toBe(0)
      for (const args of commands) expect((await team.run(team.carol, args)).code).toBe(0)
      const shown = await team.run(team.carol, ['journal', 'show', key, '-o', 'table'])
      expect(shown.out).toMatch(
        /APPROVAL_USED by \S+ on \S+, signed by (alice|bob)@example.com and (alice|bob)@example.com/,
      )
      const {history} = json((await team.run(team.carol, ['journal', 'show', key, '--json'])).out) as unknown as Shown
      const signers = history.flatMap(({detail}) => detail?.data?.approvals ?? []).map(({signer}) => signer)
      expect(signers.toSorted()).toEqual(['alice@example.com', 'bob@example.com'])
      const whats = history.map(({what}) => what)
      expect(whats.indexOf('DECISION')).toBeLessThan(whats.indexOf('ARMED'))
    },
  )

  // Whoever opens a connection may have to ask for a password each time, and a run looks every five
  // seconds.
  const plan = {key: 'k', content, limits: {}, isGuaranteed: false}
  const runs: Record<string, (context: {journal: Journal}, settings: object) => Promise<unknown>> = {
    'svc pay': (context, settings) =>
      requirePlanApproval({...context, ...settings, flags: {file}} as unknown as PayRun, plan, 'k'),
    'svc payouts run': (context, settings) =>
      requireFileApproval(
        {context, rows: [{...plan, line: 2}], told: new Map()} as unknown as OpenRun,
        {...settings, file} as unknown as FileToApprove,
      ),
  }

  it.each(Object.entries(runs))('reads approvals for %s over the connections that its journal has', async (_, look) => {
    const proxy = await PostgresProxy.open(fleet.getAddress())
    const journal: Journal = await openJournal({text: proxy.address})
    onTestFinished(async () => {
      await journal.close()
      await proxy.close()
    })
    const opened = proxy.accepted
    const context = {journal, clock: createServerClock()}
    const settings = {
      caller: {approvals: {required: 1, approvers: []}},
      traits: {serviceId: 's', journal: {text: proxy.address}},
    }
    for (let count = 0; count < 3; count++) {
      await expect(look(context, settings)).rejects.toMatchObject({error: 'NOT_APPROVED'})
    }
    expect(proxy.accepted).toBe(opened)
  })

  // Earlier than the withdrawal, which would be the last one to be read.
  const hideWithdrawal = () =>
    runSql(
      fleet.getAddress(),
      `insert into svc.approvals select 'filler-' || n || digest, service_id, kind, digest, '', '', now() - interval '1 hour'
        from svc.approvals, generate_series(1, 200) as n where statement like '%withdraw%' on conflict do nothing`,
      `update svc.approvals set created_at = now() - interval '2 hours' where statement not like '%withdraw%' and statement <> ''`,
    )

  it.each([
    ['stores no file', submit],
    ['pays no row', work],
  ])('%s while more approvals are in the database than can be read', async (_, act) => {
    const team = await createTeamWithFile(`flooded-${act.name}`)
    await team.approve(team.alice, file)
    if (act === work) expect((await submit(team, team.carol)).code).toBe(0)
    await team.approve(team.alice, file, '--withdraw')
    await hideWithdrawal()
    const {code, err} = await act(team, team.carol)
    expect([code, err]).toEqual([10, expect.stringContaining('There are more approvals of this in the database')])
    expect(await listCreated(team.carol.home)).toEqual([])
  })

  it.each([
    ['before a worker begins', 0],
    ['while it pays another row', 1],
  ])('pauses a batch whose rows were changed in the database %s', async (_, paid) => {
    const team = await createTeamWithFile(`changed-${paid}`)
    await team.approve(team.alice, file)
    const id = String(json((await submit(team, team.carol)).out)['id'])
    const change = () =>
      runSql(
        fleet.getAddress(),
        `update svc.batch_rows set "row" = jsonb_set("row", '{content,source,sourceAmount}', '"9.99"') where batch_id = '${id}' and line = 3`,
      )
    const isSent = async () => json((await team.run(team.carol, ['journal', 'list', '--json'])).out)
    if (paid === 0) await change()
    else await addFault(team.carol.home, 'delay', '--delay', '3s', '--times', '1')
    const working = team.run(team.carol, [...workFile, '--concurrency', '1'])
    if (paid > 0) {
      await expect.poll(isSent, {timeout: 20_000}).toMatchObject({payments: [{state: 'ARMED'}]})
      await change()
    }
    expect((await working).code).toBe(10)
    expect(await listCreated(team.carol.home)).toHaveLength(paid)
    expect(await readState(team, id)).toMatchObject({state: 'PAUSED'})
  })

  it('lets new payees wait at the worker, also in batches that were stored before (C7)', async () => {
    const team = await createFleet()
    fs.writeFileSync(path.join(team.folder, file), `${[header, ...createRows('waits', 1)].join('\n')}\n`)
    const id = String(json((await submit(team, team.carol)).out)['id'])
    await requireApprovals(team, team.carol, {coolDown: '24h'})
    const worked = await work(team, team.carol)
    expect([worked.code, worked.err]).toEqual([10, expect.stringContaining('was never paid before, and waits until')])
    expect(await readState(team, id)).toMatchObject({state: 'PAUSED'})
    expect(await listCreated(team.carol.home)).toEqual([])
    // From then on it waits no longer than that.
    vi.useFakeTimers({toFake: ['Date'], now: Date.now() + 25 * hourMs})
    onTestFinished(() => void vi.useRealTimers())
    expect((await team.run(team.carol, ['payouts', 'resume', id])).code).toBe(0)
    expect((await work(team, team.carol)).code).toBe(0)
    expect(await listCreated(team.carol.home)).toHaveLength(1)
  })

  it('looks for more approvals as soon as a worker that pays knows of another policy', async () => {
    const team = await createTeamWithFile('changing')
    fs.appendFileSync(path.join(team.folder, file), `${createRow('changing-3')}\n${createRow('changing-4')}\n`)
    await team.approve(team.alice, file)
    const id = String(json((await submit(team, team.carol)).out)['id'])
    await addFault(team.carol.home, 'delay', '--delay', '8s')
    const working = team.run(team.carol, ['payouts', 'work', '--until-idle', '--listen', 'off', '--concurrency', '1'])
    await setPolicy(team, team.carol, {approvals: 2})
    await team.approve(team.alice, '--policy')
    expect((await working).code).toBe(10)
    expect(await readState(team, id)).toMatchObject({state: 'PAUSED'})
    expect((await listCreated(team.carol.home)).length).toBeLessThan(4)
  })

  it('pauses what was stored before the policy became read-only', async () => {
    const team = await createFleet()
    fs.writeFileSync(path.join(team.folder, file), `${[header, ...createRows('read', 1)].join('\n')}\n`)
    const id = String(json((await submit(team, team.carol)).out)['id'])
    fs.writeFileSync(path.join(team.folder, 'policy.yaml'), 'readOnly: true\n')
    expect((await team.run(team.carol, ['policy', 'set', 'policy.yaml', '--quiet'])).code).toBe(0)
    expect((await work(team, team.carol)).code).toBe(2)
    expect(await readState(team, id)).toMatchObject({state: 'ACTIVE'})
    expect(await listCreated(team.carol.home)).toEqual([])
  })
})
