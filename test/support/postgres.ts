// A real PostgreSQL for the tests: one server for a whole run, started by the first test that needs it, and a database of its own
// for every file that asks. SVC_TEST_POSTGRES, such as postgres://me@localhost/postgres, names another server to use instead.
import {spawn} from 'node:child_process'
import {randomBytes} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {Client} from 'pg'
import {afterAll, beforeAll} from 'vitest'
import {getPostgresFolder, keeperFile} from './postgres-folder.ts'

const startLimitMs = 240_000
const pollMs = 20
const keeper = path.join(import.meta.dirname, 'postgres-keeper.ts')

// Real timers, also where a test has replaced its own with virtual ones.
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// The workers of a run share their parent, so they share the server.
const getFolder = () => getPostgresFolder(os.tmpdir(), process.ppid)

// The first worker that creates the folder starts the server. It holds none of this process's pipes.
function startKeeper(folder: string): void {
  try {
    fs.mkdirSync(folder, {mode: 0o755})
  } catch {
    return
  }
  const child = spawn(process.execPath, [keeper, folder, String(process.ppid)], {
    detached: true,
    stdio: 'ignore',
    env: {...process.env, NODE_OPTIONS: ''},
  })
  child.unref()
  fs.writeFileSync(path.join(folder, keeperFile), String(child.pid))
}

async function findServer(): Promise<string> {
  const named = process.env['SVC_TEST_POSTGRES']
  if (named) return named
  const folder = getFolder()
  startKeeper(folder)
  const endsAt = Date.now() + startLimitMs
  while (!fs.existsSync(path.join(folder, 'ready'))) {
    const failed = path.join(folder, 'failed')
    if (fs.existsSync(failed)) throw new Error(fs.readFileSync(failed, 'utf8'))
    if (Date.now() > endsAt) throw new Error('PostgreSQL did not start in time')
    await pause(pollMs)
  }
  return fs.readFileSync(path.join(folder, 'ready'), 'utf8')
}

let server: Promise<string> | undefined

// The address of the database from which others are created.
const startPostgres = () => (server ??= findServer())

// The certificate of the authority that signed the server's certificate. Another server has none that is known.
export const getAuthorityFile = () => path.join(getFolder(), 'authority.pem')

export function withDatabase(address: string, database: string, user?: string): string {
  const url = new URL(address)
  url.pathname = `/${database}`
  if (user !== undefined) url.username = user
  return url.href
}

const connectTriesMax = 5
const connectPauseMs = 200

// A server that was killed and started again may drop the first connections.
async function connect(address: string): Promise<Client> {
  for (let tries = 1; ; tries++) {
    const client = new Client({connectionString: address})
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      const isDropped = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
      if (!isDropped || tries === connectTriesMax) throw error
      await sleep(connectPauseMs)
    }
  }
}

// Runs statements, one after the other, on a connection of their own. Returns the rows of the last.
export async function runSql(address: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = await connect(address)
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

export async function createDatabase(): Promise<{address: string; drop: () => Promise<void>}> {
  const admin = await startPostgres()
  const name = `svc_test_${randomBytes(8).toString('hex')}`
  await runSql(admin, `create database ${name}`)
  return {
    address: withDatabase(admin, name),
    drop: async () => void (await runSql(admin, `drop database if exists ${name} with (force)`)),
  }
}

// An empty database for the tests of the file or describe block that calls this. Call the result inside a test.
export function usePostgres(prepare?: (address: string) => Promise<void>): () => string {
  let database: Awaited<ReturnType<typeof createDatabase>> | undefined
  beforeAll(async () => {
    database = await createDatabase()
    await prepare?.(database.address)
  })
  afterAll(() => database?.drop())
  return () => {
    if (!database) throw new Error('there is no database before the tests run')
    return database.address
  }
}
