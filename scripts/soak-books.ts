// Pays many random payments in a sandbox and checks that hledger and beancount balance their books, that the totals are those of the
// sandbox's ledger, and how much time and memory the export takes: node scripts/soak-books.ts --payments 10000 --seed 1
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs} from 'node:util'
import {createRows, fundWallets, listAccounts, payoutHeader} from '../test/books/random-payments.ts'
import {addUpAccounts, findUnbalanced, readLedger} from '../test/books/read-ledger.ts'
import {
  balanceWithBeancount,
  balanceWithHledger,
  canValidateStatements,
  cutDecimals,
  hasBeancount,
  hasHledger,
  runProgram,
  statementSchema,
} from '../test/books/real-programs.ts'
import {compareWithSandbox, readLines} from '../test/books/sandbox-ledger.ts'
import {root} from './surface.ts'

const {values} = parseArgs({
  options: {payments: {type: 'string', default: '10000'}, seed: {type: 'string', default: '1'}},
})
const count = Number(values.payments)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-books-'))
const env = {
  HOME: folder,
  PATH: process.env['PATH'],
  SVC_CONFIG_DIR: path.join(folder, 'config'),
}
const memoryTeller = path.join(root, 'scripts/bench/tell-memory.mjs')
const write = (text: string) => process.stdout.write(`${text}\n`)
const problems: string[] = []

function runSvc(args: readonly string[]) {
  const startedMs = performance.now()
  const program = ['--import', memoryTeller, path.join(root, 'bin/run.js')]
  const {status, output} = spawnSync(process.execPath, [...program, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [, out = '', err = '', peakKiB = ''] = output.map((text) => text ?? '')
  const peakMiB = Math.round(Number(peakKiB) / 1024)
  return {code: status, out, err, peakMiB, seconds: (performance.now() - startedMs) / 1000}
}

async function call(args: readonly string[]): Promise<string> {
  const {code, out, err} = runSvc(args)
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err}`.slice(0, 2000))
  return out
}

const expectEqual = (what: string, one: unknown, other: unknown) => {
  const isEqual = JSON.stringify(one) === JSON.stringify(other)
  write(`${isEqual ? 'ok  ' : 'BAD '} ${what}`)
  if (!isEqual) problems.push(what)
}

const exportAs = (format: string) => {
  const file = path.join(folder, `books.${format}`)
  const {code, err, seconds, peakMiB} = runSvc([
    'journal',
    'export',
    '--format',
    format,
    '--out',
    file,
    '-p',
    'sandbox',
  ])
  if (code !== 0) throw new Error(err.slice(0, 2000))
  write(
    `     ${format}: ${seconds.toFixed(1)} s, ${peakMiB} MiB, ${fs.statSync(file).size} bytes; ${err.split('\n')[0]}`,
  )
  return {file, text: fs.readFileSync(file, 'utf8')}
}

const accounts = await listAccounts(call)
await fundWallets(call, accounts)
const payouts = path.join(folder, 'payouts.csv')
fs.writeFileSync(payouts, [payoutHeader, ...createRows(accounts, count, Number(values.seed)), ''].join('\n'))
const paid = runSvc(['payouts', 'run', payouts, '--allow-duplicates', '--quiet', '-p', 'sandbox'])
if (paid.code !== 0) throw new Error(paid.err.slice(0, 2000))
write(`${count} payments made in ${paid.seconds.toFixed(0)} s, seed ${values.seed}`)
await call(['sandbox', 'clock', 'until-idle', '--quiet'])

const hledger = exportAs('hledger')
const entries = readLedger(hledger.text)
const sums = addUpAccounts(entries)
expectEqual(`our own check: ${entries.length} entries balance exactly`, findUnbalanced(entries), [])
const currencies = [...new Set(Object.keys(sums).map((name) => name.split(' ')[1] ?? ''))]
if (hasHledger)
  expectEqual('hledger: strict check, and the same balances', balanceWithHledger(hledger.file, currencies), sums)
else write('skip hledger is not installed')
const beancount = exportAs('beancount')
if (hasBeancount) {
  const balances = cutDecimals(balanceWithBeancount(beancount.file))
  expectEqual('beancount: no tolerance, and the same balances', balances, cutDecimals(sums))
} else write('skip beancount is not installed')
const jsonl = exportAs('jsonl')
const wallets = accounts.filter(({paymentAccountType}) => paymentAccountType === 'SVC_CRYPTO_WALLET')
const file = path.join(folder, 'config', 'state', 'sandbox.sqlite')
const compared = compareWithSandbox(jsonl.text, file, new Set(wallets.map((each) => each.paymentAccountId)))
expectEqual(
  `the sandbox’s ledger has the same sums for ${compared.count} transactions`,
  compared.ledger,
  compared.books,
)
const lines = readLines(jsonl.text)
expectEqual('every payment is posted or named once', new Set(lines.map(({key}) => key)).size, count)
const failed = lines.filter(({posted}) => !posted).length
const reconciled = runSvc([
  'reconcile',
  '--since',
  '2020-01-01',
  '-p',
  'sandbox',
  '--jq',
  '[.findings[].kind] | length',
])
expectEqual(`reconcile finds the ${failed} that ended badly, and nothing else`, Number(reconciled.out), failed)
exportAs('csv')
const statement = exportAs('camt053')
if (canValidateStatements) {
  const {code} = runProgram('xmllint', ['--noout', '--huge', '--schema', statementSchema, statement.file])
  expectEqual('camt.053 is valid by its schema', code, 0)
} else write('skip xmllint or SVC_TEST_CAMT053_SCHEMA is missing')
const page = path.join(folder, 'report.html')
const report = runSvc(['report', '--out', page, '-p', 'sandbox', '--quiet'])
write(`     report.html: ${report.seconds.toFixed(1)} s, ${report.peakMiB} MiB, ${fs.statSync(page).size} bytes`)
fs.rmSync(folder, {recursive: true, force: true})
process.exitCode = problems.length > 0 ? 1 : 0
