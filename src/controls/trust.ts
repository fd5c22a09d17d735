// Where the trust in a policy comes from: a file of root that pins its digest, the roles of a database, or nowhere.
import fs from 'node:fs'
import {type Shape, findShapeProblems} from '../contract/shape.ts'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {type JournalAddress, isDatabase} from '../storage/journal-address.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'

// Read on every machine that has it. The file of the variable is read besides, so that nobody can take a pin away with it.
const rootFile = '/etc/svc/trust.json'
const fileVariable = 'SVC_TRUST_FILE'

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

export interface Trust {
  files: readonly TrustFile[]
  // Whether one of them pins a policy for the service.
  isNamed(serviceId: string): boolean
  // What the files say against this version of a service's policy. Undefined if they say nothing against it.
  findProblem(serviceId: string, digest: string | undefined): string | undefined
}

const pinShape: Shape = {
  type: 'object',
  properties: {policy: {type: 'string', minLength: 1}, journal: {type: 'string', minLength: 1}},
  required: ['policy'],
}

const fileShape: Shape = {
  type: 'object',
  properties: {services: {type: 'object', additionalProperties: pinShape}},
  required: ['services'],
}

// A file that was named has to be there.
function readPins(file: string): TrustFile | undefined {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    const isMissing = getSystemCode(cause) === 'ENOENT' || getSystemCode(cause) === 'ENOTDIR'
    if (isMissing && file === rootFile) return undefined
    if (cause instanceof SvcError) throw cause
    throw badSettings(
      `The trust file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`,
      'Ask its owner',
      cause,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw badSettings(`The trust file ${file} is not valid JSON`, 'Ask its owner; nothing was sent', cause)
  }
  const [problem] = findShapeProblems(value, fileShape)
  if (problem) {
    throw badSettings(
      `The trust file ${file} is damaged: ${problem.path} ${problem.message}`,
      'Ask its owner; nothing was sent',
    )
  }
  return {file, isOwn: canChange(file), services: (value as {services: Record<string, Pin>}).services}
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

const withoutPrefix = (digest: string) => digest.replace(/^sha256:/, '')

function findPinProblem({file, services}: TrustFile, serviceId: string, digest: string | undefined, journal: string) {
  const pin = Object.hasOwn(services, serviceId) ? services[serviceId] : undefined
  if (!pin) return `${file} names no policy for ${serviceId}, so nothing is written there`
  if (pin.journal !== undefined && pin.journal !== journal) {
    return `${file} says that ${serviceId} is paid from with the journal ${pin.journal}, and this one is ${journal}`
  }
  if (digest === withoutPrefix(pin.policy)) return undefined
  const found = digest === undefined ? 'has none' : `has another one (sha256:${digest.slice(0, 16)}…)`
  return `${file} pins a policy for ${serviceId} (${pin.policy.slice(0, 23)}…), and the journal ${found}`
}

export function readTrust(journal: string): Trust {
  const names = [rootFile, process.env[fileVariable] ?? ''].filter((name) => name !== '')
  const files = names.flatMap((name) => readPins(name) ?? [])
  return {
    files,
    isNamed: (serviceId) => files.some(({services}) => Object.hasOwn(services, serviceId)),
    findProblem(serviceId, digest) {
      for (const file of files) {
        const problem = findPinProblem(file, serviceId, digest, journal)
        if (problem !== undefined) return problem
      }
      return undefined
    },
  }
}

interface TrustedPolicy {
  serviceId: string
  digest: string | undefined
  journal: JournalAddress
  role?: {name: string; isOwner: boolean} | undefined
}

// Who keeps the one who runs svc from changing the policy by himself, in words.
export function describeTrust({serviceId, digest, journal, role}: TrustedPolicy): string {
  const {files} = readTrust(journal.text)
  const pinning = files.find((file) => !file.isOwn && Object.hasOwn(file.services, serviceId))
  if (pinning && findPinProblem(pinning, serviceId, digest, journal.text) === undefined) {
    return `file of root: ${pinning.file} pins it, and you cannot write that`
  }
  if (isDatabase(journal) && role && !role.isOwner) {
    return `database: the role ${role.name} can add payments and approvals, and cannot change policies`
  }
  if (isDatabase(journal)) {
    return `none: the role ${role?.name ?? ''} owns the journal, so whoever has it can change everything; let the role of a worker run svc`
  }
  return 'none: whoever can write the journal can replace it, with the policy; a trust file of root or a database keeps him from it'
}
