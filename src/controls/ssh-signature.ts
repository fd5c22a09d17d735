// Checks a signature of OpenSSH (PROTOCOL.sshsig) in this process, so that no program of the machine has a say in it. What
// `ssh-keygen -Y verify` refuses is refused. So is what it takes although the signature does not cover it, and a weaker key:
// a certificate, RSA of fewer than 2048 bits, a key on hardware that nobody touched.
import {createHash, createPublicKey, verify} from 'node:crypto'

export interface SignedText {
  text: string
  // Armored: between the lines BEGIN and END SSH SIGNATURE.
  signature: string
}

export interface SshSignature {
  // The type and the key, as parsePublicKey gives them.
  publicKey: string
  // As ssh-keygen prints it: SHA256:…
  fingerprint: string
}

const magic = Buffer.from('SSHSIG')
const version = 1
const hashes: ReadonlySet<string> = new Set(['sha256', 'sha512'])
// One of an RSA key of 16,384 bits, the longest that OpenSSL checks, has about 6,000.
const signatureLengthMax = 16 * 1024
const armorPattern = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/

// Thrown where the bytes are not what they should be. It never leaves this file.
class Malformed extends Error {}

function requireThat(condition: boolean): asserts condition {
  if (!condition) throw new Malformed()
}

// Reads the parts of SSH's binary format from the first byte to the last.
class WireReader {
  #rest: Buffer

  constructor(bytes: Buffer) {
    this.#rest = bytes
  }

  takeBytes(count: number): Buffer {
    requireThat(count <= this.#rest.length)
    const bytes = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return bytes
  }

  takeNumber = (): number => this.takeBytes(4).readUInt32BE()
  takeString = (): Buffer => this.takeBytes(this.takeNumber())
  // The bytes of a name stand for themselves: no two spellings of one name are equal.
  takeText = (): string => this.takeString().toString('latin1')

  // A positive integer, without the zeros before it.
  takeInteger(): Buffer {
    const bytes = this.takeString()
    requireThat(((bytes[0] ?? 0) & 0x80) === 0)
    const start = bytes.findIndex((byte) => byte !== 0)
    requireThat(start >= 0)
    return bytes.subarray(start)
  }

  finish(): void {
    requireThat(this.#rest.length === 0)
  }
}

function writeString(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

const writeInteger = (bytes: Buffer) =>
  writeString(((bytes[0] ?? 0) & 0x80) === 0 ? bytes : Buffer.concat([Buffer.alloc(1), bytes]))

const digestBytes = (hash: string, bytes: Buffer | string) => createHash(hash).update(bytes).digest()

function padStart(bytes: Buffer, length: number): Buffer {
  requireThat(bytes.length <= length)
  return Buffer.concat([Buffer.alloc(length - bytes.length), bytes])
}

// A kind of key: its fields after the type, and how a signature of it is checked.
interface PublicKey {
  // The fields again, as OpenSSH writes them.
  fields: Buffer
  // Takes what follows the name of the algorithm.
  checkSignature(algorithm: string, reader: WireReader, data: Buffer): boolean
}

type KeyParser = (reader: WireReader, type: string) => PublicKey

// A point on a curve, and how signatures of its owner are read and verified.
interface CurveKey {
  fields: Buffer
  takeSignature(parts: WireReader): Buffer
  verify(data: Buffer, signature: Buffer): boolean
}

const ed25519 = {keyBytes: 32, signatureBytes: 64}

function readEd25519(reader: WireReader): CurveKey {
  const point = reader.takeString()
  requireThat(point.length === ed25519.keyBytes)
  const key = createPublicKey({format: 'jwk', key: {kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url')}})
  return {
    fields: writeString(point),
    takeSignature(parts) {
      const signature = parts.takeString()
      requireThat(signature.length === ed25519.signatureBytes)
      return signature
    },
    verify: (data, signature) => verify(null, data, key, signature),
  }
}

interface Curve {
  name: string
  jwkName: string
  hash: string
  // Of a coordinate, and of each half of a signature.
  bytes: number
}

const p256: Curve = {name: 'nistp256', jwkName: 'P-256', hash: 'sha256', bytes: 32}
const p384: Curve = {name: 'nistp384', jwkName: 'P-384', hash: 'sha384', bytes: 48}
const p521: Curve = {name: 'nistp521', jwkName: 'P-521', hash: 'sha512', bytes: 66}
const uncompressedPoint = 4

const readEcdsa =
  ({name, jwkName, hash, bytes}: Curve) =>
  (reader: WireReader): CurveKey => {
    requireThat(reader.takeText() === name)
    const point = reader.takeString()
    requireThat(point.length === 1 + 2 * bytes && point[0] === uncompressedPoint)
    const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)]
    // A point that is not on the curve is rejected here.
    const key = createPublicKey({
      format: 'jwk',
      key: {kty: 'EC', crv: jwkName, x: x.toString('base64url'), y: y.toString('base64url')},
    })
    return {
      fields: Buffer.concat([writeString(name), writeString(point)]),
      // Both halves in as many bytes as a coordinate has.
      takeSignature(parts) {
        const halves = new WireReader(parts.takeString())
        const signature = Buffer.concat([padStart(halves.takeInteger(), bytes), padStart(halves.takeInteger(), bytes)])
        halves.finish()
        return signature
      },
      verify: (data, signature) => verify(hash, data, {key, dsaEncoding: 'ieee-p1363'}, signature),
    }
  }

type CurveReader = (reader: WireReader) => CurveKey

const parseCurveKey =
  (read: CurveReader): KeyParser =>
  (reader, type) => {
    const key = read(reader)
    return {
      fields: key.fields,
      checkSignature(algorithm, parts, data) {
        requireThat(algorithm === type)
        const signature = key.takeSignature(parts)
        parts.finish()
        return key.verify(data, signature)
      },
    }
  }

// A key on hardware signs the digests of its application and of the data, with its flags and its counter in between.
const userPresence = 1

const parseHardwareKey =
  (read: CurveReader): KeyParser =>
  (reader, type) => {
    const key = read(reader)
    const application = reader.takeString()
    return {
      fields: Buffer.concat([key.fields, writeString(application)]),
      checkSignature(algorithm, parts, data) {
        requireThat(algorithm === type)
        const signature = key.takeSignature(parts)
        const state = parts.takeBytes(1 + 4)
        parts.finish()
        // Without it, a program could have had the key sign while nobody was there.
        requireThat(((state[0] ?? 0) & userPresence) !== 0)
        const signed = [digestBytes('sha256', application), state, digestBytes('sha256', data)]
        return key.verify(Buffer.concat(signed), signature)
      },
    }
  }

const modulusBitsMin = 2048
// OpenSSH also signs with SHA-1, under the name ssh-rsa. That is refused, as `ssh-keygen -Y verify` does.
const rsaHashes: ReadonlyMap<string, string> = new Map([
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
])

const parseRsa: KeyParser = (reader) => {
  const [exponent, modulus] = [reader.takeInteger(), reader.takeInteger()]
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24
  // With the exponent 1, everybody could sign.
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1
  requireThat(bits >= modulusBitsMin && isOdd && !(exponent.length === 1 && exponent[0] === 1))
  const key = createPublicKey({
    format: 'jwk',
    key: {kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url')},
  })
  return {
    fields: Buffer.concat([writeInteger(exponent), writeInteger(modulus)]),
    checkSignature(algorithm, parts, data) {
      const hash = rsaHashes.get(algorithm)
      requireThat(hash !== undefined)
      const signature = padStart(parts.takeString(), modulus.length)
      parts.finish()
      return verify(hash, data, key, signature)
    },
  }
}

// Certificates are not among them: they name an authority, not a person.
const keyParsers: ReadonlyMap<string, KeyParser> = new Map([
  ['ssh-ed25519', parseCurveKey(readEd25519)],
  ['ecdsa-sha2-nistp256', parseCurveKey(readEcdsa(p256))],
  ['ecdsa-sha2-nistp384', parseCurveKey(readEcdsa(p384))],
  ['ecdsa-sha2-nistp521', parseCurveKey(readEcdsa(p521))],
  ['ssh-rsa', parseRsa],
  ['sk-ssh-ed25519@openssh.com', parseHardwareKey(readEd25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', parseHardwareKey(readEcdsa(p256))],
])

function parseKey(blob: Buffer): {type: string; key: PublicKey} {
  const reader = new WireReader(blob)
  const type = reader.takeText()
  const parse = keyParsers.get(type)
  requireThat(parse !== undefined)
  const key = parse(reader, type)
  reader.finish()
  // Keys are compared as texts, so that each may be written in one way alone.
  requireThat(Buffer.concat([writeString(type), key.fields]).equals(blob))
  return {type, key}
}

function dearmor(signature: string): Buffer {
  requireThat(signature.length <= signatureLengthMax)
  const text = armorPattern.exec(signature)?.[1]?.replaceAll('\n', '')
  requireThat(text !== undefined)
  const bytes = Buffer.from(text, 'base64')
  requireThat(bytes.toString('base64') === text)
  return bytes
}

function readSignature({text, signature}: SignedText, namespace: string): SshSignature | undefined {
  const reader = new WireReader(dearmor(signature))
  requireThat(reader.takeBytes(magic.length).equals(magic) && reader.takeNumber() === version)
  const blob = reader.takeString()
  requireThat(reader.takeString().equals(Buffer.from(namespace)))
  // Reserved. OpenSSH skips what is there, and it is not signed.
  requireThat(reader.takeString().length === 0)
  const hash = reader.takeText()
  requireThat(hashes.has(hash))
  const parts = new WireReader(reader.takeString())
  reader.finish()
  const {type, key} = parseKey(blob)
  const data = Buffer.concat([magic, ...[namespace, '', hash, digestBytes(hash, text)].map(writeString)])
  if (!key.checkSignature(parts.takeText(), parts, data)) return undefined
  const fingerprint = digestBytes('sha256', blob).toString('base64').replaceAll('=', '')
  return {publicKey: `${type} ${blob.toString('base64')}`, fingerprint: `SHA256:${fingerprint}`}
}

// Undefined for anything that is not a good signature of this text in this namespace.
export function checkSshSignature(signed: SignedText, namespace: string): SshSignature | undefined {
  try {
    return readSignature(signed, namespace)
  } catch {
    // The bytes are malformed, or OpenSSL rejects the key.
    return undefined
  }
}
