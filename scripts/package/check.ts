// Installs and runs what `npm run package` built for this machine, as a user would: `npm run package:check`. What a tool is missing for
// is named and left out.
import assert from 'node:assert/strict'
import {type SpawnSyncReturns, execFileSync, spawn, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {readPackage, root} from '../surface.ts'
import {platforms} from './platforms.ts'

const release = path.join(root, 'release')
const {version} = readPackage()
const platform = platforms.find(({name}) => name === `${process.platform}-${process.arch}`)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-check-'))

// No Node on PATH, and a home of its own.
const env = {HOME: folder, SVC_CONFIG_DIR: path.join(folder, 'config'), PATH: '/nowhere'}

const report = (text: string) => process.stdout.write(`${text}\n`)

function run(program: string, args: readonly string[], variables: NodeJS.ProcessEnv = env): SpawnSyncReturns<string> {
  const ended = spawnSync(program, args, {cwd: folder, env: variables, encoding: 'utf8'})
  assert.equal(ended.status, 0, `${program} ${args.join(' ')}: ${ended.error?.message ?? ''}${ended.stderr}`)
  return ended
}

const customer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

interface Account {
  paymentAccountId: string
}

function pay(svc: string): void {
  const json = (...args: string[]) => JSON.parse(run(svc, [...args, '--json']).stdout) as Account
  const add = ['sandbox', 'accounts', 'add', '--customer', customer, '--type']
  const from = json(...add, 'SVC_CRYPTO_WALLET', '--balance', '500')
  const to = json(...add, 'EXTERNAL_BANK_ACCOUNT', '--method', 'ACH')
  const route = `--from ${from.paymentAccountId} --from-currency USDC --from-method BASE --to ${to.paymentAccountId} --to-currency USD --to-method ACH`
  const words = ['pay', '-p', 'sandbox', '--key', 'check', '--customer', customer, '--amount', '25.00']
  const paid = () => run(svc, [...words, ...route.split(' '), '--yes', '--json']).stdout
  const first = JSON.parse(paid()) as {transactionId: string}
  assert.equal((JSON.parse(paid()) as {transactionId: string}).transactionId, first.transactionId)
}

// Waits for the line that says that it is ready, asks for its document, and ends it.
async function serve(svc: string): Promise<void> {
  const child = spawn(svc, ['sandbox', 'start', '--port', '0', '--json'], {env, stdio: ['ignore', 'pipe', 'inherit']})
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk))),
    )
    const {url} = JSON.parse(line) as {url: string}
    assert.equal((await fetch(`${url}/openapi.json`)).status, 200)
  } finally {
    child.kill('SIGTERM')
  }
  assert.equal(await ended, 0)
}

async function checkExecutable(svc: string): Promise<void> {
  const details = JSON.parse(run(svc, ['--version', '--json']).stdout) as Record<string, unknown>
  assert.equal(details['version'], version)
  assert.equal(details['platform'], `${process.platform}-${process.arch}`)
  assert.match(run(svc, ['customers', 'list', '-p', 'sandbox']).stdout, /Grace Holloway-Pike/)
  assert.match(run(svc, ['docs', 'paying-once']).stdout, /^# Paying once/)
  assert.match(run(svc, ['mcp', '--tools']).stdout, /customers_list/)
  assert.match(run(svc, ['customers', 'list', '-p', 'sandbox', '--jq', '.customers | length']).stdout, /^20\n/)
  assert.match(run(svc, ['tour', '--no-input']).stdout, /That was svc/)
  pay(svc)
  await serve(svc)
  report('ok  the executable, with no Node on PATH: version, list, docs, mcp, jq, tour, pay, sandbox start')
}

try {
  execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {cwd: release, stdio: 'inherit'})
  const archive = path.join(release, `svc-${version}-${platform?.name}.tar.gz`)
  if (!platform || platform.name.startsWith('win32') || !fs.existsSync(archive))
    report('--  there is no executable for this machine')
  else {
    run('tar', ['-xzf', archive, '-C', folder], process.env)
    const svc = path.join(folder, `svc-${version}-${platform.name}/svc`)
    await checkExecutable(svc)
  }
} finally {
  fs.rmSync(folder, {recursive: true, force: true})
}
