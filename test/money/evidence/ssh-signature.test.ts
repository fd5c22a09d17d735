// Signatures of OpenSSH, checked in the process: the same verdict as ssh-keygen gives, for every kind of key and for damage.
import {spawnSync} from 'node:child_process'
import {type KeyObject, generateKeyPairSync, sign} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import {beforeAll, describe, expect, it} from 'vitest'
import {checkSshSignature} from '../../../src/controls/ssh-signature.ts'
import {checkInputs, fromSeed} from '../../property/fuzz.ts'
import {runOpenSsh} from '../../support/approvals.ts'
import {
  type SignatureFields,
  armor,
  digest,
  namespace,
  toNumber,
  toSigned,
  toString,
  writeSignature,
} from '../../support/ssh-signature.ts'

const text = 'svc approval, version 1\nuser: Łucja@laptop\n'

let folder: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  return () => fs.rmSync(folder, {recursive: true})
})

const toInteger = (bytes: Buffer) => {
  const start = bytes.findIndex((byte) => byte !== 0)
  const rest = bytes.subarray(start)
  return toString(((rest[0] ?? 0) & 0x80) === 0 ? rest : Buffer.concat([Buffer.alloc(1), rest]))
}

const dearmor = (signature: string) => Buffer.from(signature.split('\n').slice(1, -2).join(''), 'base64')

function readBlob(signature: string) {
  let rest = dearmor(signature).subarray(6)
  const takeNumber = () => {
    const value = rest.readUInt32BE()
    rest = rest.subarray(4)
    return value
  }
  const takeString = () => {
    const length = takeNumber()
    const value = rest.subarray(0, length)
    rest = rest.subarray(length)
    return value
  }
  return {
    version: takeNumber(),
    key: takeString(),
    namespace: takeString().toString(),
    reserved: takeString().toString(),
    hash: takeString().toString(),
    signature: takeString(),
  }
}

const change = (signature: string, fields: Partial<SignatureFields>) =>
  writeSignature({...readBlob(signature), ...fields})

// What ssh-keygen says of a signature: the fingerprint of its key, or undefined if it refuses it.
function askOpenSsh(signature: string): string | undefined {
  const file = path.join(folder, 'asked.sig')
  fs.writeFileSync(file, signature)
  const args = ['-Y', 'check-novalidate', '-n', namespace, '-s', file]
  const {status, stdout} = spawnSync('ssh-keygen', args, {input: text, encoding: 'utf8'})
  return status === 0 ? /SHA256:\S+/.exec(stdout)?.[0] : undefined
}

// Whether ssh-keygen takes it as a signature of somebody who has this key.
function verifyWithOpenSsh(signature: string, publicKey: string): boolean {
  const [file, signers] = [path.join(folder, 'verified.sig'), path.join(folder, 'allowed_signers')]
  fs.writeFileSync(file, signature)
  fs.writeFileSync(signers, `alice@example.com ${publicKey}\n`)
  const args = ['-Y', 'verify', '-n', namespace, '-I', 'alice@example.com', '-s', file, '-f', signers]
  return spawnSync('ssh-keygen', args, {input: text}).status === 0
}

interface Example {
  publicKey: string
  signature: string
}

const signWith = (file: string, ...options: string[]) =>
  runOpenSsh(['-Y', 'sign', '-q', '-n', namespace, '-f', file, ...options], text)

function createWithOpenSsh(name: string, ...args: string[]): Example {
  const file = path.join(folder, name)
  runOpenSsh(['-q', '-N', '', '-C', 'test', '-f', file, ...args])
  const publicKey = fs.readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
  return {publicKey, signature: signWith(file)}
}

const application = 'ssh:'
const decode = (value: string | undefined) => Buffer.from(value ?? '', 'base64url')

// A key on hardware that does what OpenSSH's do, with these flags.
interface HardwareKey {
  type: string
  blob: Buffer
  sign: (data: Buffer) => Buffer
}

function createHardwareEd25519(): HardwareKey {
  const type = 'sk-ssh-ed25519@openssh.com'
  const {publicKey, privateKey} = generateKeyPairSync('ed25519')
  const point = decode(publicKey.export({format: 'jwk'}).x)
  const blob = Buffer.concat([type, point, application].map((field) => toString(field)))
  return {type, blob, sign: (data) => toString(sign(null, data, privateKey))}
}

const signEcdsa = (key: KeyObject, data: Buffer): Buffer => {
  const halves = sign('sha256', data, {key, dsaEncoding: 'ieee-p1363'})
  return toString(Buffer.concat([toInteger(halves.subarray(0, 32)), toInteger(halves.subarray(32))]))
}

function createHardwareEcdsa(): HardwareKey {
  const type = 'sk-ecdsa-sha2-nistp256@openssh.com'
  const {publicKey, privateKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'})
  const {x, y} = publicKey.export({format: 'jwk'})
  const point = Buffer.concat([Buffer.from([4]), decode(x), decode(y)])
  const blob = Buffer.concat([type, 'nistp256', point, application].map((field) => toString(field)))
  return {type, blob, sign: (data) => signEcdsa(privateKey, data)}
}

function signOnHardware({type, blob, sign: signData}: HardwareKey, flags = 1): Example {
  const state = Buffer.concat([Buffer.from([flags]), toNumber(77)])
  const data = Buffer.concat([digest('sha256', application), state, digest('sha256', toSigned(text))])
  const signature = Buffer.concat([toString(type), signData(data), state])
  return {publicKey: `${type} ${blob.toString('base64')}`, signature: writeSignature({key: blob, signature})}
}

const examples: Record<string, Example> = {}
const kinds = ['ed25519', 'ecdsa-256', 'ecdsa-384', 'ecdsa-521', 'rsa-2048', 'hardware-ed25519', 'hardware-ecdsa']

beforeAll(() => {
  examples['ed25519'] = createWithOpenSsh('ed25519', '-t', 'ed25519')
  for (const bits of ['256', '384', '521']) {
    examples[`ecdsa-${bits}`] = createWithOpenSsh(`ecdsa-${bits}`, '-t', 'ecdsa', '-b', bits)
  }
  examples['rsa-2048'] = createWithOpenSsh('rsa-2048', '-t', 'rsa', '-b', '2048')
  examples['hardware-ed25519'] = signOnHardware(createHardwareEd25519())
  examples['hardware-ecdsa'] = signOnHardware(createHardwareEcdsa())
})

const getExample = (kind: string): Example => {
  const example = examples[kind]
  if (!example) throw new Error(`no example of ${kind}`)
  return example
}

const check = (signature: string, {signed = text, name = namespace} = {}) =>
  checkSshSignature({text: signed, signature}, name)

// The readers of these are those of shorter keys, which are damaged everywhere. Longer keys take long to refuse.
const isDamagedInPart = (kind: string) => ['ecdsa-384', 'ecdsa-521'].includes(kind)

describe.each(kinds)('a signature of a key of the kind %s', (kind) => {
  it('is good, with the key and the fingerprint that ssh-keygen names, for this text and namespace alone', () => {
    const {publicKey, signature} = getExample(kind)
    expect(verifyWithOpenSsh(signature, publicKey)).toBe(true)
    expect(check(signature)).toEqual({publicKey, fingerprint: askOpenSsh(signature)})
    for (const signed of [`${text} `, '']) expect(check(signature, {signed})).toBeUndefined()
    for (const name of ['svc-journal', 'svc-approva', 'svc-approval\0', '', 'file']) {
      expect(check(signature, {name})).toBeUndefined()
    }
  })

  it('is not good with any byte of it flipped, missing, doubled or behind it, or without its end', () => {
    const blob = dearmor(getExample(kind).signature)
    for (let index = 0; index < blob.length; index += isDamagedInPart(kind) ? 9 : 1) {
      const [before, byte, after] = [blob.subarray(0, index), blob.subarray(index, index + 1), blob.subarray(index + 1)]
      const flipped = Buffer.from([(byte[0] ?? 0) ^ (index % 2 === 0 ? 0x01 : 0x80)])
      for (const [name, parts] of Object.entries({
        flipped: [before, flipped, after],
        missing: [before, after],
        doubled: [before, byte, byte, after],
        end: [before],
      })) {
        expect(check(armor(Buffer.concat(parts))), `byte ${index} ${name}`).toBeUndefined()
      }
    }
    expect(check(armor(Buffer.concat([blob, Buffer.alloc(1)])))).toBeUndefined()
  })

  it('is not good with a signature or a key of another kind in it', () => {
    const {signature} = getExample(kind)
    for (const other of kinds.filter((name) => name !== kind)) {
      const {key, signature: foreign} = readBlob(getExample(other).signature)
      expect(check(change(signature, {key}))).toBeUndefined()
      expect(check(change(signature, {signature: foreign}))).toBeUndefined()
    }
  })
})

it(`gets the verdict of ssh-keygen whatever the damage, ${fromSeed}`, async () => {
  const damage = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.nat(10_000),
    removed: fc.nat(4),
    inserted: fc.uint8Array({maxLength: 4}),
  })
  const corpus = [{kind: 'ed25519', at: 0, removed: 0, inserted: new Uint8Array()}]
  await checkInputs(damage, {corpus}, ({kind, at, removed, inserted}) => {
    const blob = dearmor(getExample(kind).signature)
    const start = at % blob.length
    const damaged = Buffer.concat([blob.subarray(0, start), inserted, blob.subarray(start + removed)])
    // OpenSSH also takes the version 0, which no signature covers.
    if (damaged.length >= 10 && damaged.readUInt32BE(6) === 0) return
    expect(check(armor(damaged))?.fingerprint).toBe(askOpenSsh(armor(damaged)))
  })
})

describe('the hash of the text', () => {
  it('may be SHA-256 or SHA-512', () => {
    for (const hash of ['sha256', 'sha512']) {
      const signature = signWith(path.join(folder, 'ed25519'), '-O', `hashalg=${hash}`)
      expect(readBlob(signature).hash).toBe(hash)
      expect(check(signature)).toBeDefined()
    }
  })

  // Signed by the right key over that very hash, so that only its name speaks against it.
  it.each(['sha1', 'md5', 'sha384', 'SHA512', 'sha512-256', 'constructor', ''])('may not be %j', (hash) => {
    const {publicKey, privateKey} = generateKeyPairSync('ed25519')
    const key = Buffer.concat([toString('ssh-ed25519'), toString(decode(publicKey.export({format: 'jwk'}).x))])
    const known = ['sha1', 'md5', 'sha384', 'sha512-256'].includes(hash) ? hash : 'sha512'
    const signature = Buffer.concat([
      toString('ssh-ed25519'),
      toString(sign(null, toSigned(text, hash, known), privateKey)),
    ])
    expect(check(writeSignature({key, hash, signature}))).toBeUndefined()
  })
})

describe('what OpenSSH takes although the signature does not cover it', () => {
  it.each([
    ['a version before the first', {version: 0}],
    ['something in the reserved field', {reserved: 'approved by bob'}],
    ['a zero behind the namespace', {namespace: `${namespace}\0`}],
    ['a zero behind the hash', {hash: 'sha512\0'}],
  ])('is refused: %s', (_, fields) => {
    const damaged = change(getExample('ed25519').signature, fields)
    expect(askOpenSsh(damaged)).toBeDefined()
    expect(check(damaged)).toBeUndefined()
  })

  it('is refused: a key that is written with zeros before its numbers', () => {
    const {signature} = getExample('rsa-2048')
    const {key} = readBlob(signature)
    const type = toString('ssh-rsa')
    const exponent = key.subarray(type.length + 4, type.length + 7)
    const rest = key.subarray(type.length + 7)
    const padded = Buffer.concat([type, toString(Buffer.concat([Buffer.alloc(1), exponent])), rest])
    const damaged = change(signature, {key: padded})
    expect(askOpenSsh(damaged)).toBeDefined()
    expect(check(damaged)).toBeUndefined()
  })

  it('is refused: lines around the armor, and base64 that is written otherwise', () => {
    const {signature} = getExample('ed25519')
    for (const spelling of [`${signature}approved by bob\n`, signature.replace('\n', '\n ')]) {
      expect(askOpenSsh(spelling)).toBeDefined()
      expect(check(spelling)).toBeUndefined()
    }
    for (const spelling of [
      ` ${signature}`,
      signature.replaceAll('\n', '\r\n'),
      `\n${signature}`,
      signature.replace('BEGIN SSH', 'BEGIN PGP'),
      signature.replace('\n-----END', '-----END'),
      signature.replace('U1NIU0lH', 'U1NIU0lH===='),
      signature.replace('U1NIU0lH', 'U1NIU0l_'),
      '',
      '-----BEGIN SSH SIGNATURE-----\n\n-----END SSH SIGNATURE-----\n',
      'x'.repeat(20_000),
    ]) {
      expect(check(spelling)).toBeUndefined()
    }
  })
})

describe('RSA', () => {
  // It takes long to make one.
  const pair = generateKeyPairSync('rsa', {modulusLength: 2048})

  function signRsa(algorithm: string, hash: string, {publicKey, privateKey} = pair): Example {
    const {n, e} = publicKey.export({format: 'jwk'})
    const key = Buffer.concat([toString('ssh-rsa'), toInteger(decode(e)), toInteger(decode(n))])
    const signature = Buffer.concat([toString(algorithm), toString(sign(hash, toSigned(text), privateKey))])
    return {publicKey: `ssh-rsa ${key.toString('base64')}`, signature: writeSignature({key, signature})}
  }

  it('is good with SHA-256 and SHA-512', () => {
    for (const [algorithm, hash] of [
      ['rsa-sha2-256', 'sha256'],
      ['rsa-sha2-512', 'sha512'],
    ] as const) {
      const {publicKey, signature} = signRsa(algorithm, hash)
      expect(check(signature)).toEqual({publicKey, fingerprint: askOpenSsh(signature)})
    }
  })

  it('is never good with SHA-1', () => {
    const {publicKey, signature} = signRsa('ssh-rsa', 'sha1')
    expect(verifyWithOpenSsh(signature, publicKey)).toBe(false)
    expect(check(signature)).toBeUndefined()
    expect(check(signRsa('rsa-sha2-256', 'sha1').signature)).toBeUndefined()
  })

  // OpenSSH takes 1024 bits.
  it.each([1024, 2047])('is not good with a key of %i bits', (modulusLength) => {
    const weak = generateKeyPairSync('rsa', {modulusLength})
    expect(check(signRsa('rsa-sha2-512', 'sha512', weak).signature)).toBeUndefined()
  })

  it('is not good with an exponent that lets everybody sign', () => {
    const {signature} = getExample('rsa-2048')
    const {key} = readBlob(signature)
    const type = toString('ssh-rsa')
    const modulus = key.subarray(type.length + 4 + 3)
    for (const exponent of [1, 2, 65_536]) {
      const bytes = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex')
      const weak = Buffer.concat([type, toInteger(bytes), modulus])
      const length = modulus.readUInt32BE() - 1
      // With the exponent 1, the padded digest is its own signature.
      const info = Buffer.from('3051300d060960864801650304020305000440', 'hex')
      const tail = Buffer.concat([Buffer.alloc(1), info, digest('sha512', toSigned(text))])
      const padded = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(length - 2 - tail.length, 0xff), tail])
      const forged = Buffer.concat([toString('rsa-sha2-512'), toString(padded)])
      expect(check(change(signature, {key: weak, signature: forged}))).toBeUndefined()
    }
  })
})

it.each([
  ['ed25519', createHardwareEd25519],
  ['ecdsa', createHardwareEcdsa],
])('a key on hardware has to be touched: %s', (_, create) => {
  const key = create()
  // Bit 0 is presence, bit 2 verification by a PIN or a finger.
  for (const flags of [0x01, 0x05]) {
    const {publicKey, signature} = signOnHardware(key, flags)
    expect(check(signature)).toEqual({publicKey, fingerprint: askOpenSsh(signature)})
  }
  // ssh-keygen takes these.
  for (const flags of [0x00, 0x04, 0xfe]) expect(check(signOnHardware(key, flags).signature)).toBeUndefined()
})

it('refuses certificates and kinds of keys that it does not know', () => {
  const {signature, publicKey} = getExample('ed25519')
  const key = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')
  const point = key.subarray(4 + 'ssh-ed25519'.length)
  for (const type of ['ssh-ed25519-cert-v01@openssh.com', 'ssh-dss', 'ssh-ed448', 'constructor', '', 'ssh-ed25519\0']) {
    expect(check(change(signature, {key: Buffer.concat([toString(type), point])}))).toBeUndefined()
  }
  const certified = path.join(folder, 'certified')
  const authority = path.join(folder, 'authority')
  for (const file of [certified, authority]) runOpenSsh(['-q', '-t', 'ed25519', '-N', '', '-f', file])
  runOpenSsh(['-q', '-s', authority, '-I', 'alice', '-n', 'alice@example.com', `${certified}.pub`])
  const [type = '', body = ''] = fs.readFileSync(`${certified}-cert.pub`, 'utf8').split(' ')
  expect(type).toBe('ssh-ed25519-cert-v01@openssh.com')
  const own = signWith(certified)
  expect(check(own)).toBeDefined()
  const certificate = change(own, {key: Buffer.from(body, 'base64')})
  expect(askOpenSsh(certificate)).toBeDefined()
  expect(check(certificate)).toBeUndefined()
})
