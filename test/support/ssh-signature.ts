// Signatures of OpenSSH (PROTOCOL.sshsig), written without the program.
import {createHash} from 'node:crypto'

// SSH's binary format.
export const toNumber = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
export const toString = (value: Buffer | string) =>
  Buffer.concat([toNumber(Buffer.byteLength(value)), Buffer.from(value)])

export const armor = (blob: Buffer) =>
  `-----BEGIN SSH SIGNATURE-----\n${blob.toString('base64').replaceAll(/(.{70})(?=.)/g, '$1\n')}\n-----END SSH SIGNATURE-----\n`

const magic = Buffer.from('SSHSIG')
export const namespace = 'svc-approval'

export const digest = (hash: string, bytes: Buffer | string) => createHash(hash).update(bytes).digest()

// What a key signs of a text. A hash that is only named so may be another one.
export const toSigned = (text: string, name = 'sha512', hash = name) =>
  Buffer.concat([magic, ...[namespace, '', name, digest(hash, text)].map((field) => toString(field))])

export interface SignatureFields {
  key: Buffer
  signature: Buffer
  version?: number
  namespace?: string
  reserved?: string
  hash?: string
}

export const writeSignature = ({key, signature, ...fields}: SignatureFields) => {
  const {version = 1, namespace: name = namespace, reserved = '', hash = 'sha512'} = fields
  const parts = [key, name, reserved, hash, signature].map((field) => toString(field))
  return armor(Buffer.concat([magic, toNumber(version), ...parts]))
}
