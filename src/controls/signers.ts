// Reads the people who may sign from a file in OpenSSH's format allowed_signers: principals, options, a key.
import {SvcError, badSettings, badUsage, getSystemCode} from '../errors.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import type {Judges} from './limits.ts'
import {approvalNamespace} from './statement.ts'

export interface Signers {
  file: string
  // The file as it was read. Signatures are verified against this text, whatever happens to the file.
  text: string
  // The name of the person whom a principal means: the first principal of all that share a line or a key with it.
  findPerson(principal: string): string | undefined
  // The person who has this public key.
  findOwner(publicKey: string): string | undefined
  // Whether a line lets this key sign at a moment, and for a namespace if one is given.
  mayUse(publicKey: string, use: {nowMs: number; namespace?: string | undefined}): boolean
  people: readonly string[]
  // Every key with its person, and whether it counts only for some time.
  keys: ReadonlyArray<{person: string; publicKey: string; isTimed: boolean}>
}

interface SignerLine extends SignerOptions {
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

// What a line says about the use of its key.
interface SignerOptions {
  // Absent for all of them.
  namespaces?: string | undefined
  // In seconds. The last second is included.
  validAfter?: number | undefined
  validBefore?: number | undefined
}

type Reject = (what: string) => SvcError

const optionPattern = /^([a-z-]+)(?:="([^"\\]*)")?(?:,|$)/i
const timePattern = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/

// A time of OpenSSH, in seconds: YYYYMMDD or YYYYMMDDHHMM[SS], by the clock of this machine or with Z in UTC.
function parseOptionTime(text: string): number | undefined {
  const [, ...parts] = timePattern.exec(text) ?? []
  const isUtc = parts.pop() === 'Z'
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0))
  const fields = [year, month - 1, day, hour, minute, second] as const
  const utc = new Date(Date.UTC(...fields))
  // A day that no calendar has would be counted into the next month.
  if (parts.length === 0 || utc.getUTCMonth() !== month - 1 || utc.getUTCHours() !== hour) return undefined
  if (utc.getUTCMinutes() !== minute || year < 1970) return undefined
  return (isUtc ? utc : new Date(...fields)).getTime() / 1000
}

// `namespaces="a,b",valid-before="20271231"`, each once, as OpenSSH reads them.
function parseOptions(text: string, reject: Reject): SignerOptions {
  const values = new Map<string, string>()
  for (let rest = text; rest !== '';) {
    const [whole = '', word = '', value] = optionPattern.exec(rest) ?? []
    const name = word.toLowerCase()
    rest = rest.slice(whole.length)
    // With an authority, svc could not tell one person from another.
    if (name === 'cert-authority') throw reject('names a certificate authority, not a person')
    const isKnown = name === 'namespaces' || name === 'valid-after' || name === 'valid-before'
    if (!isKnown || value === undefined || values.has(name) || (rest === '' && whole.endsWith(','))) {
      throw reject('has options that svc cannot read')
    }
    values.set(name, value)
  }
  const readTime = (name: string) => {
    const value = values.get(name)
    const time = value === undefined ? undefined : parseOptionTime(value)
    if (value !== undefined && time === undefined) throw reject(`has a time in ${name} that svc cannot read`)
    return time
  }
  const [validAfter, validBefore] = [readTime('valid-after'), readTime('valid-before')]
  if (validAfter !== undefined && validBefore !== undefined && validBefore <= validAfter) {
    throw reject('is valid at no time')
  }
  return {namespaces: values.get('namespaces'), validAfter, validBefore}
}

// * stands for any characters and ? for one.
function matchesPattern(text: string, pattern: string): boolean {
  let [at, next, star, resume] = [0, 0, -1, 0]
  while (at < text.length) {
    if (pattern[next] === '*') [star, resume] = [next++, at]
    else if (pattern[next] === '?' || pattern[next] === text[at]) [at, next] = [at + 1, next + 1]
    else if (star >= 0) [at, next] = [++resume, star + 1]
    else return false
  }
  return /^\**$/.test(pattern.slice(next))
}

// A list of patterns, of which those with a ! exclude what they match.
function matchesList(text: string, list: string): boolean {
  const patterns = list.split(',')
  const isExcluded = patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(text, pattern.slice(1)))
  return !isExcluded && patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(text, pattern))
}

function canUse({namespaces, validAfter, validBefore}: SignerOptions, nowMs: number, namespace?: string): boolean {
  const now = Math.floor(nowMs / 1000)
  if (now < (validAfter ?? -Infinity) || now > (validBefore ?? Infinity)) return false
  return namespace === undefined || namespaces === undefined || matchesList(namespace, namespaces)
}

function parseLine(line: string, reject: Reject): SignerLine {
  const [names = '', ...rest] = line.match(wordPattern) ?? []
  const options = rest.length > 0 && !keyTypePattern.test(rest[0] ?? '') ? (rest.shift() ?? '') : ''
  const publicKey = parsePublicKey(rest.join(' '))
  if (publicKey === undefined) throw reject('has no key that svc can read')
  // With a pattern, svc could not tell one person from another.
  if (/[*?!]/.test(names)) throw reject('has a pattern in place of a name')
  const principals = unquote(names)
    .split(',')
    .filter((name) => name !== '')
  if (principals.length === 0) throw reject('names nobody')
  return {principals, publicKey, ...parseOptions(options, reject)}
}

// One person may have several lines, keys and principals. Whoever shares a key or a principal with another line is the same person.
function groupPeople(lines: readonly SignerLine[]): ReadonlyMap<string, string> {
  const parents = new Map<string, string>()
  // Halves the way for the next search, since names may be chained through the whole file.
  const findRoot = (node: string): string => {
    let root = node
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root)) {
      const next = parents.get(parent) ?? parent
      parents.set(root, next)
      root = next
    }
    return root
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
  const rows = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (rows.length > linesMax) throw badSettings(`${file} has more than ${linesMax} lines`, 'Name a file of signers')
  const lines = rows.flatMap((row, index) => {
    const line = row.trim()
    return line === '' || line.startsWith('#') ? [] : [parseLine(line, reject(index + 1))]
  })
  if (lines.length === 0)
    throw badSettings(`${file} names nobody who may sign`, 'Add a line: alice@example.com ssh-ed25519 AAAA…')
  const people = groupPeople(lines)
  const linesByKey = Map.groupBy(lines, ({publicKey}) => publicKey)
  return {
    file,
    text,
    findPerson: (principal) => people.get(`name ${principal.toLowerCase()}`),
    findOwner: (publicKey) => people.get(`key ${publicKey}`),
    mayUse: (publicKey, {nowMs, namespace}) =>
      (linesByKey.get(publicKey) ?? []).some((line) => canUse(line, nowMs, namespace)),
    people: [...new Set(people.values())],
    keys: lines.map(({publicKey, validAfter, validBefore}) => ({
      person: people.get(`key ${publicKey}`) ?? '',
      publicKey,
      isTimed: (validAfter ?? validBefore) !== undefined,
    })),
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
      'Put it back, or name another with --signers FILE',
      cause,
    )
  }
  return parseSigners(text, file)
}

// Those who may approve, for somebody who has no policy at hand.
export function readJudges(file: string): Judges {
  const signers = readSigners(file)
  const use = {nowMs: Date.now(), namespace: approvalNamespace}
  return {
    people: signers.people,
    findPerson: (publicKey) => (signers.mayUse(publicKey, use) ? signers.findOwner(publicKey) : undefined),
  }
}

// The people of the file as a policy names them, with all their keys.
export function readApprovers(file: string): Array<{name: string; keys: string[]}> {
  const signers = readSigners(file)
  const {keys} = signers
  const timed = keys.find(({isTimed}) => isTimed)
  if (timed) {
    throw badUsage(
      `A key of ${timed.person} in ${file} has valid-after or valid-before, which a policy does not have`,
      'Remove it, and change the policy when the key ends; nothing was changed',
    )
  }
  const usable = keys.filter(({publicKey}) =>
    signers.mayUse(publicKey, {nowMs: Date.now(), namespace: approvalNamespace}),
  )
  const byPerson = Map.groupBy(usable, ({person}) => person)
  return [...byPerson].map(([name, own]) => ({name, keys: [...new Set(own.map(({publicKey}) => publicKey))]}))
}
