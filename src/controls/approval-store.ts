// Where signed approvals are kept: in a folder beside the file that they are about, or in the database of the journal.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {badUsage, getSystemCode} from '../errors.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import type {SchemaPart} from '../storage/postgres/schema-parts.ts'
import {createRefusal} from './limits.ts'
import type {SignedText} from './ssh-signature.ts'
import type {ApprovalSubject} from './statement.ts'

export interface StoredApproval extends SignedText {
  // Names it in messages.
  id: string
}

export interface ApprovalStore {
  // How messages name it.
  place: string
  // What is there, also about other content. What cannot be read has an empty text, and more than can be read is an error: a
  // withdrawal may be among it.
  list(): Promise<StoredApproval[]>
  add(approval: SignedText): Promise<void>
}

// More than the people who approve one file ever are.
const approvalsMax = 200
const approvalBytesMax = 16 * 1024

const createTooManyError = (place: string, things: string) =>
  createRefusal(
    'TOO_MANY_APPROVALS',
    `There are more ${things} in ${place} than svc reads, and a withdrawal may be among them, so nothing counts as approved`,
    'Remove what is no approval from there; nothing was sent',
  )

const nameApproval = ({text, signature}: SignedText) =>
  createHash('sha256').update(text).update(signature).digest('hex').slice(0, 24)

// Beside a file: FILE.approvals/, with two files for each. Anybody may have put anything there, so that only small regular files are
// read, and links are not followed.
const textEnding = '.approval'
const signatureEnding = '.approval.sig'
const namePattern = /^[a-z0-9][a-z0-9-]{0,99}\.approval$/
// Whatever their names are.
const filesMax = 2_000

const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

// These say that there is no such file, or that it is a link, a folder or a device.
const absentCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'ENODEV'])

// What cannot be read otherwise may be the withdrawal of somebody whose files others may not read.
function readOrRefuse<T>(file: string, none: T, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const code = getSystemCode(cause) ?? 'unknown'
    if (absentCodes.has(code)) return none
    throw createRefusal(
      'APPROVAL_UNREADABLE',
      `${file} cannot be read (${code}), and may be a withdrawal, so nothing counts as approved`,
      'Let the one who put it there make it readable; nothing was sent',
      cause,
    )
  }
}

// Empty for anything but a small regular file.
function readSmallFile(file: string): string {
  const descriptor = fs.openSync(file, openFlags)
  try {
    const found = fs.fstatSync(descriptor)
    return found.isFile() && found.size <= approvalBytesMax ? fs.readFileSync(descriptor, 'utf8') : ''
  } finally {
    fs.closeSync(descriptor)
  }
}

function listNames(folder: string): string[] {
  if (!fs.lstatSync(folder, {throwIfNoEntry: false})?.isDirectory()) return []
  const all = readOrRefuse(folder, [], () => fs.readdirSync(folder))
  const names = all.filter((name) => name.endsWith(textEnding))
  if (names.length > approvalsMax || all.length > filesMax) throw createTooManyError(folder, 'files')
  return names.toSorted()
}

function readApproval(folder: string, name: string): StoredApproval {
  // svc gives no such name, and it may hold anything.
  if (!namePattern.test(name)) return {id: name.replaceAll(/[^\w.-]/g, '?'), text: '', signature: ''}
  const read = (ending: string) => {
    const file = path.join(folder, name.replace(textEnding, ending))
    return readOrRefuse(file, '', () => readSmallFile(file))
  }
  return {id: name, text: read(textEnding), signature: read(signatureEnding)}
}

// Whoever may write beside the file may add an approval, and remove only what is his own: a withdrawal of somebody else stays.
function makeSharedFolder(folder: string): void {
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    if (getSystemCode(error) === 'EEXIST') return
    throw error
  }
  if (process.platform === 'win32') return
  const sticky = 0o1000
  fs.chmodSync(folder, (fs.statSync(path.dirname(folder)).mode & 0o777) | sticky)
}

export function createFileStore(file: string): ApprovalStore {
  const folder = `${file}.approvals`
  return {
    place: folder,
    list: async () => listNames(folder).map((name) => readApproval(folder, name)),
    async add(signed) {
      const name = nameApproval(signed)
      try {
        makeSharedFolder(folder)
        if (!fs.lstatSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), {code: 'ENOTDIR'})
        fs.writeFileSync(path.join(folder, `${name}${signatureEnding}`), signed.signature, {flag: 'wx'})
        fs.writeFileSync(path.join(folder, `${name}${textEnding}`), signed.text, {flag: 'wx'})
      } catch (cause) {
        throw badUsage(
          `The approval cannot be written to ${folder} (${getSystemCode(cause) ?? 'unknown'})`,
          'Check who owns the folder; nothing was approved',
          cause,
        )
      }
    },
  }
}

// In the database of the journal, where every host of a fleet finds them.
const schema = `
create table svc.approvals (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  kind text collate "C" not null,
  digest text collate "C" not null,
  statement text not null,
  signature text not null,
  created_at timestamptz not null default now()
);
create index approvals_by_subject on svc.approvals (service_id, kind, digest);
`

export const approvalsPart: SchemaPart = {name: 'approvals', version: 1, schema}

// A row that is too large is not read; its text is empty.
const selectSmall = (column: string) =>
  `case when octet_length(${column}) <= ${approvalBytesMax} then ${column} else '' end`

// `withDatabase` lends the database for some work.
export function createDatabaseStore(
  {serviceId, kind, digest}: ApprovalSubject,
  withDatabase: <T>(work: (database: PostgresDatabase) => Promise<T>) => Promise<T>,
): ApprovalStore {
  const place = 'the database of the journal'
  return {
    place,
    list: () =>
      withDatabase(async (database) => {
        const text = `select id, ${selectSmall('statement')} as text, ${selectSmall('signature')} as signature from svc.approvals
          where service_id = $1 and kind = $2 and digest = $3 order by created_at, id limit ${approvalsMax + 1}`
        const found = await database.read<StoredApproval & Record<string, unknown>>({text}, [serviceId, kind, digest])
        if (found.length > approvalsMax) throw createTooManyError(place, 'approvals of this')
        return found
      }),
    add: (signed) =>
      withDatabase(async (database) => {
        const text = `insert into svc.approvals (id, service_id, kind, digest, statement, signature)
          values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing`
        const values = [nameApproval(signed), serviceId, kind, digest, signed.text, signed.signature]
        await database.transact((query) => query({text}, values), {isRepeatable: true})
      }),
  }
}
