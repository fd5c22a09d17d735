// Reads the people who may sign from a file in OpenSSH's format allowed_signers: principals, options, a key.
import fs from 'node:fs'
import {SvcError, badSettings, badUsage, getSystemCode} from '../errors.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'

export interface Signers {
  file: string
  // The file as it was read. Signatures are verified against this text, whatever happens to the file.
  text: string
  // The name of the person whom a principal means: the first principal of all that share a line or a key with it.
  findPerson(principal: string): string | undefined
  // The person who has this public key.
  findOwner(publicKey: string): string | undefined
  people: readonly string[]
}

interface SignerLine {
  principals: string[]
  publicKey: string
}

const linesMax = 10_000
const wordPattern = /(?:"[^"]*"|[^\s"])+/g
const keyTypePattern = /^(?:ssh-|ecdsa-|sk-|webauthn-)/

// The type and the key itself, without the comment.
export function parsePublicKey(text: string): string | undefined {
  const [type = '', key = ''] = text.trim().split(/\s+/)
  return keyTypePattern.test(type) && /^[A-Za-z0-9+/=]{16,}$/.test(key) ? `${type} ${key}` : undefined
}

const unquote = (text: string) => text.replaceAll('"', '')

function parseLine(line: string, reject: (what: string) => SvcError): SignerLine {
  const [names = '', ...rest] = line.match(wordPattern) ?? []
  const options = rest.length > 0 && !keyTypePattern.test(rest[0] ?? '') ? rest.shift() : ''
  const publicKey = parsePublicKey(rest.join(' '))
  if (publicKey === undefined) throw reject('has no key that svc can read')
  // With a pattern or an authority, svc could not tell one person from another.
  if (/(^|,)cert-authority(,|$)/i.test(options ?? '')) throw reject('names a certificate authority, not a person')
  if (/[*?!]/.test(names)) throw reject('has a pattern in place of a name')
  const principals = unquote(names)
    .split(',')
    .filter((name) => name !== '')
  if (principals.length === 0) throw reject('names nobody')
  return {principals, publicKey}
}

// One person may have several lines, keys and principals. Whoever shares a key or a principal with another line is the same person.
function groupPeople(lines: readonly SignerLine[]): ReadonlyMap<string, string> {
  const parents = new Map<string, string>()
  const findRoot = (node: string): string => {
    const parent = parents.get(node) ?? node
    return parent === node ? node : findRoot(parent)
  }
  const join = (one: string, other: string) => parents.set(findRoot(other), findRoot(one))
  const toNode = (principal: string) => `name ${principal.toLowerCase()}`
  for (const {principals, publicKey} of lines) {
    const [first = ''] = principals
    for (const principal of principals) join(toNode(first), toNode(principal))
    join(toNode(first), `key ${publicKey}`)
  }
  const names = new Map<string, string>()
  for (const {principals} of lines) {
    const root = findRoot(toNode(principals[0] ?? ''))
    if (!names.has(root)) names.set(root, principals[0] ?? '')
  }
  const nodes = lines.flatMap(({principals, publicKey}) => [...principals.map(toNode), `key ${publicKey}`])
  return new Map(nodes.map((node) => [node, names.get(findRoot(node)) ?? '']))
}

function parseSigners(text: string, file: string): Signers {
  const reject = (number: number) => (what: string) =>
    badSettings(
      `Line ${number} of ${file} ${what}`,
      'Write a name and a key of each person: alice@example.com ssh-ed25519 AAAA…',
    )
  const rows = text.split(/\r?\n/)
  if (rows.length > linesMax) throw badSettings(`${file} has more than ${linesMax} lines`, 'Name a file of signers')
  const lines = rows.flatMap((row, index) => {
    const line = row.trim()
    return line === '' || line.startsWith('#') ? [] : [parseLine(line, reject(index + 1))]
  })
  if (lines.length === 0)
    throw badSettings(`${file} names nobody who may sign`, 'Add a line: alice@example.com ssh-ed25519 AAAA…')
  const people = groupPeople(lines)
  return {
    file,
    text,
    findPerson: (principal) => people.get(`name ${principal.toLowerCase()}`),
    findOwner: (publicKey) => people.get(`key ${publicKey}`),
    people: [...new Set(people.values())],
  }
}

export function readSigners(file: string): Signers {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badSettings(
      `The file of those who may sign, ${file}, cannot be read (${getSystemCode(cause) ?? 'unknown'})`,
      'Put it back, or name another with `svc profiles set NAME --signers FILE`',
      cause,
    )
  }
  return parseSigners(text, file)
}

// Looks at the file of those who may approve when a profile is given it.
function canWrite(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Throws if it names too few people. Returns what is worth saying about it.
export function checkSigners(file: string, required: number): string[] {
  const {people} = readSigners(file)
  if (people.length < required) {
    throw badUsage(
      `${file} names ${people.length} ${people.length === 1 ? 'person' : 'people'}, and ${required} have to approve`,
      'Add the others to it, or ask for fewer with --approvals; nothing was changed',
    )
  }
  return canWrite(file)
    ? [
        `You can change ${file}, and so who may approve: better if its owner is somebody else, such as root. \`--protect\` lets svc notice a change.`,
      ]
    : []
}
