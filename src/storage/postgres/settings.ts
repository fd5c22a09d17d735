// The settings of connections to a PostgreSQL database: its address, completed by libpq's variables and defaults.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {badSettings} from '../../errors.ts'
import type {PostgresAddress, PostgresHost} from './address.ts'
import type {PrintPassword} from './password.ts'
import {type TlsSettings, parseTlsMode} from './tls.ts'

export interface PostgresSettings {
  // The address as it can be shown.
  address: string
  hosts: ReadonlyArray<{host: string; port: number}>
  user: string
  database: string
  applicationName: string
  tls: TlsSettings
  passwordFile: string | undefined
  printPassword: PrintPassword | undefined
  connectTimeoutMs: number
  connectionsMax: number
  // Whether a pooler gives each transaction another session, so that nothing is kept in one.
  isPooledByTransaction: boolean
}

const portDefault = 5432
const connectTimeoutDefaultMs = 10_000
// A server accepts 100 connections by default, and many processes share it.
const connectionsMaxDefault = 5
// Where distributions put the socket, and where PostgreSQL itself does.
const socketFolders = ['/var/run/postgresql', '/tmp']

// As in libpq, no host means the socket of this machine.
const findSocketFolder = (port: number) =>
  socketFolders.find((folder) => fs.existsSync(path.join(folder, `.s.PGSQL.${port}`)))

function completeHost({host, port}: PostgresHost): {host: string; port: number} {
  const number = Number(port || process.env['PGPORT'] || portDefault)
  return {host: host || process.env['PGHOST'] || findSocketFolder(number) || 'localhost', port: number}
}

function parsePoolMode(text = 'session'): {isPooledByTransaction: boolean} {
  if (text === 'session' || text === 'transaction') return {isPooledByTransaction: text === 'transaction'}
  throw badSettings(`pool_mode is "${text}", but must be session or transaction`)
}

function parseCount(text: string, name: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw badSettings(`${name} is "${text}", but must be a whole number from 1 to 9999`)
}

export function completeSettings(
  {hosts, user, database, parameters, text}: PostgresAddress,
  printPassword?: PrintPassword,
): PostgresSettings {
  const name = user ?? (process.env['PGUSER'] || os.userInfo().username)
  const rootFile = parameters.sslrootcert ?? (process.env['PGSSLROOTCERT'] || undefined)
  const connectTimeout = parameters.connect_timeout ?? (process.env['PGCONNECT_TIMEOUT'] || undefined)
  return {
    address: text,
    hosts: hosts.map(completeHost),
    user: name,
    database: database ?? (process.env['PGDATABASE'] || name),
    applicationName: parameters.application_name ?? (process.env['PGAPPNAME'] || 'svc'),
    tls: {
      mode: parseTlsMode(parameters.sslmode ?? (process.env['PGSSLMODE'] || undefined), rootFile),
      rootFile,
      certificateFile: parameters.sslcert ?? (process.env['PGSSLCERT'] || undefined),
      keyFile: parameters.sslkey ?? (process.env['PGSSLKEY'] || undefined),
    },
    passwordFile: parameters.passfile,
    printPassword,
    connectTimeoutMs:
      connectTimeout === undefined ? connectTimeoutDefaultMs : parseCount(connectTimeout, 'connect_timeout') * 1000,
    connectionsMax:
      parameters.pool_max_conns === undefined
        ? connectionsMaxDefault
        : parseCount(parameters.pool_max_conns, 'pool_max_conns'),
    ...parsePoolMode(parameters.pool_mode),
  }
}
