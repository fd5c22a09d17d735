// Where the trust in a policy comes from: a file of root that pins its digest, the roles of a database, or nowhere.
import fs from 'node:fs'
import {type Shape, check} from '../contract/shape.ts'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {type JournalAddress, isDatabase} from '../storage/journal-address.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import {lookUp} from '../values/records.ts'
import type {JournalRole} from './decisions.ts'

// Read on every machine that has it. The file of the variable is read besides, so that nobody can take a pin away with it.
const rootFile = '/etc/svc/trust.json'

interface Pin {
  // The digest of the newest version of the policy.
  policy: string
  // The only journal that counts, if it is named.
  journal?: string | undefined
}

interface TrustFile {
  file: string
  // Whether the user who runs svc could change it.
  isOwn: boolean
  services: Readonly<Record<string, Pin>>
}

// The files of this machine, and the journal that they are asked about.
export interface Trust {
  files: readonly TrustFile[]
  journal: string
}

const text: Shape = {type: 'string', minLength: 1}
const pin: Shape = {type: 'object', properties: {policy: text, journal: text}, required: ['policy']}
const fileShape: Shape = {
  type: 'object',
  properties: {services: {type: 'object', additionalProperties: pin}},
  required: ['services'],
}

const createTrustError = (file: string, problem: string, cause?: unknown) =>
  badSettings(`The trust file ${file} ${problem}`, 'Ask its owner; nothing was sent', cause)

// A file that was named has to be there.
function readPins(file: string): TrustFile[] {
  let value: unknown
  try {
    value = JSON.parse(readRegularFile(file).toString())
  } catch (cause) {
    const code = getSystemCode(cause)
    if ((code === 'ENOENT' || code === 'ENOTDIR') && file === rootFile) return []
    if (cause instanceof SvcError) throw cause
    throw createTrustError(file, code === undefined ? 'is not valid JSON' : `cannot be read (${code})`, cause)
  }
  const [problem] = check(value, fileShape)
  if (problem) throw createTrustError(file, `is damaged: ${problem.path} ${problem.message}`)
  return [{file, isOwn: canChange(file), services: (value as {services: Record<string, Pin>}).services}]
}

// Root may change everything, and pays as nobody whom a file could bind.
function canChange(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK)
    return true
  } catch {
    return fs.statSync(file, {throwIfNoEntry: false})?.uid === process.getuid?.()
  }
}

function findPinProblem({file, services}: TrustFile, serviceId: string, digest: string | undefined, journal: string) {
  const pinned = lookUp(services, serviceId)
  if (!pinned) return `${file} names no policy for ${serviceId}, so nothing is written there`
  if (pinned.journal !== undefined && pinned.journal !== journal) {
    return `${file} says that ${serviceId} is paid from with the journal ${pinned.journal}, and this one is ${journal}`
  }
  if (digest === pinned.policy.replace(/^sha256:/, '')) return undefined
  const found = digest === undefined ? 'has none' : `has another one (sha256:${digest.slice(0, 16)}…)`
  return `${file} pins a policy for ${serviceId} (${pinned.policy.slice(0, 23)}…), and the journal ${found}`
}

export const readTrust = (journal: string): Trust => ({
  files: [rootFile, process.env['SVC_TRUST_FILE'] ?? ''].filter((name) => name !== '').flatMap(readPins),
  journal,
})

// What the files say against this version of a service's policy. Undefined if they say nothing against it.
export const findTrustProblem = ({files, journal}: Trust, serviceId: string, digest: string | undefined) =>
  files.map((file) => findPinProblem(file, serviceId, digest, journal)).find((problem) => problem !== undefined)

// Who keeps the one who runs svc from changing the policy by himself, in words.
export function describeTrust(
  journal: JournalAddress,
  {serviceId, digest}: {serviceId: string; digest: string | undefined},
  role: JournalRole | undefined,
): string {
  const pinning = readTrust(journal.text).files.find(
    (file) => !file.isOwn && findPinProblem(file, serviceId, digest, journal.text) === undefined,
  )
  if (pinning) return `file of root: ${pinning.file} pins it, and you cannot write that`
  if (!isDatabase(journal)) {
    return 'none: whoever can write the journal can replace it, with the policy; a trust file of root or a database keeps him from it'
  }
  return role?.isOwner === false
    ? `database: the role ${role.name} can add payments and approvals, and cannot change policies`
    : `none: the role ${role?.name ?? ''} owns the journal, so whoever has it can change everything; let the role of a worker run svc`
}
