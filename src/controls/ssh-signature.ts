// Checks a signature of OpenSSH (PROTOCOL.sshsig) in this process, so that no program of the machine has a say in it. What
// `ssh-keygen -Y verify` refuses is refused. So is what it takes although the signature does not cover it, and a weaker key:
// a certificate, RSA of fewer than 2048 bits, a key on hardware that nobody touched.
import {createHash, createPublicKey, verify} from 'node:crypto'

export interface SignedText {
  text: string
  // Armored: between the lines BEGIN and END SSH SIGNATURE.
  signature: string
}

const magic = Buffer.from('SSHSIG')
const version = 1
const hashes: ReadonlySet<string> = new Set(['sha256', 'sha512'])
// One of an RSA key of 16,384 bits, the longest that OpenSSL checks, has about 6,000.
const signatureLengthMax = 16 * 1024
const armorPattern = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/

// What it throws never leaves this file.
function requireThat(condition: boolean): asserts condition {
  if (!condition) throw new Error('not a good signature')
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

interface PublicKey {
  // Its fields after the type, as OpenSSH writes them.
  fields: Buffer
  // Reads what follows the name of the algorithm.
  takeSignature(parts: WireReader): Buffer
  verify(data: Buffer, signature: Buffer, algorithm: string): boolean
}

const ed25519 = {keyBytes: 32, signatureBytes: 64}

function readEd25519(reader: WireReader): PublicKey {
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

const uncompressedPoint = 4

// `bytes` are those of a coordinate, and of each half of a signature.
const createEcdsaReader =
  (name: string, jwkName: string, hash: string, bytes: number) =>
  (reader: WireReader): PublicKey => {
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
      takeSignature(parts) {
        const halves = new WireReader(parts.takeString())
        const signature = Buffer.concat([padStart(halves.takeInteger(), bytes), padStart(halves.takeInteger(), bytes)])
        halves.finish()
        return signature
      },
      verify: (data, signature) => verify(hash, data, {key, dsaEncoding: 'ieee-p1363'}, signature),
    }
  }

const modulusBitsMin = 2048
// OpenSSH also signs with SHA-1, under the name ssh-rsa. That is refused, as `ssh-keygen -Y verify` does.
const rsaHashes: ReadonlyMap<string, string> = new Map([
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
])

function readRsa(reader: WireReader): PublicKey {
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
    takeSignature: (parts) => padStart(parts.takeString(), modulus.length),
    verify: (data, signature, algorithm) => verify(rsaHashes.get(algorithm), data, key, signature),
  }
}

const readP256 = createEcdsaReader('nistp256', 'P-256', 'sha256', 32)

// Certificates are not among them: they name an authority, not a person. Those that begin with sk- are on hardware.
const keyReaders: ReadonlyMap<string, (reader: WireReader) => PublicKey> = new Map([
  ['ssh-ed25519', readEd25519],
  ['ecdsa-sha2-nistp256', readP256],
  ['ecdsa-sha2-nistp384', createEcdsaReader('nistp384', 'P-384', 'sha384', 48)],
  ['ecdsa-sha2-nistp521', createEcdsaReader('nistp521', 'P-521', 'sha512', 66)],
  ['ssh-rsa', readRsa],
  ['sk-ssh-ed25519@openssh.com', readEd25519],
  ['sk-ecdsa-sha2-nistp256@openssh.com', readP256],
])

const userPresence = 1

// Throws unless `parts` are a signature of `data` by the key of `blob`. Returns the type of the key.
function checkKey(blob: Buffer, parts: WireReader, data: Buffer): string {
  const reader = new WireReader(blob)
  const type = reader.takeText()
  const readKey = keyReaders.get(type)
  requireThat(readKey !== undefined)
  const key = readKey(reader)
  const application = type.startsWith('sk-') ? reader.takeString() : undefined
  reader.finish()
  // Keys are compared as texts, so that each may be written in one way alone.
  const written = [writeString(type), key.fields, ...(application ? [writeString(application)] : [])]
  requireThat(Buffer.concat(written).equals(blob))

  const algorithm = parts.takeText()
  requireThat(type === 'ssh-rsa' ? rsaHashes.has(algorithm) : algorithm === type)
  const signature = key.takeSignature(parts)
  let signed = data
  if (application) {
    // A key on hardware signs the digests of its application and of the data, with its flags and its counter in between.
    const state = parts.takeBytes(1 + 4)
    // Without it, a program could have had the key sign while nobody was there.
    requireThat(((state[0] ?? 0) & userPresence) !== 0)
    signed = Buffer.concat([digestBytes('sha256', application), state, digestBytes('sha256', data)])
  }
  parts.finish()
  requireThat(key.verify(signed, signature, algorithm))
  return type
}

function dearmor(signature: string): Buffer {
  requireThat(signature.length <= signatureLengthMax)
  const text = armorPattern.exec(signature)?.[1]?.replaceAll('\n', '')
  requireThat(text !== undefined)
  const bytes = Buffer.from(text, 'base64')
  requireThat(bytes.toString('base64') === text)
  return bytes
}

// The type and the key that signed it, as parsePublicKey gives them, and its fingerprint.
function readSignature({text, signature}: SignedText, namespace: string) {
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
  const data = Buffer.concat([magic, ...[namespace, '', hash, digestBytes(hash, text)].map(writeString)])
  const type = checkKey(blob, parts, data)
  return {publicKey: `${type} ${blob.toString('base64')}`, fingerprint: describeFingerprint(blob)}
}

// A public key as ssh-keygen prints it and people compare it.
export const describeFingerprint = (blob: Buffer) =>
  `SHA256:${digestBytes('sha256', blob).toString('base64').replaceAll('=', '')}`

// Undefined for anything that is not a good signature of this text in this namespace.
export function checkSshSignature(signed: SignedText, namespace: string): ReturnType<typeof readSignature> | undefined {
  try {
    return readSignature(signed, namespace)
  } catch {
    // The bytes are malformed, the signature does not fit, or OpenSSL rejects the key.
    return undefined
  }
}
