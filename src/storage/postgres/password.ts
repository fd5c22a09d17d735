// Finds the password of a PostgreSQL role: PGPASSWORD, what a command prints, or a password file as libpq reads it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {badSettings} from '../../errors.ts'

export interface PasswordQuery {
  host: string
  port: number
  database: string
  user: string
}

// Runs a command and returns what it prints.
export type PrintPassword = () => Promise<string>

const getPasswordFile = (named: string | undefined) =>
  named ??
  (process.env['PGPASSFILE'] ||
    (process.platform === 'win32'
      ? path.join(process.env['APPDATA'] ?? os.homedir(), 'postgresql', 'pgpass.conf')
      : path.join(os.homedir(), '.pgpass')))

// A line is host:port:database:user:password. A backslash keeps a colon or a backslash as it is.
const splitLine = (line: string) =>
  (line.match(/(?:\\.|[^:\\])*(?::|$)/gs) ?? []).map((field) => field.replace(/:$/, '').replaceAll(/\\(.)/gs, '$1'))

const isOpenToOthers = (mode: number) => process.platform !== 'win32' && (mode & 0o077) !== 0

// As in libpq, a file that does not exist is no error. One that others can read is rejected instead of ignored in silence.
export function findInPasswordFile(query: PasswordQuery, named?: string): string | undefined {
  const file = getPasswordFile(named)
  let text: string
  try {
    if (isOpenToOthers(fs.statSync(file).mode)) {
      throw badSettings(`The password file ${file} can be read by others`, `Run \`chmod 600 ${file}\``)
    }
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
  // A socket is written as localhost.
  const host = query.host.startsWith('/') ? 'localhost' : query.host
  const wanted = [host, String(query.port), query.database, query.user]
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(splitLine)
    .find((fields) => wanted.every((value, index) => fields[index] === '*' || fields[index] === value))?.[4]
}

export async function findPassword(
  query: PasswordQuery,
  printPassword: PrintPassword | undefined,
  passwordFile: string | undefined,
): Promise<string | undefined> {
  const variable = process.env['PGPASSWORD']
  if (variable) return variable
  if (printPassword) return (await printPassword()).replace(/\r?\n$/, '')
  return findInPasswordFile(query, passwordFile)
}
