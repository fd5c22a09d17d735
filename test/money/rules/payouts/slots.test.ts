// A payout file with a slot: it is paid once in each, from any number of hosts, and no slot while an earlier one is unsettled.
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it, onTestFinished} from 'vitest'
import {openJournalDatabase} from '../../../../src/payments/journal/postgres/open-postgres-journal.ts'
import {createTeam, requireApprovals} from '../../../support/approvals.ts'
import {useFleet} from '../../../support/fleet.ts'
import {runSql} from '../../../support/postgres.ts'
import {startSvc} from '../../../support/running.ts'
import {type PaymentService, servePayments} from '../../../support/scripted-service.ts'
import {type Home, freshHome, json, run, spawnSvc} from '../../../support/svc.ts'
import {createRow, writePayroll} from '../../../support/payroll.ts'

const {freshHost, getAddress} = useFleet()

// The tests share a journal, so each has keys of its own.
let tests = 0
const createRows = () => {
  tests += 1
  return ['ana', 'ben', 'eva'].map((key, index) => createRow(`${key}${tests}`, {amount: `${index + 2}.50`}))
}
const months = {before: '2026-09', past: '2026-10', future: '2100-01'}

const runPayouts = (home: Home, {env}: PaymentService, command: string, ...flags: string[]) =>
  run(home, ['payouts', command, 'payroll.csv', '--yes', ...flags], {env})

async function listKeys(home: Home, {env}: PaymentService): Promise<string[]> {
  const {out} = await run(home, ['journal', 'list', '--json'], {env})
  const payments = json(out)['payments'] as Array<{key: string; state: string}>
  return payments
    .filter(({state}) => state === 'CREATED')
    .map(({key}) => key)
    .toSorted()
}

const countTwice = ({transactionsByKey}: PaymentService) =>
  [...transactionsByKey.values()].filter(({length}) => length > 1).length

describe.each(['run', 'submit'])('payouts %s --slot', (command) => {
  const createHost = () => {
    const home = command === 'run' ? freshHome() : freshHost()
    writePayroll(home, createRows())
    return home
  }
  const finish = async (home: Home, {env}: PaymentService) => {
    if (command === 'run') return
    const args = ['payouts', 'work', '--yes', '--until-idle', '--listen', 'off']
    expect(await run(home, args, {env})).toMatchObject({code: 0})
  }

  it('pays the same file once in each slot, and its keys carry the slot', async () => {
    const [home, service] = [createHost(), await servePayments()]
    for (const slot of [months.before, months.past, months.past, '2026-10-05']) {
      expect(await runPayouts(home, service, command, '--slot', slot)).toMatchObject({code: 0})
      await finish(home, service)
    }
    const slots = ['2026-09', '2026-10', '2026-10-05']
    const keys = slots.flatMap((slot) => ['ana', 'ben', 'eva'].map((key) => `${slot}-${key}${tests}`))
    expect(await listKeys(home, service)).toEqual(keys.toSorted())
    expect(service.transactions).toHaveLength(9)
    const status = ['payouts', 'status', 'payroll.csv', '--slot', months.past]
    const told = json((await run(home, [...status, '--json'], {env: service.env})).out)
    expect(told).toMatchObject({state: 'DONE', rows: 3, made: 3})
    const all = await run(home, [...status, '--rows', '--json'], {env: service.env})
    expect([all.code, all.out]).toEqual([0, expect.stringContaining(`"${months.past}-ana${tests}"`)])
    const shown = await run(home, ['journal', 'show', `2026-10-ana${tests}`, '--json'], {env: service.env})
    expect(json(shown.out)).toMatchObject({template: `{month}-ana${tests}`, slot: '2026-10'})
  })

  it('refuses a slot that has not come, a wrong clock and what is no slot, and leaves nothing behind', async () => {
    const [home, service] = [createHost(), await servePayments({dateSkewMs: 3_600_000})]
    const ahead = await runPayouts(home, service, command, '--slot', months.future, '--json')
    expect([ahead.code, json(ahead.err)['error']]).toEqual([10, 'SLOT_AHEAD'])
    const clock = await runPayouts(home, service, command, '--slot', '{month}', '--json')
    expect([clock.code, json(clock.err)['error']]).toEqual([10, 'CLOCK_DIFFERS'])
    for (const flags of [['{quarter}'], ['payroll-{month}'], ['2026-13'], ['{month}', '--slot-zone', 'Berlin']]) {
      expect(await runPayouts(home, service, command, '--slot', ...flags)).toMatchObject({code: 2})
    }
    expect(service.requestsTo('POST /quotes')).toEqual([])
    const {out} = await run(home, ['journal', 'list', '--json'], {env: service.env})
    expect(json(out)['payments']).toEqual([])
  })

  it('pays nothing while an earlier slot of a row is unsettled, names it, and settles it first', async () => {
    const [home, service] = [createHost(), await servePayments({keys: 'ignored'})]
    // The replies to all payments are lost, and from then on the list cannot be read.
    const lost = service.script({reply: 'reset', times: 99})
    let isCut = false
    service.intercept = ({method, path}, response) => {
      const isList = path.startsWith('/transactions')
      if (isList && method === 'GET' && isCut) response.socket?.destroy()
      isCut ||= isList && method === 'POST'
      return isList && method === 'GET' && isCut
    }
    const first = await runPayouts(home, service, 'run', '--slot', months.before, '--timeout', '900ms')
    expect([first.code, first.err]).toEqual([7, expect.anything()])
    lost.remove()
    const made = service.transactions.length
    const held = await runPayouts(home, service, command, '--slot', months.past, '--timeout', '900ms', '--json')
    expect([held.code, held.err]).toEqual([7, expect.stringContaining(`an earlier slot is not settled`)])
    expect(held.err).toContain(`${months.before}-`)
    expect(service.transactions).toHaveLength(made)
    service.intercept = () => false
    expect(await runPayouts(home, service, command, '--slot', months.past)).toMatchObject({code: 0})
    await finish(home, service)
    expect(countTwice(service)).toBe(0)
    expect((await listKeys(home, service)).filter((key) => key.startsWith(months.past))).toHaveLength(3)
  })
})

describe('two hosts with one journal', () => {
  // Waits until so many statements wait for a lock.
  async function waitForLocks(count: number): Promise<void> {
    const sql = 'select count(*)::int as n from pg_locks where not granted'
    while (Number((await runSql(getAddress(), sql))[0]?.['n']) < count) await sleep(20)
  }

  it('that submit it for the same slot at once, one of which is killed, store one batch, and workers pay each row once', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many', latencyMs: 5})
    const [one, other] = [freshHost(), freshHost()]
    const submit = ['payouts', 'submit', 'payroll.csv', '--yes', '--slot', '{month}', '--json']
    const rows = createRows()
    for (const host of [one, other]) writePayroll(host, rows)
    const database = openJournalDatabase({text: getAddress()})
    onTestFinished(() => database.close())
    const [held, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const holding = database.transact(
      async (query) => {
        await query({text: 'lock table svc.batch_rows in access exclusive mode'})
        held.resolve(undefined)
        await released.promise
      },
      {isRepeatable: false},
    )
    await held.promise
    const killed = startSvc(one, submit, service.env)
    await waitForLocks(1)
    const second = startSvc(other, submit, service.env)
    await waitForLocks(2)
    killed.stop('SIGKILL')
    await killed.ended
    released.resolve(undefined)
    await holding
    const stored = await second.ended
    expect([stored.code, stored.err]).toEqual([0, expect.stringContaining('Stored as batch')])
    const again = await spawnSvc(one, submit, {env: service.env})
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('is already the batch')])
    expect(json(again.out)['id']).toBe(json(stored.out)['id'])
    const work = ['payouts', 'work', '--yes', '--until-idle', '--listen', 'off']
    const worked = await Promise.all([one, other].map((host) => spawnSvc(host, work, {env: service.env})))
    expect(worked.map(({code}) => code)).toEqual([0, 0])
    expect(service.transactions).toHaveLength(3)
    expect(countTwice(service)).toBe(0)
    const batches = await runSql(getAddress(), `select slot from svc.batches where service_id = '${service.url}'`)
    expect(batches).toEqual([{slot: new Date().toISOString().slice(0, 7)}])
  })

  it('store no slot while the batch of an earlier one has not ended', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    writePayroll(home, createRows())
    const {out} = await runPayouts(home, service, 'submit', '--slot', months.before, '--json')
    const id = String(json(out)['id'])
    const held = await runPayouts(home, service, 'submit', '--slot', months.past)
    expect([held.code, held.err]).toEqual([7, expect.stringContaining(`payroll.csv ${months.before} (batch ${id})`)])
    expect(await run(home, ['payouts', 'cancel', id], {env: service.env})).toMatchObject({code: 0})
    expect(await runPayouts(home, service, 'submit', '--slot', months.past)).toMatchObject({code: 0})
    const status = await run(home, ['payouts', 'status', `payroll.csv ${months.past}`, '--json'], {env: service.env})
    expect(json(status.out)).toMatchObject({name: `payroll.csv ${months.past}`, waiting: 3})
  })
})

it('an approval is of one slot: the next one needs another', async () => {
  const team = createTeam()
  const file = writePayroll({...team.carol.home, folder: team.folder}, createRows())
  await requireApprovals(team, team.carol, {approvals: 1})
  const pay = (slot: string) => team.run(team.carol, ['payouts', 'run', file, '--slot', slot, '--quiet'])
  const refused = await pay(months.past)
  expect([refused.code, refused.err]).toEqual([
    10,
    expect.stringContaining(`svc approve ${file} --slot ${months.past}`),
  ])
  expect(await team.approve(team.alice, file)).toMatchObject({code: 0})
  expect(await pay(months.past)).toMatchObject({code: 10})
  expect(await team.approve(team.alice, file, '--slot', months.past)).toMatchObject({code: 0})
  expect(await pay(months.before)).toMatchObject({code: 10})
  expect(await pay(months.past)).toMatchObject({code: 0})
})
