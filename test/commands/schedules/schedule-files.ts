// Files of schedules for the tests: payments from the wallet of a seeded customer to its bank account.
import fs from 'node:fs'
import path from 'node:path'
import {runSql} from '../../support/postgres.ts'
import {type Home, json, run} from '../../support/svc.ts'
import {bank, wallet, zoe} from '../payouts/payroll.ts'

export const createPlan = (amount = '2.50', more: object = {}) => ({
  customerId: zoe,
  source: {
    sourcePaymentAccountId: wallet,
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: amount,
  },
  destination: {destinationPaymentAccountId: bank, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
  ...more,
})

// Every day, half a day away from now, so that none comes while a test runs.
export const daily = `0 ${(new Date().getUTCHours() + 12) % 24} * * *`

export const createSchedule = (name: string, more: object = {}) => ({
  name,
  cron: daily,
  pay: createPlan(),
  ...more,
})

// JSON is YAML.
export function writeSchedules(home: Home, schedules: readonly object[], name = 'schedules.yaml'): string {
  fs.writeFileSync(path.join(home.folder, name), JSON.stringify({schedules}))
  return name
}

export const runSchedules = (home: Home, ...args: string[]) => run(home, ['schedules', ...args, '-p', 'sandbox'])

export async function apply(home: Home, schedules: readonly object[], ...flags: string[]): Promise<void> {
  const {code, err} = await runSchedules(home, 'apply', '-f', writeSchedules(home, schedules), '--quiet', ...flags)
  if (code !== 0) throw new Error(err)
}

export const work = (home: Home) => run(home, ['payouts', 'work', '--until-idle', '--listen', 'off', '-p', 'sandbox'])

export const listRuns = async (home: Home, ...args: string[]) =>
  json((await runSchedules(home, 'runs', ...args, '--json')).out)['runs'] as Array<Record<string, unknown>>

// As if no worker had run for so long: the last slot about which was decided is that much older.
export const sleepFor = (address: string, interval: string, ...names: string[]) =>
  runSql(
    address,
    `update svc.schedules set decided_until = date_trunc('milliseconds', now() - interval '${interval}'),
      next_at = date_trunc('milliseconds', now() - interval '${interval}')
      where name in (${names.map((name) => `'${name}'`).join(', ')})`,
  )
