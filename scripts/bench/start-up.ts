// Rows for the time of one short command: the installed tarball against bare Node, and a payment against a script with the same
// requests.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {toPayFlags, toQuoteBody} from '../sandbox-server.ts'
import {root} from '../surface.ts'
import {addPayments} from './add-payments.ts'
import {runTimed} from './measure.ts'
import type {Bench, Row} from './row.ts'
import {type Paying, createEnv, findScript, logIn, routeAmount, startSandbox, startService} from './stage.ts'

const often = {unit: 'ms', rounds: 30, warmUps: 3} as const

// Packs and unpacks the tarball, so that the shipped program is measured. It has no dependencies but optional ones.
const shareInstalled = ({share, folder}: Bench) =>
  share('installed', async () => {
    const env = {...process.env, npm_config_loglevel: 'error'}
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
    const tarball = execFileSync('npm', pack, {cwd: root, env}).toString().trim()
    execFileSync('tar', ['-xzf', path.join(folder, tarball), '-C', folder])
    return path.join(folder, 'package/bin/run.js')
  })

// A command of svc against the time that Node takes to start and end.
const createRow = (name: string, words: string, atMost: number): Row => ({
  ...often,
  name,
  title: `svc ${words}`,
  comparator: 'node -e 0',
  bound: {atMost},
  open: async (bench) => {
    const bin = await shareInstalled(bench)
    const {url} = await bench.share('customers', () => startService(bench))
    const env = {...createEnv(bench.folder), ...(name === 'list-http' && {SVC_BASE_URL: url, SVC_API_KEY: 'bench'})}
    return {
      own: () => runTimed([process.execPath, bin, ...words.split(' ')], env),
      base: () => runTimed([process.execPath, '-e', '0'], env),
    }
  },
})

const pay = (bin: string, {route, env}: Paying, key: string) => {
  const flags = Object.entries({key, amount: routeAmount, ...toPayFlags(route)})
  const words = flags.flatMap(([name, value]) => [`--${name}`, value])
  return runTimed([process.execPath, bin, 'pay', ...words, '--yes', '--allow-duplicates'], env)
}

// A payment needs a new key each time.
let payments = 0

const payRow: Row = {
  ...often,
  name: 'pay',
  title: 'svc pay, warm journal, over HTTP',
  comparator: 'a script with the same three requests',
  bound: {atMost: 1.6},
  open: async (bench) => {
    const bin = await shareInstalled(bench)
    // A customer with few transactions, whose list is one page: then svc sends the three requests of the script.
    const paying = await startSandbox(bench, {transactions: 0, program: bin})
    const {url, apiKey} = paying.server
    const body = JSON.stringify(toQuoteBody(paying.route, routeAmount))
    const script = [process.execPath, findScript('bare-payment.mjs'), url, apiKey, body]
    return {own: () => pay(bin, paying, `bench-${payments++}`), base: () => runTimed(script, paying.env)}
  },
}

// The sandbox gives its history to so many customers in turn.
const customersWithHistory = 8
const historyLong = 100_000

// A payment reads the whole list of its customer.
const historyRow: Row = {
  unit: 'ms',
  rounds: 7,
  warmUps: 1,
  name: 'pay-history',
  title: 'svc pay again, a customer with 100,000 transactions',
  comparator: 'svc pay again, a customer with none',
  bound: {atMost: 1.2},
  open: async (bench) => {
    const bin = await shareInstalled(bench)
    const long = await startSandbox(bench, {transactions: historyLong * customersWithHistory, program: bin})
    const short = await startSandbox(bench, {transactions: 0, program: bin})
    // The first payment of a journal reads the list whole.
    for (const paying of [long, short]) await pay(bin, paying, `bench-${payments++}`)
    return {
      own: () => pay(bin, long, `bench-${payments++}`),
      base: () => pay(bin, short, `bench-${payments++}`),
    }
  },
}

const amountsOfDay = 50_000

// A daily cap adds nothing that grows with the day.
const dayRow: Row = {
  ...often,
  name: 'pay-day',
  title: 'svc pay under a daily cap, with 50,000 amounts made that day',
  comparator: 'svc pay without a cap, with the same journal',
  bound: {atMost: 1.2},
  open: async (bench) => {
    const bin = await shareInstalled(bench)
    const paying = await startSandbox(bench, {transactions: 0, program: bin})
    const journal = path.join(paying.folder, 'day.sqlite')
    const free = {...paying, env: {...paying.env, SVC_JOURNAL: journal}}
    await pay(bin, free, `bench-${payments++}`)
    await addPayments(journal, amountsOfDay)

    const folder = path.join(paying.folder, 'capped')
    fs.mkdirSync(folder)
    const capped = {...paying, env: {...logIn(folder, paying.server), SVC_JOURNAL: journal}}
    const cap = ['profiles', 'set', 'bench', '--day-max', `${paying.route.source.sourceCurrency}=1000000000`]
    execFileSync(process.execPath, [bin, ...cap, '--quiet'], {env: capped.env})
    return {
      own: () => pay(bin, capped, `bench-${payments++}`),
      base: () => pay(bin, free, `bench-${payments++}`),
    }
  },
}

export const startUpRows: readonly Row[] = [
  createRow('version', '--version', 1.1),
  createRow('help', '--help', 2.2),
  createRow('list-http', 'customers list --json', 2.3),
  createRow('list-sandbox', 'customers list -p sandbox', 3),
  payRow,
  dayRow,
  historyRow,
]
