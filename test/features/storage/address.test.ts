// The address of a PostgreSQL database, and where its settings and its password come from.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterEach, describe, expect, it, onTestFinished} from 'vitest'
import {parsePostgresAddress} from '../../../src/storage/postgres/address.ts'
import {PostgresDatabase} from '../../../src/storage/postgres/database.ts'
import {getAuthorityFile, runSql, usePostgres, withDatabase} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'

const parse = (text: string) => parsePostgresAddress(text, 'SVC_JOURNAL')

const before = {...process.env}
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})

describe('an address', () => {
  it('becomes one for each of its hosts', () => {
    const {servers} = parse('postgres://pay%40roll@db.example.com:6432,[::1]/journal?sslmode=verify-full')
    expect(
      servers.map((server) => server.replace('&connect_timeout=10&pool_max_conns=5&pool_mode=session', '')),
    ).toEqual([
      'postgres://pay%40roll@db.example.com:6432/journal?sslmode=verify-full',
      'postgres://pay%40roll@[::1]:5432/journal?sslmode=verify-full',
    ])
    expect(parse('postgresql://me@%2Fvar%2Frun/journal').servers[0]).toMatch('postgres://me@%2Fvar%2Frun:5432/journal?')
  })

  const hasPassword = 'SVC_JOURNAL contains a password'
  const isNone = 'SVC_JOURNAL is not an address of a PostgreSQL database'

  it.each([
    ['postgres://me:secret-word@db/journal', hasPassword],
    ['postgres://me:@db/journal', hasPassword],
    ['postgres://db/j?password=secret-word', hasPassword],
    ['postgres://db:port/journal', isNone],
    ['postgres://db:99999/j', isNone],
    ['postgres://%zz@db/j', isNone],
    ['postgres://a/b/c', isNone],
    ['postgres://me@x@db/j', isNone],
    ['postgres://db/j?sslmod=require', 'SVC_JOURNAL has a parameter that svc does not know: "sslmod"'],
    ['postgres://db/j?sslmode=on', /^SVC_JOURNAL has sslmode "on"/],
    ['postgres://db/j?connect_timeout=soon', /^SVC_JOURNAL has connect_timeout "soon"/],
    ['postgres://db/j?pool_max_conns=0', /^SVC_JOURNAL has pool_max_conns "0"/],
    ['postgres://db/j?sslmode=verify-ca', /names no root certificate$/],
  ])('that cannot be used is rejected without repeating it: %s', (text, message) => {
    const words = typeof message === 'string' ? message : (expect.stringMatching(message) as string)
    expect(() => parse(text)).toThrow(expect.objectContaining({message: words, kind: 'usage'}))
    expect(() => parsePostgresAddress(text, '--to')).toThrow(/^--to /)
  })

  it('is completed from the variables of libpq, and from defaults', () => {
    Object.assign(process.env, {PGHOST: 'db', PGPORT: '7000', PGUSER: 'pay', PGDATABASE: 'j', PGSSLMODE: 'require'})
    expect(parse('postgres://').servers).toEqual([
      expect.stringMatching(/^postgres:\/\/pay@db:7000\/j\?.*sslmode=require$/),
    ])
    for (const name of ['PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE', 'PGSSLMODE']) delete process.env[name]
    const user = os.userInfo().username
    expect(parse('postgres://db')).toMatchObject({
      servers: [expect.stringMatching(`^postgres://${user}@db:5432/${user}.*sslmode=prefer$`)],
      connectTimeoutMs: 10_000,
      connectionsMax: 5,
      isPooledByTransaction: false,
    })
  })
})

describe('a server', () => {
  const getAddress = usePostgres(async (address) => {
    for (const role of ['guarded', 'tls_only', 'plain_only']) {
      await runSql(
        address,
        `do $$ begin create role ${role} login password 'pass-word'; exception when duplicate_object or unique_violation then null; end $$`,
      )
    }
  })
  // Another server has rules of its own.
  const isOther = Boolean(process.env['SVC_TEST_POSTGRES'])

  const connectAs = async (user: string, parameters = '', printPassword?: () => Promise<string>) => {
    const {pathname} = new URL(getAddress())
    const address = `${withDatabase(getAddress(), pathname.slice(1), user)}?${parameters}`
    const database = new PostgresDatabase(parse(address), {printPassword})
    onTestFinished(() => database.close())
    await database.connect()
    const [row] = await database.read<{ssl: boolean}>({
      text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    })
    return row?.ssl ? 'TLS' : 'plain'
  }

  it.skipIf(isOther)('that asks for a password gets it from PGPASSWORD, a command or a password file', async () => {
    const missing = {problem: 'refused', reason: expect.stringMatching(/^asks for the password of guarded, and/)}
    process.env['PGPASSFILE'] = path.join(temporaryFolder(), 'none')
    await expect(connectAs('guarded')).rejects.toMatchObject(missing)
    await connectAs('guarded', '', async () => 'pass-word\n')
    process.env['PGPASSWORD'] = 'pass-word'
    await connectAs('guarded')
    process.env['PGPASSWORD'] = 'wrong-word'
    await expect(connectAs('guarded')).rejects.toMatchObject({
      problem: 'refused',
      reason: 'answers: password authentication failed for user "guarded"',
    })
    delete process.env['PGPASSWORD']
    const lines = ['# comment', '*:*:*:other:no', '127.0.0.1:*:*:guarded:pass-word', '*:*:*:*:later', '']
    fs.writeFileSync(process.env['PGPASSFILE'], lines.join('\n'), {mode: 0o600})
    await connectAs('guarded')
    fs.chmodSync(process.env['PGPASSFILE'], 0o644)
    await expect(connectAs('guarded')).rejects.toMatchObject(missing)
  })

  it.skipIf(isOther)('is reached with TLS and without, as sslmode says', async () => {
    expect(await connectAs('postgres')).toBe('TLS')
    expect(await connectAs('postgres', 'sslmode=disable')).toBe('plain')
    expect(await connectAs('postgres', 'sslmode=require')).toBe('TLS')
    expect(await connectAs('tls_only', 'sslmode=prefer')).toBe('TLS')
    expect(await connectAs('plain_only', 'sslmode=prefer')).toBe('plain')
    await expect(connectAs('plain_only', 'sslmode=require')).rejects.toMatchObject({problem: 'refused'})
    await expect(connectAs('tls_only', 'sslmode=disable')).rejects.toMatchObject({problem: 'refused'})
  })

  it.skipIf(isOther)('is verified by its certificate, as sslmode says', async () => {
    const root = `sslrootcert=${getAuthorityFile()}`
    expect(await connectAs('postgres', `sslmode=verify-full&${root}`)).toBe('TLS')
    await expect(connectAs('postgres', 'sslmode=verify-full')).rejects.toMatchObject({
      problem: 'refused',
      reason: expect.stringMatching(/^has a certificate that is not accepted \(/),
    })
    const other = getAddress().replace('127.0.0.1', 'localhost')
    const open = async (mode: string) => {
      const database = new PostgresDatabase(parse(`${other}?sslmode=${mode}&${root}`))
      onTestFinished(() => database.close())
      await database.connect()
    }
    await open('verify-ca')
    await open('require')
    await expect(open('verify-full')).rejects.toMatchObject({problem: 'refused'})
  })

  it('whose root certificate cannot be read is not connected to', async () => {
    await expect(connectAs('postgres', 'sslmode=verify-ca&sslrootcert=/nowhere/root.pem')).rejects.toThrow(
      /^A certificate file of the database cannot be read \(ENOENT.*\/nowhere\/root\.pem/,
    )
  })

  it('without such a database, or role, says so', async () => {
    const database = new PostgresDatabase(parse(withDatabase(getAddress(), 'nowhere')))
    onTestFinished(() => database.close())
    await expect(database.connect()).rejects.toMatchObject({
      problem: 'refused',
      reason: 'answers: database "nowhere" does not exist',
    })
  })
})
