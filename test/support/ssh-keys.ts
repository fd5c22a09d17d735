// Creates SSH keys as ssh-keygen does, without the time to start a program.
import {generateKeyPairSync, randomBytes} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

const keyType = 'ed25519'
const sshType = `ssh-${keyType}`
const comment = 'test'
const blockBytes = 8
const checkBytes = 4
const lineCharacters = 70

// A text or bytes after their length, as the formats of SSH have them.
function encode(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

// The format that OpenSSH describes in its file PROTOCOL.key, without a passphrase.
function encodePrivateKey(publicBytes: Buffer, secretBytes: Buffer, publicBlob: Buffer): string {
  const check = randomBytes(checkBytes)
  const secret = Buffer.concat([
    check,
    check,
    encode(sshType),
    encode(publicBytes),
    encode(Buffer.concat([secretBytes, publicBytes])),
    encode(comment),
  ])
  const missing = (blockBytes - (secret.length % blockBytes)) % blockBytes
  const padding = Buffer.from(Array.from({length: missing}, (_, index) => index + 1))
  const keyCount = Buffer.from([0, 0, 0, 1])
  const key = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    encode('none'),
    encode('none'),
    encode(''),
    keyCount,
    encode(publicBlob),
    encode(Buffer.concat([secret, padding])),
  ])
  const lines = key.toString('base64').match(new RegExp(`.{1,${lineCharacters}}`, 'g')) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

// Writes a new key and its public key. Returns the latter.
export function createKey(file: string): string {
  const {x = '', d = ''} = generateKeyPairSync(keyType).privateKey.export({format: 'jwk'})
  const [publicBytes, secretBytes] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  const publicBlob = Buffer.concat([encode(sshType), encode(publicBytes)])
  const publicKey = `${sshType} ${publicBlob.toString('base64')}`
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  fs.writeFileSync(file, encodePrivateKey(publicBytes, secretBytes, publicBlob), {mode: 0o600, flag: 'wx'})
  fs.writeFileSync(`${file}.pub`, `${publicKey} ${comment}\n`, {flag: 'wx'})
  return publicKey
}
