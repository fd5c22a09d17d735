// Where signed approvals are kept: in a folder beside the file that they are about, or in the database of the journal.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {badUsage, getSystemCode} from '../errors.ts'
import type {SignedText} from './ssh-signature.ts'

export interface StoredApproval extends SignedText {
  // Names it in messages.
  id: string
}

export interface ApprovalStore {
  // How messages name it.
  place: string
  // What is there, also about other content. Things that are no approvals are left out.
  list(): Promise<StoredApproval[]>
  add(approval: SignedText): Promise<void>
}

// Keeps approvals in a folder beside the file that they are about: FILE.approvals/, with two files for each. Anybody may have put
// anything there, so that only small regular files are read, and links are not followed.
const textEnding = '.approval'
const signatureEnding = '.approval.sig'
const namePattern = /^[a-z0-9][a-z0-9-]{0,99}\.approval$/
// More than the people who approve one file ever are. Further files are not read.
const filesMax = 200
const bytesMax = 16 * 1024

const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

// Undefined for a link, a folder, a device, a file that is too large, or one that cannot be read.
function readSmallFile(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = fs.openSync(file, openFlags)
  } catch {
    return undefined
  }
  try {
    const found = fs.fstatSync(descriptor)
    if (!found.isFile() || found.size > bytesMax) return undefined
    const buffer = Buffer.alloc(bytesMax)
    const count = fs.readSync(descriptor, buffer, 0, bytesMax, 0)
    return buffer.toString('utf8', 0, count)
  } catch {
    return undefined
  } finally {
    fs.closeSync(descriptor)
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
  return fs
    .readdirSync(folder)
    .filter((name) => namePattern.test(name))
    .toSorted()
    .slice(0, filesMax)
}

export function openFileStore(folder: string): ApprovalStore {
  return {
    place: folder,
    async list() {
      return listNames(folder).flatMap((name): StoredApproval[] => {
        const text = readSmallFile(path.join(folder, name))
        const signature = readSmallFile(path.join(folder, `${name.slice(0, -textEnding.length)}${signatureEnding}`))
        return text === undefined || signature === undefined ? [] : [{id: name, text, signature}]
      })
    },
    async add({text, signature}: SignedText) {
      const name = createHash('sha256').update(text).update(signature).digest('hex').slice(0, 24)
      try {
        // Others have to read what was approved, so the folder has the usual mode.
        fs.mkdirSync(folder, {recursive: true})
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
