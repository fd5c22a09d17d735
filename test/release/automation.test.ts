// Runs the script, the plan and the recipes of docs/automation.md, exactly as they are on the page.
import {execFile, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {parse as parseYaml} from 'yaml'
import {serveTemporary} from '../sandbox/http/serving.ts'
import {addFault, listTransactions} from '../support/payments.ts'
import {runBash, installCommands} from '../support/shell.ts'
import {type Home, freshHome, json, root, run} from '../support/svc.ts'

const page = fs.readFileSync(path.join(root, 'docs/automation.md'), 'utf8')
const findBlock = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

// Without the pauses of minutes, and with a shorter timeout for each attempt.
const script = findBlock('bash').replace('sleep "$pause"', ':').replace('--timeout 5m', '--timeout 1900ms')

describe('the script of docs/automation.md', () => {
  it('pays once, whatever happens to its attempts, and prints nothing', async () => {
    const home = await installCommands(freshHome())
    fs.writeFileSync(path.join(home.folder, 'plan.yaml'), findBlock('yaml'))
    const before = await listTransactions(home)
    await addFault(home, 'reset', '--times', '4', '--quiet')
    const wrapped = `export SVC_PROFILE=sandbox\n${script}`
    expect(script).toContain('svc pay -f plan.yaml')
    const first = await runBash(home, wrapped)
    expect({code: first.code, out: first.out}).toEqual({code: 0, out: ''})
    expect(await runBash(home, wrapped)).toEqual({code: 0, out: '', err: ''})
    expect(await listTransactions(home)).toHaveLength(before.length + 1)
    const {out} = await run(home, ['journal', 'list', '-p', 'sandbox', '--json'])
    const [payment] = json(out)['payments'] as Array<Record<string, unknown>>
    expect(payment).toMatchObject({state: 'CREATED', template: 'rent-{month}'})
  })

  it('stops at once if trying again cannot help', async () => {
    const home = await installCommands(freshHome())
    fs.writeFileSync(path.join(home.folder, 'plan.yaml'), findBlock('yaml').replace('maxFee: 1%', 'maxFee: 0'))
    const stopped = await runBash(home, `export SVC_PROFILE=sandbox\n${script}`)
    expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
    expect(stopped.err.trimEnd().split('\n')).toHaveLength(1)
  })
})

// The indented block below a heading of the page.
const findRecipe = (heading: string) =>
  (page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4))
    .join('\n')

interface Host {
  home: Home
  url: string
  apiKey: string
  // A recipe with the folders and the service of this test in place of those that it names.
  localize: (recipe: string) => string
}

// A machine on which svc is installed, with the profile acme, whose service is a sandbox.
async function prepareHost(): Promise<Host> {
  const home = await installCommands(freshHome())
  const {url, apiKey} = await serveTemporary()
  const inHome = (name: string) => path.join(home.folder, name)
  for (const name of ['etc', 'lib', '.config/svc']) fs.mkdirSync(inHome(name), {mode: 0o700, recursive: true})
  fs.writeFileSync(inHome('etc/plan.yaml'), findBlock('yaml'))
  for (const config of ['etc', '.config/svc']) {
    const env = {...home.env, SVC_CONFIG_DIR: inHome(config)}
    const login = ['login', '-p', 'acme', '--base-url', url, '--live', '--store', 'file', '--quiet']
    await run({...home, env}, login, {input: apiKey})
  }
  const places = {
    '/usr/local/bin': inHome('bin'),
    '/usr/bin/svc': inHome('bin/svc'),
    '/etc/svc': inHome('etc'),
    '/var/lib/svc': inHome('lib'),
    '/plan/plan.yaml': inHome('etc/plan.yaml'),
    '/journal/journal.sqlite': inHome('lib/journal.sqlite'),
    'https://api.example.com': url,
  }
  const localize = (recipe: string) =>
    Object.entries(places).reduce((whole, [from, to]) => whole.replaceAll(from, to), recipe)
  return {home, url, apiKey, localize}
}

// As a program that has nothing but these variables runs a command.
const runBare = (command: string, env: Record<string, string>) =>
  new Promise<{code: number; out: string; err: string}>((resolve) => {
    execFile('/bin/sh', ['-c', command], {env, cwd: '/'}, (error, out, err) =>
      resolve({code: error ? Number(error.code) : 0, out, err}),
    )
  })

// What svc has paid at the service of the host.
async function countPayments({url, apiKey}: Host): Promise<number> {
  const reply = await fetch(`${url}/transactions?pageSize=100`, {headers: {authorization: `Bearer ${apiKey}`}})
  const {transactions} = (await reply.json()) as {transactions: Array<{correlationId?: string}>}
  return transactions.filter(({correlationId}) => correlationId?.startsWith('svc_')).length
}

const assignment = /^([A-Z_]+)=(.*)$/

describe('a recipe of docs/automation.md', () => {
  it('is a crontab that runs with what cron gives its jobs', async () => {
    const host = await prepareHost()
    const lines = host.localize(findRecipe('crontab')).split('\n')
    const given = Object.fromEntries(
      lines.flatMap((line) => [assignment.exec(line)?.slice(1, 3) ?? []].filter(({length}) => length > 0)),
    )
    const jobs = lines.flatMap((line) => /^(?:\S+\s+){5}(.*)$/.exec(line)?.[1] ?? [])
    expect(jobs).toHaveLength(2)
    const cron = {HOME: host.home.folder, LOGNAME: 'svc', SHELL: '/bin/sh', PATH: '/usr/bin:/bin'}
    const [pay = '', reconcile = ''] = jobs
    for (const job of [pay, pay, reconcile]) {
      expect(await runBare(job, {...cron, ...given})).toEqual({code: 0, out: '', err: ''})
    }
    expect(await countPayments(host)).toBe(1)
  })

  it('is a pair of units that systemd accepts, and whose command pays once', async () => {
    const host = await prepareHost()
    const units = host
      .localize(findRecipe('systemd'))
      .split(/^# \/etc\/systemd\/system\/(?=rent\.)/m)
      .slice(1)
    const files = units.map((unit) => {
      const [name = '', ...lines] = unit.split('\n')
      const file = path.join(host.home.folder, name)
      fs.writeFileSync(file, lines.join('\n').replace('User=svc', 'User=root'))
      return file
    })
    expect(files.map((file) => path.basename(file))).toEqual(['rent.service', 'rent.timer'])
    const verified = spawnSync('systemd-analyze', ['verify', ...files], {encoding: 'utf8'})
    if (verified.error === undefined) expect(verified.stderr).toBe('')
    const service = units[0] ?? ''
    const command = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? ''
    const given = Object.fromEntries(
      (/^Environment=(.*)$/m.exec(service)?.[1] ?? '').split(' ').map((each) => each.split('=')),
    )
    for (let tries = 0; tries < 2; tries++) {
      expect(await runBare(command, {PATH: '/usr/bin:/bin', ...given})).toEqual({code: 0, out: '', err: ''})
    }
    expect(await countPayments(host)).toBe(1)
  })

  it('is a CronJob of Kubernetes whose container pays once', async () => {
    const host = await prepareHost()
    const {spec} = parseYaml(host.localize(findRecipe('Kubernetes'))) as CronJob
    const [container] = spec.jobTemplate.spec.template.spec.containers
    const given = Object.fromEntries(container.env.map(({name, value}) => [name, value ?? host.apiKey]))
    const command = [path.join(host.home.folder, 'bin/svc'), ...container.args].join(' ')
    for (let tries = 0; tries < 2; tries++) {
      expect(await runBare(command, {HOME: host.home.folder, ...given})).toEqual({code: 0, out: '', err: ''})
    }
    expect(await countPayments(host)).toBe(1)
  })
})

interface CronJob {
  spec: {
    jobTemplate: {
      spec: {template: {spec: {containers: [{args: string[]; env: Array<{name: string; value?: string}>}]}}}
    }
  }
}
