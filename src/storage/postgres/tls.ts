// TLS as libpq's users expect it: the modes of sslmode, and which certificate authorities are trusted.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {ConnectionOptions} from 'node:tls'
import {badSettings, getSystemCode} from '../../errors.ts'

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export type TlsMode = (typeof tlsModes)[number]

export interface TlsSettings {
  mode: TlsMode
  // A file, or "system" for the authorities that Node trusts.
  rootFile: string | undefined
  certificateFile: string | undefined
  keyFile: string | undefined
}

// False is a connection without TLS. They are tried in this order: `allow` and `prefer` accept either.
export type TlsAttempt = false | ConnectionOptions

export function parseTlsMode(text: string | undefined, rootFile: string | undefined): TlsMode {
  // As in libpq, trusting every public authority makes sense only if the name is checked too.
  const mode = text ?? (rootFile === 'system' ? 'verify-full' : 'prefer')
  if (!(tlsModes as readonly string[]).includes(mode)) {
    throw badSettings(`sslmode is "${mode}", which does not exist`, `Use one of ${tlsModes.join(', ')}`)
  }
  if (rootFile === 'system' && mode !== 'verify-full') {
    throw badSettings(`sslmode is "${mode}", which is too weak for sslrootcert=system`, 'Use sslmode=verify-full')
  }
  return mode as TlsMode
}

const getOwnFile = (name: string) => path.join(os.homedir(), '.postgresql', name)

function readFile(file: string, what: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw badSettings(`The ${what} ${file} cannot be read (${getSystemCode(error) ?? 'unknown'})`, undefined, error)
  }
}

// As in libpq, the files in ~/.postgresql are used if they are there and none is named.
const findOwnFile = (name: string) => (fs.existsSync(getOwnFile(name)) ? getOwnFile(name) : undefined)

function readClientCertificate({certificateFile, keyFile}: TlsSettings): ConnectionOptions {
  const certificate = certificateFile ?? findOwnFile('postgresql.crt')
  if (certificate === undefined) return {}
  const key = keyFile ?? getOwnFile('postgresql.key')
  return {cert: readFile(certificate, 'client certificate'), key: readFile(key, 'key of the client certificate')}
}

// A chain that ends at the authority is enough; the name of the host is not compared.
const acceptAnyName = () => undefined

function createVerified(settings: TlsSettings): ConnectionOptions {
  const root = settings.rootFile ?? findOwnFile('root.crt')
  if (root === undefined) {
    throw badSettings(
      `sslmode is "${settings.mode}", but no root certificate is named and ${getOwnFile('root.crt')} does not exist`,
      'Name one with sslrootcert, or use sslrootcert=system for the public authorities',
    )
  }
  return {
    ...readClientCertificate(settings),
    ...(root !== 'system' && {ca: readFile(root, 'root certificate')}),
    rejectUnauthorized: true,
    ...(settings.mode !== 'verify-full' && {checkServerIdentity: acceptAnyName}),
  }
}

export function listTlsAttempts(settings: TlsSettings): TlsAttempt[] {
  const {mode, rootFile} = settings
  if (mode === 'disable') return [false]
  const isVerified = mode === 'verify-ca' || mode === 'verify-full'
  // With a root certificate, libpq's `require` verifies the chain as well.
  if (isVerified || (mode === 'require' && (rootFile ?? findOwnFile('root.crt')) !== undefined)) {
    return [createVerified(settings)]
  }
  const unverified = {...readClientCertificate(settings), rejectUnauthorized: false}
  if (mode === 'require') return [unverified]
  return mode === 'allow' ? [false, unverified] : [unverified, false]
}
