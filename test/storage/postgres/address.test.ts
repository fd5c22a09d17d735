// The address of a PostgreSQL database, and where its settings and its password come from.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterEach, describe, expect, it, onTestFinished} from 'vitest'
import {parsePostgresAddress} from '../../../src/storage/postgres/address.ts'
import {PostgresDatabase} from '../../../src/storage/postgres/database.ts'
import {findInPasswordFile} from '../../../src/storage/postgres/password.ts'
import {completeSettings} from '../../../src/storage/postgres/settings.ts'
import {getAuthorityFile, runSql, usePostgres, withDatabase} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'

const parse = (text: string) => parsePostgresAddress(text, 'SVC_JOURNAL')
const complete = (text: string) => completeSettings(parse(text))

const before = {...process.env}
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})

describe('an address', () => {
  it('names the role, the hosts, the database and parameters', () => {
    expect(parse('postgres://pay%40roll@db.example.com:6432,[::1]/journal?sslmode=verify-full')).toMatchObject({
      user: 'pay@roll',
      hosts: [
        {host: 'db.example.com', port: '6432'},
        {host: '::1', port: ''},
      ],
      database: 'journal',
      parameters: {sslmode: 'verify-full'},
    })
    expect(parse('postgresql://%2Fvar%2Frun/journal').hosts).toEqual([{host: '/var/run', port: ''}])
  })

  it.each([
    'postgres://me:secret-word@db/journal',
    'postgres://me:@db/journal',
    'postgres://db/j?password=secret-word',
  ])('with a password is rejected without repeating it: %s', (text) => {
    const error = {message: 'SVC_JOURNAL contains a password', kind: 'usage', hint: expect.stringMatching('PGPASSWORD')}
    expect(() => parse(text)).toThrow(expect.objectContaining(error))
    expect(() => parsePostgresAddress(text, '--to')).toThrow(/^--to contains a password$/)
  })

  it.each([
    'postgres://db:port/journal',
    'postgres://db:99999/j',
    'postgres://%zz@db/j',
    'postgres://a/b/c',
    'postgres://me@x@db/j',
  ])('that is none is rejected without repeating it: %s', (text) => {
    expect(() => parse(text)).toThrow(/^SVC_JOURNAL is not an address of a PostgreSQL database$/)
  })

  it('with a parameter that svc does not know, or a wrong value, is rejected', () => {
    expect(() => parse('postgres://db/j?sslmod=require')).toThrow('a parameter that svc does not know: "sslmod"')
    expect(() => complete('postgres://db/j?sslmode=on')).toThrow('sslmode is "on", which does not exist')
    expect(() => complete('postgres://db/j?connect_timeout=soon')).toThrow('connect_timeout is "soon"')
    expect(() => complete('postgres://db/j?pool_max_conns=0')).toThrow('pool_max_conns is "0"')
    expect(() => complete('postgres://db/j?sslrootcert=system&sslmode=require')).toThrow('too weak')
  })

  it('is completed from the variables of libpq, and from its defaults', () => {
    Object.assign(process.env, {PGHOST: 'db', PGPORT: '7000', PGUSER: 'pay', PGDATABASE: 'j', PGSSLMODE: 'require'})
    expect(complete('postgres://')).toMatchObject({
      hosts: [{host: 'db', port: 7000}],
      user: 'pay',
      database: 'j',
      tls: {mode: 'require'},
      connectTimeoutMs: 10_000,
      connectionsMax: 5,
    })
    for (const name of ['PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE', 'PGSSLMODE']) delete process.env[name]
    expect(complete('postgres://db')).toMatchObject({
      hosts: [{host: 'db', port: 5432}],
      user: os.userInfo().username,
      database: os.userInfo().username,
      tls: {mode: 'prefer'},
    })
  })
})

describe('a password file', () => {
  const query = {host: 'db', port: 5432, database: 'journal', user: 'pay'}

  function write(text: string, mode = 0o600): string {
    const file = path.join(temporaryFolder(), 'pgpass')
    fs.writeFileSync(file, text, {mode})
    return file
  }

  it('gives the password of the first line that matches', () => {
    const lines = ['# comment', 'db:5432:journal:other:no', 'db:*:journal:pay:a\\:b\\\\c', '*:*:*:*:later']
    expect(findInPasswordFile(query, write(lines.join('\n')))).toBe('a:b\\c')
    expect(findInPasswordFile({...query, host: 'x'}, write(lines.join('\n')))).toBe('later')
    expect(findInPasswordFile({...query, host: '/tmp'}, write('localhost:5432:journal:pay:socket'))).toBe('socket')
  })

  it('that does not exist gives none, and one that others can read is rejected', () => {
    expect(findInPasswordFile(query, path.join(temporaryFolder(), 'none'))).toBeUndefined()
    expect(() => findInPasswordFile(query, write('*:*:*:*:x', 0o644))).toThrow('can be read by others')
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
    const database = new PostgresDatabase(completeSettings(parse(address), printPassword))
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
    fs.writeFileSync(process.env['PGPASSFILE'], '*:*:*:guarded:pass-word\n', {mode: 0o600})
    await connectAs('guarded')
  })

  it.skipIf(isOther)('is reached with TLS and without, as sslmode says', async () => {
    expect(await connectAs('postgres')).toBe('TLS')
    expect(await connectAs('postgres', 'sslmode=allow')).toBe('plain')
    expect(await connectAs('postgres', 'sslmode=disable')).toBe('plain')
    expect(await connectAs('postgres', 'sslmode=require')).toBe('TLS')
    expect(await connectAs('tls_only', 'sslmode=allow')).toBe('TLS')
    expect(await connectAs('plain_only', 'sslmode=prefer')).toBe('plain')
    await expect(connectAs('plain_only', 'sslmode=require')).rejects.toMatchObject({problem: 'refused'})
    await expect(connectAs('tls_only', 'sslmode=disable')).rejects.toMatchObject({problem: 'refused'})
  })

  it.skipIf(isOther)('is verified by its certificate, as sslmode says', async () => {
    const root = `sslrootcert=${getAuthorityFile()}`
    expect(await connectAs('postgres', `sslmode=verify-full&${root}`)).toBe('TLS')
    await expect(connectAs('postgres', 'sslrootcert=system')).rejects.toMatchObject({
      problem: 'refused',
      reason: expect.stringMatching(/^has a certificate that is not accepted \(/),
    })
    const other = getAddress().replace('127.0.0.1', 'localhost')
    const open = async (mode: string) => {
      const database = new PostgresDatabase(completeSettings(parse(`${other}?sslmode=${mode}&${root}`)))
      onTestFinished(() => database.close())
      await database.connect()
    }
    await open('verify-ca')
    await open('require')
    await expect(open('verify-full')).rejects.toMatchObject({problem: 'refused'})
  })

  it('whose root certificate is missing or cannot be read is not connected to', async () => {
    process.env['HOME'] = temporaryFolder()
    await expect(connectAs('postgres', 'sslmode=verify-full')).rejects.toThrow(
      /no root certificate is named and .*root\.crt does not exist/,
    )
    await expect(connectAs('postgres', 'sslmode=verify-ca&sslrootcert=/nowhere/root.pem')).rejects.toThrow(
      'The root certificate /nowhere/root.pem cannot be read (ENOENT)',
    )
  })

  it('without such a database, or role, says so', async () => {
    const database = new PostgresDatabase(completeSettings(parse(withDatabase(getAddress(), 'nowhere'))))
    onTestFinished(() => database.close())
    await expect(database.connect()).rejects.toMatchObject({
      problem: 'refused',
      reason: 'answers: database "nowhere" does not exist',
    })
  })
})
