// Reads the people who may sign from a file in OpenSSH's format allowed_signers: a name and a key on each line.
import {badSettings} from '../errors.ts'
import {readNamedFile} from '../storage/read-regular-file.ts'
import type {Signer} from './limits.ts'

// The type and the key itself, without the comment.
export function parsePublicKey(text: string): string | undefined {
  const [type = '', key = ''] = text.trim().split(/\s+/)
  return /^(?:ssh-|ecdsa-|sk-|webauthn-)/.test(type) && /^[A-Za-z0-9+/=]{16,}$/.test(key) ? `${type} ${key}` : undefined
}

export const findSigner = (signers: readonly Signer[], publicKey: string): string | undefined =>
  signers.find(({keys}) => keys.includes(publicKey))?.name

// Each person once, with all keys. What OpenSSH allows besides is refused, not skipped: a key with options may do less there, and
// a pattern or a list of names does not tell one person from another.
export function readSigners(file: string): Signer[] {
  const text = readNamedFile(file, (code, cause) =>
    badSettings(
      `The file of those who may sign, ${file}, cannot be read (${code})`,
      'Put it back, or name another with --signers FILE',
      cause,
    ),
  ).toString()
  const hint = 'Write a name and a key of each person: alice@example.com ssh-ed25519 AAAA…'
  const people = new Map<string, Signer>()
  const owners = new Map<string, string>()
  for (const [index, row] of text.split('\n').entries()) {
    const [name = '', ...words] = row.trim().split(/\s+/)
    if (name === '' || name.startsWith('#')) continue
    const publicKey = parsePublicKey(words.join(' '))
    if (publicKey === undefined || /[*?!,"]/.test(name)) {
      throw badSettings(`Line ${index + 1} of ${file} is not a name and a key`, hint)
    }
    const person = people.get(name.toLowerCase()) ?? {name, keys: []}
    const owner = owners.get(publicKey) ?? person.name
    if (owner !== person.name) throw badSettings(`Line ${index + 1} of ${file} has the key of ${owner}`, hint)
    people.set(name.toLowerCase(), {name: person.name, keys: [...new Set([...person.keys, publicKey])]})
    owners.set(publicKey, owner)
  }
  if (people.size === 0) throw badSettings(`${file} names nobody who may sign`, hint)
  return [...people.values()]
}
