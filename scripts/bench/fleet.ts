// Rows for a fleet on PostgreSQL: rows a second with one worker and with four, against one run with its journal in a file, which needs
// no queue, and no journal that other hosts share.
import fs from 'node:fs'
import path from 'node:path'
import {PostgresServer} from '../../test/support/postgres-server.ts'
import {bin} from '../sandbox-server.ts'
import {runTimed} from './measure.ts'
import {createPayoutCommand, measurePayouts} from './payouts.ts'
import type {Bench, Cost, Row} from './row.ts'
import {type Paying, startSandbox} from './stage.ts'

const rowCount = 2_000
const concurrency = 16

async function startFleet(bench: Bench): Promise<Paying> {
  const paying = await startSandbox(bench, {transactions: 1000})
  // The server runs as another user, who has to reach its own folder in this one.
  for (const each of [bench.folder, paying.folder]) fs.chmodSync(each, 0o755)
  const postgres = new PostgresServer(path.join(paying.folder, 'postgres'), {fsync: true})
  await postgres.create()
  await postgres.start()
  bench.onClose(() => postgres.stop())
  const env = {...paying.env, SVC_JOURNAL: postgres.getAddress()}
  await runTimed([process.execPath, bin, 'journal', 'init', '--quiet'], env)
  return {...paying, env}
}

// Start-up included, as in a run alone.
async function runWorkers(fleet: Paying, count: number): Promise<Cost> {
  await runTimed(createPayoutCommand('submit', fleet, rowCount), fleet.env)
  const args = ['payouts', 'work', '--until-idle', '--yes', '--listen', 'off', '--concurrency', String(concurrency)]
  const run = () => runTimed([process.execPath, bin, ...args], fleet.env)
  const ended = await Promise.all(Array.from({length: count}, run))
  return {value: rowCount / (Math.max(...ended.map(({value}) => value)) / 1000)}
}

const createWorkersRow = (count: number): Row => ({
  name: `fleet-workers-${count}`,
  title: `${count} ${count === 1 ? 'worker' : 'workers'} on PostgreSQL, ${concurrency} rows at a time each`,
  unit: 'rows/s',
  comparator: 'one run with its journal in a file',
  ...(count === 1 && {bound: {atLeast: 0.8}}),
  rounds: 3,
  warmUps: 0,
  open: async (bench) => {
    const fleet = await bench.share('fleet', () => startFleet(bench))
    const alone = {...fleet, env: {...fleet.env, SVC_JOURNAL: path.join(fleet.folder, 'journal.sqlite')}}
    return {own: () => runWorkers(fleet, count), base: () => measurePayouts(alone, rowCount, concurrency)}
  },
})

export const fleetRows: readonly Row[] = [1, 4].map(createWorkersRow)
