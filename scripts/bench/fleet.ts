// Rows for a fleet on PostgreSQL: rows a second with one worker and with four, against one run with its journal in a file.
import fs from 'node:fs'
import path from 'node:path'
import {PostgresServer} from '../../test/support/postgres-server.ts'
import {type Route, payoutFile} from './payouts.ts'
import {readServerCpuMs} from './process-cpu.ts'
import {type Bench, type Cost, type Row, takeTurns} from './row.ts'
import {runTimed, toRate} from './run-timed.ts'
import {bin, logIn, prepare, startSandbox} from './sandbox.ts'

const rowCount = 2_000
const concurrency = 16
const usualRounds = 3

interface Fleet {
  env: NodeJS.ProcessEnv
  folder: string
  route: Route
  postgres: PostgresServer
}

const shareFleet = ({share, folder}: Bench): Promise<Fleet> =>
  share('fleet', async () => {
    const own = fs.mkdtempSync(path.join(folder, 'fleet-'))
    // The server runs as another user, who has to reach its own folder in this one.
    for (const each of [folder, own]) fs.chmodSync(each, 0o755)
    const data = path.join(own, 'sandbox.sqlite')
    const route = JSON.parse(await prepare(data)) as Route
    const service = await startSandbox(bin, data)
    const postgres = new PostgresServer(path.join(own, 'postgres'), {fsync: true})
    await postgres.create()
    await postgres.start()
    const env = {...logIn(own, service), SVC_JOURNAL: postgres.getAddress()}
    await runTimed([process.execPath, bin, 'journal', 'init', '--quiet'], env)
    const close = async () => {
      service.process.kill()
      await postgres.stop()
    }
    return {value: {env, folder: own, route, postgres}, close}
  })

let files = 0

// A file of its own each time, since keys that were paid are not paid again. Its rows are alike.
const payoutArgs = (verb: string, {folder, route}: Fleet) => {
  const file = payoutFile(folder, rowCount, route, `file-${files++}`)
  return [process.execPath, bin, 'payouts', verb, file, '--yes', '--allow-duplicates', '--quiet']
}

const runAlone = async (fleet: Fleet): Promise<Cost> => {
  const env = {...fleet.env, SVC_JOURNAL: path.join(fleet.folder, 'journal.sqlite')}
  return toRate(rowCount, await runTimed([...payoutArgs('run', fleet), '--concurrency', String(concurrency)], env))
}

// Start-up included, as in a run alone, and the CPU time of PostgreSQL too.
async function runWorkers(fleet: Fleet, count: number): Promise<Cost> {
  const {env, postgres} = fleet
  await runTimed(payoutArgs('submit', fleet), env)
  const args = ['payouts', 'work', '--until-idle', '--yes', '--listen', 'off', '--concurrency', String(concurrency)]
  const postgresMs = readServerCpuMs(postgres.pid)
  const ended = await Promise.all(Array.from({length: count}, () => runTimed([process.execPath, bin, ...args], env)))
  const value = Math.max(...ended.map((run) => run.value))
  const svcMs = ended.reduce((total, {byCpu}) => total + byCpu, 0)
  return toRate(rowCount, {value, byCpu: svcMs + readServerCpuMs(postgres.pid) - postgresMs})
}

const createWorkersRow = (count: number): Row => ({
  name: `fleet-workers-${count}`,
  title: `${count} ${count === 1 ? 'worker' : 'workers'} on PostgreSQL, ${concurrency} rows at a time each`,
  unit: 'rows/s',
  comparator: {
    name: 'one run with its journal in a file',
    leavesOut: 'the queue, and a journal that other hosts share',
  },
  ...(count === 1 && {bound: {atLeast: 0.8}}),
  measure: async (bench) => {
    const fleet = await shareFleet(bench)
    return takeTurns(
      bench.countRounds(usualRounds),
      () => runWorkers(fleet, count),
      () => runAlone(fleet),
      0,
    )
  },
})

export const fleetRows: readonly Row[] = [1, 4].map(createWorkersRow)
