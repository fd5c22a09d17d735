// What the attacks share: payments and payout files of an invented customer, run as an outsider would run them.
import fs from 'node:fs'
import path from 'node:path'
import {payment} from '../../support/payments.ts'
import type {PaymentService} from '../../support/scripted-service.ts'
import {type Home, type RunResult, freshHome, json, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'

type Body = Record<string, unknown>

// A run of svc on one host: its own settings, journal and files.
export interface Host {
  home: Home
  env: Record<string, string>
}

export const createHost = ({env}: PaymentService, more: Record<string, string> = {}): Host => ({
  home: freshHome(),
  env: {...env, ...more},
})

// Short enough that svc looks for an unknown payment once and does not wait for a later round.
export const briefly = ['--timeout', '900ms']

// Longer than any run takes on a busy machine: a run that waits for ever fails its test by the limit of the test.
const addTimeout = (flags: readonly string[]) => (flags.includes('--timeout') ? flags : [...flags, '--timeout', '1h'])

export const pay = ({home, env}: Host, key: string, amount: string, ...flags: string[]): Promise<RunResult> =>
  run(home, [...payment(key, amount), '--yes', ...addTimeout(flags)], {env})

// The same payment for another customer.
export function payAs(host: Host, customer: string, key: string, amount: string, ...flags: string[]) {
  const args = payment(key, amount)
  const changed = args.with(args.indexOf('--customer') + 1, customer)
  return run(host.home, [...changed, '--yes', ...addTimeout(flags)], {env: host.env})
}

export interface Row {
  key: string
  amount: string
  customer: string
  from: string
  to: string
}

// Rows with amounts of their own, so that none of them looks like a duplicate of another.
export const createRows = (count: number, change: Partial<Row> = {}): Row[] =>
  Array.from({length: count}, (_, index) => ({
    key: `row-${index + 1}`,
    amount: `${index + 1}.01`,
    customer: seeded.customer,
    from: seeded.wallet,
    to: seeded.externalWallet,
    ...change,
  }))

const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount'

function writeRows({home}: Host, rows: readonly Row[], file: string): void {
  const lines = rows.map(
    ({key, amount, customer, from, to}) => `${key},${customer},${from},USDC,SOLANA,${to},USDC,SOLANA,${amount}`,
  )
  fs.writeFileSync(path.join(home.folder, file), `${[header, ...lines].join('\n')}\n`)
}

const file = 'payroll.csv'

export function runPayouts(host: Host, rows: readonly Row[], ...flags: string[]): Promise<RunResult> {
  writeRows(host, rows, file)
  return run(host.home, ['payouts', 'run', file, '--yes', ...addTimeout(flags)], {env: host.env})
}

export const readResultFile = ({home}: Host): string =>
  fs.readFileSync(path.join(home.folder, `${file}.result.csv`), 'utf8')

export const readRows = ({out}: RunResult): Body[] => json(out)['payouts'] as Body[]

// How many rows ended in each state, as in {CREATED: 60}.
export function countStates(result: RunResult): Record<string, number> {
  const states = readRows(result).map(({state}) => String(state))
  return Object.fromEntries([...Map.groupBy(states, (state) => state)].map(([state, {length}]) => [state, length]))
}

export async function readJournal({home, env}: Host, key: string): Promise<Body> {
  return json((await run(home, ['journal', 'show', key, '--json'], {env})).out)
}

export async function reconcile({home, env}: Host): Promise<{code: number | null; findings: Body[]}> {
  const {code, out} = await run(home, ['reconcile', '--since', '1d', '--json'], {env})
  const findings = (JSON.parse(out) as {findings?: Body[]}).findings ?? []
  return {code, findings}
}

export const countSent = ({requestsTo}: PaymentService): number => requestsTo('POST /transactions').length
