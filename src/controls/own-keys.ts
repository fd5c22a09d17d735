// The signing keys that the user of this machine has: those of his agent, of ~/.ssh, and those he signed with before.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import {parsePublicKey} from './signers.ts'
import {listAgentKeys, runSshKeygen} from './ssh-keygen.ts'

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

const noKey = (file: string, why: string, cause?: unknown) =>
  badUsage(
    `${file} is no key to sign with: ${why}`,
    'Name a private key, or the public half of a key in your agent',
    cause,
  )

// A key that was named: its private half, or its public half if the private one is in an agent.
export async function readSigningKey(file: string): Promise<SigningKey> {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw noKey(file, `it cannot be read (${getSystemCode(cause) ?? 'unknown'})`, cause)
  }
  const found = parsePublicKey(text) ?? parsePublicKey(readText(`${file}.pub`) ?? '')
  if (found !== undefined) return {publicKey: found, file, name: file}
  const {code, out} = await runSshKeygen(['-y', '-f', file], {isShown: true})
  const derived = code === 0 ? parsePublicKey(out) : undefined
  if (derived === undefined) throw noKey(file, 'ssh-keygen cannot read it')
  return {publicKey: derived, file, name: file}
}

// The keys that could sign now, those of the agent first.
export async function listSigningKeys(named?: string): Promise<SigningKey[]> {
  if (named !== undefined) return [await readSigningKey(named)]
  const agent = (await listAgentKeys()).flatMap((line) => {
    const publicKey = parsePublicKey(line)
    return publicKey === undefined
      ? []
      : [{publicKey, name: line.split(' ').slice(2).join(' ') || 'a key of the agent'}]
  })
  return [...agent, ...listFolderKeys()]
}

const getUsedFile = () => path.join(getStateFolder(), 'signing-keys')

const listUsedKeys = () => (readText(getUsedFile()) ?? '').split('\n').flatMap((line) => parsePublicKey(line) ?? [])

// A key that is moved away after it signed is still his.
export function rememberSigningKey({publicKey}: SigningKey): void {
  const used = listUsedKeys()
  if (used.includes(publicKey)) return
  makePrivateFolder(getStateFolder())
  replacePrivateFile(getUsedFile(), `${[...used, publicKey].join('\n')}\n`)
}

// Every public key that this user has or had.
export async function listOwnPublicKeys(): Promise<string[]> {
  const named = process.env['SVC_SIGNING_KEY']
  const usable = [...(await listSigningKeys()), ...(named ? [await readSigningKey(named)] : [])]
  return [...new Set([...usable.map(({publicKey}) => publicKey), ...listUsedKeys()])]
}
