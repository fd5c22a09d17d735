// Where signed approvals are kept: in a folder beside the file that they are about, or in the database of the journal.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'
import type {SignedText} from './ssh-signature.ts'

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
export const approvalsMax = 200
export const approvalBytesMax = 16 * 1024

export const tooManyApprovals = (place: string, things: string) =>
  new SvcError({
    error: 'TOO_MANY_APPROVALS',
    kind: 'limit',
    message: `There are more ${things} in ${place} than svc reads, and a withdrawal may be among them, so nothing counts as approved`,
    hint: 'Remove what is no approval from there; nothing was sent',
  })

// Keeps approvals in a folder beside the file that they are about: FILE.approvals/, with two files for each. Anybody may have put
// anything there, so that only small regular files are read, and links are not followed.
const textEnding = '.approval'
const signatureEnding = '.approval.sig'
const namePattern = /^[a-z0-9][a-z0-9-]{0,99}\.approval$/
// Whatever their names are.
const filesMax = 2_000

const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

// The approval, or the withdrawal, of somebody whose files others may not read.
const cannotRead = (file: string, code: string, cause: unknown) =>
  new SvcError({
    error: 'APPROVAL_UNREADABLE',
    kind: 'limit',
    message: `${file} cannot be read (${code}), and may be a withdrawal, so nothing counts as approved`,
    hint: 'Let the one who put it there make it readable; nothing was sent',
    cause,
  })

// These say that svc may not read what is there, or that the disk fails.
const refusals: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EIO'])

// Empty for a link, a folder, a device, a file that is too large, or one that is not there.
function readSmallFile(file: string): string {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(file, openFlags)
    const found = fs.fstatSync(descriptor)
    if (!found.isFile() || found.size > approvalBytesMax) return ''
    const buffer = Buffer.alloc(approvalBytesMax)
    const count = fs.readSync(descriptor, buffer, 0, approvalBytesMax, 0)
    return buffer.toString('utf8', 0, count)
  } catch (cause) {
    const code = getSystemCode(cause) ?? ''
    if (refusals.has(code)) throw cannotRead(file, code, cause)
    return ''
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

const cannotWrite = (folder: string, cause: unknown) =>
  badUsage(
    `The approval cannot be written to ${folder} (${getSystemCode(cause) ?? 'unknown'})`,
    'Check who owns the folder; nothing was approved',
    cause,
  )

function listNames(folder: string): string[] {
  const found = fs.lstatSync(folder, {throwIfNoEntry: false})
  if (!found?.isDirectory()) return []
  const names: string[] = []
  const opened = fs.opendirSync(folder)
  try {
    for (let count = 1, entry = opened.readSync(); entry; count++, entry = opened.readSync()) {
      if (entry.name.endsWith(textEnding)) names.push(entry.name)
      if (names.length > approvalsMax || count > filesMax) throw tooManyApprovals(folder, 'files')
    }
  } finally {
    opened.closeSync()
  }
  return names.toSorted()
}

function readApproval(folder: string, name: string): StoredApproval {
  // svc gives no such name, and it may hold anything.
  if (!namePattern.test(name)) return {id: name.replaceAll(/[^\w.-]/g, '?'), text: '', signature: ''}
  const signatureName = `${name.slice(0, -textEnding.length)}${signatureEnding}`
  const [text, signature] = [name, signatureName].map((each) => readSmallFile(path.join(folder, each)))
  return {id: name, text: text ?? '', signature: signature ?? ''}
}

// Whoever may write beside the file may add an approval, and remove only what is his own: a withdrawal of somebody else stays.
function makeSharedFolder(folder: string): void {
  if (fs.mkdirSync(folder, {recursive: true}) === undefined || process.platform === 'win32') return
  const sticky = 0o1000
  fs.chmodSync(folder, (fs.statSync(path.dirname(folder)).mode & 0o777) | sticky)
}

export function openFileStore(folder: string): ApprovalStore {
  return {
    place: folder,
    list: async () => listNames(folder).map((name) => readApproval(folder, name)),
    async add({text, signature}: SignedText) {
      const name = createHash('sha256').update(text).update(signature).digest('hex').slice(0, 24)
      try {
        makeSharedFolder(folder)
        if (!fs.lstatSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), {code: 'ENOTDIR'})
        fs.writeFileSync(path.join(folder, `${name}${signatureEnding}`), signature, {flag: 'wx'})
        fs.writeFileSync(path.join(folder, `${name}${textEnding}`), text, {flag: 'wx'})
      } catch (cause) {
        throw cannotWrite(folder, cause)
      }
    },
  }
}

export const getApprovalFolder = (file: string) => `${file}.approvals`
