// Installs and runs what `npm run package` built for this machine, as a user would: `npm run package:check`. What a tool is missing for
// is named and left out.
import assert from 'node:assert/strict'
import {type SpawnSyncReturns, spawn, spawnSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {readPackage, root} from '../surface.ts'
import {checkSignature, checksumsName, notSigned, signatureName} from './checksums.ts'
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

const hasProgram = (name: string) => spawnSync('which', [name]).status === 0

function checkSums(): void {
  const checksums = fs.readFileSync(path.join(release, checksumsName), 'utf8')
  const lines = checksums.trimEnd().split('\n')
  for (const [sum, name = ''] of lines.map((line) => line.split('  '))) {
    const content = fs.readFileSync(path.join(release, name))
    assert.equal(createHash('sha256').update(content).digest('hex'), sum, name)
  }
  report(`ok  ${lines.length} checksums`)
  const signatureFile = path.join(release, signatureName)
  report(
    fs.existsSync(signatureFile) ? `ok  ${checkSignature(checksums, signatureFile).trimEnd()}` : `--  ${notSigned}`,
  )
}

const payment = {
  customer: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  amount: '25.00',
}

interface Account {
  paymentAccountId: string
}

function pay(svc: string): void {
  const json = (...args: string[]) => JSON.parse(run(svc, [...args, '--json']).stdout) as Account
  const add = ['sandbox', 'accounts', 'add', '--customer', payment.customer, '--type']
  const from = json(...add, 'SVC_CRYPTO_WALLET', '--balance', '500')
  const to = json(...add, 'EXTERNAL_BANK_ACCOUNT', '--method', 'ACH')
  const route = `--from ${from.paymentAccountId} --from-currency USDC --from-method BASE --to ${to.paymentAccountId} --to-currency USD --to-method ACH`
  const words = ['pay', '-p', 'sandbox', '--key', 'check', '--customer', payment.customer, '--amount', payment.amount]
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
  assert.match(run(svc, ['autocomplete', 'complete', '--shell=bash', '--line=svc cust']).stdout, /customers/)
  assert.match(run(svc, ['customers', 'list', '-p', 'sandbox', '--jq', '.customers | length']).stdout, /^20\n/)
  assert.match(run(svc, ['tour', '--no-input']).stdout, /That was svc/)
  pay(svc)
  await serve(svc)
  report('ok  the executable, with no Node on PATH: version, list, docs, mcp, completion, jq, tour, pay, sandbox start')
}

// Only the executable and the libraries that it is linked with, read-only.
function checkEmptyRoot(svc: string): void {
  const rootFolder = path.join(folder, 'root')
  const libraries = run('ldd', [svc], process.env).stdout.match(/\/\S+(?= \(0x)/g) ?? []
  for (const file of libraries) {
    fs.mkdirSync(path.join(rootFolder, path.dirname(file)), {recursive: true})
    fs.copyFileSync(fs.realpathSync(file), path.join(rootFolder, file))
  }
  fs.mkdirSync(path.join(rootFolder, 'data'))
  fs.copyFileSync(svc, path.join(rootFolder, 'svc'))
  const isolate = [
    '--ro-bind',
    rootFolder,
    '/',
    '--tmpfs',
    '/data',
    '--clearenv',
    '--setenv',
    'HOME',
    '/data',
    '--unshare-all',
  ]
  const inside = (...args: string[]) => run('bwrap', [...isolate, '/svc', ...args], process.env).stdout
  if (!hasProgram('bwrap') || spawnSync('bwrap', [...isolate, '/svc', '--version']).status !== 0) {
    report('--  the empty root: bwrap is not installed, or may not be used here')
    return
  }
  assert.match(inside('docs', 'sandbox'), /^# /)
  assert.match(inside('customers', 'list', '-p', 'sandbox'), /Grace Holloway-Pike/)
  report('ok  the executable in an empty, read-only root with its libraries')
}

// Installed into a folder, with a database of packages of its own.
function checkDebian(): void {
  if (platform?.debian === undefined || !hasProgram('dpkg')) {
    report('--  the Debian package: there is no dpkg')
    return
  }
  const target = path.join(folder, 'debian')
  fs.mkdirSync(path.join(target, 'var/lib/dpkg/info'), {recursive: true})
  for (const name of ['status', 'available']) fs.writeFileSync(path.join(target, 'var/lib/dpkg', name), '')
  const list = () =>
    fs
      .globSync('**', {cwd: target})
      .filter((name) => !name.startsWith('var'))
      .toSorted()
  const before = list()
  const dpkg = (...args: string[]) =>
    run('dpkg', [`--root=${target}`, '--force-not-root,depends,bad-path', '--log=/dev/null', ...args], {
      ...process.env,
      ...env,
      PATH: process.env['PATH'],
    })
  dpkg('--install', path.join(release, `svc_${version}_${platform.debian}.deb`))
  assert.match(run(path.join(target, 'usr/bin/svc'), ['--version']).stdout, /^svc\//)
  const installed = list()
  for (const name of [
    'man/man1/svc-pay.1.gz',
    'bash-completion/completions/svc',
    'zsh/vendor-completions/_svc',
    'fish/vendor_completions.d/svc.fish',
  ]) {
    assert.ok(installed.includes(`usr/share/${name}`), name)
  }
  dpkg('--remove', 'svc')
  dpkg('--purge', 'svc')
  assert.deepEqual(list(), before)
  report('ok  the Debian package: installed, run, removed, and nothing left')
}

try {
  checkSums()
  const archive = path.join(release, `svc-${version}-${platform?.name}.tar.gz`)
  if (!platform || platform.name.startsWith('win32') || !fs.existsSync(archive))
    report('--  there is no executable for this machine')
  else {
    run('tar', ['-xzf', archive, '-C', folder], process.env)
    const svc = path.join(folder, `svc-${version}-${platform.name}/svc`)
    await checkExecutable(svc)
    checkEmptyRoot(svc)
    checkDebian()
  }
} finally {
  fs.rmSync(folder, {recursive: true, force: true})
}
