// Signs with the programs of OpenSSH, which know keys on hardware and in agents, and verifies in this process
// (ssh-signature.ts).
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {Readable} from 'node:stream'
import {text as readAll} from 'node:stream/consumers'
import {SvcError, badUsage} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {keepPrivateFile} from '../storage/private-file.ts'
import {readNamedFile, readRegularFile} from '../storage/read-regular-file.ts'
import {omitSecretVariables} from '../values/environment.ts'
import {parsePublicKey} from './signers.ts'
import {checkSshSignature} from './ssh-signature.ts'

// A person may have to find and touch a key.
const signTimeoutMs = 120_000
// An agent lists its keys at once, unless the connection that forwards it is dead.
const listTimeoutMs = 5_000

// Folders in which only the administrator installs programs, or the package manager that he set up. PATH is not asked: whoever sets
// it could have his own program sign, or read what is signed.
const programFolders: readonly string[] =
  process.platform === 'win32'
    ? [String.raw`C:\Windows\System32\OpenSSH`, String.raw`C:\Program Files\OpenSSH`]
    : ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']

function findProgram(name: string): string {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name
  const found = programFolders
    .map((folder) => path.join(folder, fileName))
    .find((file) => fs.statSync(file, {throwIfNoEntry: false})?.isFile())
  if (found !== undefined) return found
  throw badUsage(
    `The program ${name} is needed to sign, and it is in none of ${programFolders.join(', ')}`,
    'Install OpenSSH (the package openssh-client)',
  )
}

// `isShown` shows what the program says to a person, such as to touch a key.
async function runProgram(
  name: 'ssh-keygen' | 'ssh-add',
  args: readonly string[],
  {input = '', isShown = false, timeoutMs = signTimeoutMs} = {},
): Promise<{code: number; out: string; err: string}> {
  const {spawn} = process.getBuiltinModule('node:child_process')
  const child = spawn(findProgram(name), args, {
    env: {...omitSecretVariables(process.env), LC_ALL: 'C'},
    stdio: ['pipe', 'pipe', isShown ? 'inherit' : 'pipe'],
    timeout: timeoutMs,
  })
  // A program that ends before it has read everything closes the pipe.
  child.stdin?.on('error', () => {}).end(input)
  const read = async (stream: Readable | null) => (stream ? readAll(stream) : '')
  const [out, err, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'close')])
  return {code: typeof code === 'number' ? code : 1, out, err}
}

// The signing keys that the user of this machine has: those of his agent, of ~/.ssh, and those he signed with before.
export interface SigningKey {
  publicKey: string
  // The private key, or its public half if an agent has the private one. Absent for a key of the agent that is in no file.
  file?: string | undefined
  // How messages name it.
  name: string
}

const readText = (file: string): string | undefined => {
  try {
    return readRegularFile(file).toString()
  } catch {
    return undefined
  }
}

// Empty without an agent.
async function listAgentKeys(): Promise<SigningKey[]> {
  if (!process.env['SSH_AUTH_SOCK']) return []
  const {code, out} = await runProgram('ssh-add', ['-L'], {timeoutMs: listTimeoutMs}).catch(() => ({code: 1, out: ''}))
  return (code === 0 ? out.split('\n') : []).flatMap((line) => {
    const publicKey = parsePublicKey(line)
    return publicKey === undefined
      ? []
      : [{publicKey, name: line.split(' ').slice(2).join(' ') || 'a key of the agent'}]
  })
}

// The keys in ~/.ssh whose private half is there too: a folder may also hold the public keys of others.
function listFolderKeys(): SigningKey[] {
  const folder = path.join(os.homedir(), '.ssh')
  let names: string[]
  try {
    names = fs.readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith('.pub') && names.includes(name.slice(0, -'.pub'.length)))
    .flatMap((name) => {
      const publicKey = parsePublicKey(readText(path.join(folder, name)) ?? '')
      const file = path.join(folder, name.slice(0, -'.pub'.length))
      return publicKey === undefined ? [] : [{publicKey, file, name: file}]
    })
}

// A key that was named: its private half, or its public half if the private one is in an agent.
export async function readSigningKey(file: string): Promise<SigningKey> {
  const createError = (why: string, cause?: unknown) =>
    badUsage(
      `${file} is no key to sign with: ${why}`,
      'Name a private key, or the public half of a key in your agent',
      cause,
    )
  const text = readNamedFile(file, (code, cause) => createError(`it cannot be read (${code})`, cause)).toString()
  const found = parsePublicKey(text) ?? parsePublicKey(readText(`${file}.pub`) ?? '')
  if (found !== undefined) return {publicKey: found, file, name: file}
  const {code, out} = await runProgram('ssh-keygen', ['-y', '-f', file], {isShown: true})
  const derived = code === 0 ? parsePublicKey(out) : undefined
  if (derived === undefined) throw createError('ssh-keygen cannot read it')
  return {publicKey: derived, file, name: file}
}

// The keys that could sign now, those of the agent first.
export const listSigningKeys = async (named?: string): Promise<SigningKey[]> =>
  named === undefined ? [...(await listAgentKeys()), ...listFolderKeys()] : [await readSigningKey(named)]

const getUsedFile = () => path.join(getStateFolder(), 'signing-keys')

const listUsedKeys = () => (readText(getUsedFile()) ?? '').split('\n').flatMap((line) => parsePublicKey(line) ?? [])

// A key that is moved away after it signed is still his.
export function rememberSigningKey({publicKey}: SigningKey): void {
  const used = listUsedKeys()
  if (used.includes(publicKey)) return
  keepPrivateFile(getUsedFile(), `${[...used, publicKey].join('\n')}\n`)
}

// Every public key that this user has or had.
export async function listOwnPublicKeys(): Promise<string[]> {
  const named = process.env['SVC_SIGNING_KEY']
  const usable = [...(await listSigningKeys()), ...(named ? [await readSigningKey(named)] : [])]
  return [...new Set([...usable.map(({publicKey}) => publicKey), ...listUsedKeys()])]
}

// Signs a text with a key of the user, in a namespace that keeps the signature from counting for anything else.
const createSigningError = ({name}: SigningKey, reason: string) =>
  new SvcError({
    error: 'NOT_SIGNED',
    kind: 'usage',
    message: `ssh-keygen did not sign with ${name}${reason === '' ? '' : ` (${reason})`}`,
    hint: 'Try `ssh-add -L` and `ssh-keygen -Y sign` by hand, or name another key with --signing-key; nothing was approved',
  })

// `isShown` lets ssh-keygen speak to a person, for keys that have to be touched or have a passphrase.
export async function signText(
  text: string,
  {key, namespace, isShown}: {key: SigningKey; namespace: string; isShown: boolean},
): Promise<string> {
  // ssh-keygen reads the key from a file, in a folder that only this user can enter.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-signature-'))
  try {
    const keyFile = key.file ?? path.join(folder, 'key.pub')
    if (key.file === undefined) fs.writeFileSync(keyFile, `${key.publicKey}\n`, {mode: 0o600, flag: 'wx'})
    const args = ['-Y', 'sign', '-q', '-n', namespace, '-f', keyFile]
    const {code, out, err} = await runProgram('ssh-keygen', args, {input: text, isShown})
    if (code !== 0) throw createSigningError(key, err.trim().split('\n').at(-1) ?? '')
    const made = checkSshSignature({text, signature: out}, namespace)
    if (made?.publicKey === key.publicKey) return out
    throw createSigningError(key, made ? `it signed with the key ${made.fingerprint}` : 'its signature is not good')
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
