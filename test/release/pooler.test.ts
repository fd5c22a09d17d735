// A fleet behind PgBouncer that gives each transaction another session: `pool_mode=transaction` in the address.
import {type ChildProcess, spawn} from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {useFleet} from '../support/fleet.ts'
import {runSql} from '../support/postgres.ts'
import {expectsProgram} from '../support/programs.ts'
import {type Home, json, run, temporaryFolder} from '../support/svc.ts'
import {createRow, inSandbox, listCreated, writePayroll} from '../support/payroll.ts'

const {freshHost, getAddress} = useFleet()

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => fs.existsSync(file))

const findFreePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = net.createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const {port} = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

// It refuses to run as root. Two sessions of the server serve everybody, so that transactions really change sessions.
async function startPooler(target: URL): Promise<number> {
  const port = await findFreePort()
  const folder = temporaryFolder()
  fs.chmodSync(folder, 0o755)
  const settings = path.join(folder, 'pgbouncer.ini')
  fs.writeFileSync(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port || 5432} user=${decodeURIComponent(target.username)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
`,
  )
  fs.chmodSync(settings, 0o644)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child: ChildProcess = spawn(program ?? '', [...user, '-q', settings], {stdio: 'ignore'})
  onTestFinished(() => void child.kill('SIGKILL'))
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (tries > 200) throw new Error('PgBouncer did not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return port
}

async function freshPooledHost(): Promise<Home> {
  const address = new URL(getAddress())
  const port = await startPooler(address)
  const {folder, env} = freshHost()
  const user = decodeURIComponent(address.username)
  const pooled = `postgres://${user}@127.0.0.1:${port}${address.pathname}?sslmode=disable&pool_mode=transaction`
  return {folder, env: {...env, SVC_JOURNAL: pooled}}
}

const runPayouts = (home: Home, ...args: string[]) =>
  run(home, ['payouts', ...args, ...inSandbox.filter((word) => word !== '--allow-duplicates')])

describe.runIf(program !== undefined || expectsProgram('pgbouncer'))('a fleet behind PgBouncer', () => {
  it('pays each row once, with two workers that share two sessions', async () => {
    const home = await freshPooledHost()
    const rows = Array.from({length: 30}, (_, index) => createRow(`r-${index}`, {amount: `${index + 1}.25`}))
    const submitted = await runPayouts(home, 'submit', writePayroll(home, rows), '--json')
    expect(submitted).toMatchObject({code: 0})
    const id = String(json(submitted.out)['id'])
    const ended = await Promise.all(
      [1, 2].map(() => runPayouts(home, 'work', '--until-idle', '--listen', 'off', '--yes')),
    )
    expect(ended.map(({code, err}) => [code, err.includes('prepared statement')])).toEqual([
      [0, false],
      [0, false],
    ])
    expect(json((await runPayouts(home, 'status', id, '--json')).out)).toMatchObject({state: 'DONE', made: 30})
    expect(await listCreated(home)).toHaveLength(30)
    const verified = await run(home, ['journal', 'verify', '--json', '-p', 'sandbox'])
    expect(json(verified.out)).toMatchObject({isIntact: true, payments: 30})
    const [setting] = await runSql(getAddress(), 'show synchronous_commit')
    expect(setting).toEqual({synchronous_commit: 'on'})
  })

  it('says what pool_mode can be', async () => {
    const home = await freshPooledHost()
    const env = {...home.env, SVC_JOURNAL: String(home.env['SVC_JOURNAL']).replace('=transaction', '=statement')}
    const {code, err} = await run({...home, env}, ['journal', 'list', '-p', 'sandbox'])
    expect([code, err]).toEqual([2, expect.stringContaining('pool_mode "statement"')])
  })
})
