// A role with the grants of a worker does everything that svc does, and by hand in SQL no more than it should.
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {grantJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import {workerGrants} from '../../../src/storage/postgres/grants.ts'
import {type Team, createFleetTeam, requireApprovals, setPolicy} from '../../support/approvals.ts'
import {useFleet} from '../../support/fleet.ts'
import {payment} from '../../support/payments.ts'
import {runSql, withDatabase} from '../../support/postgres.ts'
import {freshHome, json, root, run} from '../../support/svc.ts'
import {createRows, header, listCreated} from '../../support/payroll.ts'

const fleet = useFleet()
const getDatabase = () => new URL(fleet.getAddress()).pathname.slice(1)
const getRole = () => `${getDatabase()}_worker`
const getWorkerAddress = () => withDatabase(fleet.getAddress(), getDatabase(), getRole())
const asWorker = (...statements: string[]) => runSql(getWorkerAddress(), ...statements)

beforeAll(async () => {
  const role = getRole()
  await runSql(
    fleet.getAddress(),
    `create role ${role} login`,
    // As docs/postgres.md once said.
    `grant usage on schema svc, svc_jobs to ${role}`,
    `grant all on all tables in schema svc, svc_jobs to ${role}`,
  )
  await grantJournal({text: fleet.getAddress()}, role)
})

// Before the database goes, which belongs to an earlier hook.
afterAll(async () => void (await runSql(fleet.getAddress(), `drop owned by ${getRole()}`, `drop role ${getRole()}`)))

const denied = /permission denied for table/

describe('the role of a worker', () => {
  it.each(['history', 'approvals'])('adds to %s, and changes and removes nothing there', async (table) => {
    expect(await asWorker(`select count(*) from svc.${table}`)).toHaveLength(1)
    const [column] = await asWorker(
      `select column_name as name from information_schema.columns where table_schema = 'svc' and table_name = '${table}' limit 1`,
    )
    const name = String(column?.['name'])
    for (const statement of [
      `update svc.${table} set ${name} = ${name}`,
      `delete from svc.${table}`,
      `truncate svc.${table}`,
      `select * from svc.${table} for update`,
      `alter table svc.${table} disable trigger all`,
      `drop table svc.${table}`,
    ]) {
      await expect(asWorker(statement), statement).rejects.toThrow(/permission denied|must be owner/)
    }
    const [{may = false} = {}] = await asWorker(`select has_table_privilege('svc.${table}', 'insert') as may`)
    expect(may).toBe(true)
  })

  it('adds no version of a policy, also not by hand, and may add approvals of one', async () => {
    const add = (key: string) => `insert into svc.history (service_id, key, at, what, detail, chain, number, hash)
      values ('', '${key}', 1, 'DECISION', '{}', 0, 7, 'x')`
    await expect(asWorker(add('policy'))).rejects.toThrow('violates row-level security policy')
    await asWorker(add('policy approval'))
    await runSql(fleet.getAddress(), `delete from svc.history where chain = 0 and number = 7`)
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'policy.yaml'), 'readOnly: true\n')
    const env = {SVC_JOURNAL: getWorkerAddress()}
    const set = await run(home, ['policy', 'set', path.join(home.folder, 'policy.yaml'), '-p', 'sandbox'], {env})
    expect([set.code, set.err]).toEqual([2, expect.stringContaining('only its owner can')])
    const shown = await run(home, ['policy', 'show', '-p', 'sandbox'], {env})
    expect(shown.code).toBe(5)
  })

  it('has for every table the verbs of the list and of docs/postgres.md, and no others', async () => {
    const verbs = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']
    const tables = (
      await runSql(fleet.getAddress(), `select tablename as name from pg_tables where schemaname = 'svc'`)
    )
      .map(({name}) => String(name))
      .toSorted()
    expect(tables).toEqual(Object.keys(workerGrants).toSorted())
    const list = verbs.map((verb) => `has_table_privilege('svc.' || tablename, '${verb}') as "${verb}"`).join(', ')
    const found = await asWorker(`select tablename as name, ${list} from pg_tables where schemaname = 'svc'`)
    const documented = fs.readFileSync(path.join(root, 'docs/postgres.md'), 'utf8')
    for (const {name, ...may} of found) {
      const granted = workerGrants[String(name)] ?? []
      expect([name, verbs.filter((verb) => may[verb])]).toEqual([name, granted])
      expect(documented).toContain(`| \`${String(name)}\` | ${granted.join(', ')} |`)
    }
    await expect(asWorker('create table svc.mine (a int)')).rejects.toThrow('permission denied for schema svc')
  })

  it('is not granted a table that the list does not name, such as one of a later version', async () => {
    await runSql(fleet.getAddress(), 'create table svc.later (a int)')
    await expect(asWorker('select * from svc.later')).rejects.toThrow(denied)
    await runSql(fleet.getAddress(), 'drop table svc.later')
  })

  it('cannot be the owner or unknown', async () => {
    const owner = new URL(fleet.getAddress()).username
    const init = (role: string) =>
      run(freshHome(), ['journal', 'init', '--worker', role], {env: {SVC_JOURNAL: fleet.getAddress()}})
    expect(await init(owner)).toMatchObject({code: 2, err: expect.stringContaining('grants cannot limit it')})
    expect(await init('no"body')).toMatchObject({code: 2, err: expect.stringContaining('has no role no"body')})
    expect(await init(getRole())).toMatchObject({code: 0})
  })
})

describe('svc as the role of a worker', () => {
  const file = 'payroll.csv'
  const createWorkerTeam = async (prefix: string): Promise<Team> => {
    const team = await createFleetTeam(getWorkerAddress(), fleet.getAddress())
    const {carol} = team
    const owner = {...carol, home: {...carol.home, env: {...carol.home.env, SVC_JOURNAL: fleet.getAddress()}}}
    await requireApprovals(team, owner, {approvals: 1, above: '3'})
    fs.writeFileSync(path.join(team.folder, file), `${[header, ...createRows(prefix, 2)].join('\n')}\n`)
    return team
  }
  const work = (team: Team) => team.run(team.carol, ['payouts', 'work', '--until-idle', '--listen', 'off'])

  it('pays, approves, submits, works and settles', async () => {
    const team = await createWorkerTeam('role')
    const {carol} = team
    const expectRun = async (code: number, ...args: string[]) => {
      const ended = await team.run(carol, args)
      expect([args, ended.code, ended.err]).toEqual([args, code, expect.anything()])
      return ended
    }
    await expectRun(10, ...payment('one', '5'))
    const off = await setPolicy(team, carol, {approvals: 0})
    expect([off.code, off.err]).toEqual([2, expect.stringContaining('only its owner can')])
    await expectRun(0, ...payment('one', '2'))
    expect((await team.approve(team.alice, file)).code).toBe(0)
    const id = String(json((await expectRun(0, 'payouts', 'submit', file, '--allow-duplicates', '--json')).out)['id'])
    await expectRun(0, 'payouts', 'pause', id)
    await expectRun(0, 'payouts', 'resume', id)
    expect(await work(team)).toMatchObject({code: 0})
    await expectRun(0, 'payouts', 'status', id, '--out', path.join(team.folder, 'result.csv'))
    await expectRun(0, 'journal', 'verify')
    await expectRun(0, 'journal', 'settle')
    expect(await listCreated(carol.home)).toHaveLength(3)
  })

  it('frees no paused batch by a change of its state', async () => {
    const team = await createWorkerTeam('freed')
    await team.approve(team.alice, file)
    const submitted = await team.run(team.carol, ['payouts', 'submit', file, '--allow-duplicates', '--json'])
    const id = String(json(submitted.out)['id'])
    await team.approve(team.alice, file, '--withdraw')
    expect(await work(team)).toMatchObject({code: 10})
    const paidBefore = (await listCreated(team.carol.home)).length
    await asWorker(`update svc.batches set state = 'ACTIVE' where id = '${id}'`)
    expect(await work(team)).toMatchObject({code: 10})
    expect(await listCreated(team.carol.home)).toHaveLength(paidBefore)
  })
})
