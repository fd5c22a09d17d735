// Creates a certificate authority and a certificate with Node alone, so that the tests need no other program.
import {type KeyObject, generateKeyPairSync, sign} from 'node:crypto'

// The part of DER that a certificate needs: a tag, a length and the content.
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const {length} = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const explicit = (number: number, ...parts: Buffer[]) => der(0xa0 + number, ...parts)
const bitString = (content: Buffer) => der(0x03, Buffer.of(0), content)
const octets = (content: Buffer) => der(0x04, content)
const utcTime = (at: Date) => der(0x17, Buffer.from(at.toISOString().replaceAll(/^20|[-:T]|\.\d+/g, '')))
const booleanTrue = der(0x01, Buffer.of(0xff))

const ids = {
  commonName: '0603550403',
  ecdsaWithSha256: '06082a8648ce3d040302',
  basicConstraints: '0603551d13',
  alternativeNames: '0603551d11',
}
const id = (name: keyof typeof ids) => Buffer.from(ids[name], 'hex')

const encodeName = (text: string) => sequence(der(0x31, sequence(id('commonName'), der(0x0c, Buffer.from(text)))))

const dayMs = 86_400_000

interface Request {
  serial: number
  subject: string
  issuer: string
  key: KeyObject
  signedWith: KeyObject
  // How long it is valid, starting yesterday.
  days: number
  extension: Buffer
}

function certificate({serial, subject, issuer, key, signedWith, days, extension}: Request): string {
  const from = Date.now() - dayMs
  const algorithm = sequence(id('ecdsaWithSha256'))
  const content = sequence(
    explicit(0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(serial)),
    algorithm,
    encodeName(issuer),
    sequence(utcTime(new Date(from)), utcTime(new Date(from + days * dayMs))),
    encodeName(subject),
    key.export({type: 'spki', format: 'der'}),
    explicit(3, sequence(extension)),
  )
  const whole = sequence(content, algorithm, bitString(sign('sha256', content, signedWith)))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

const dnsName = (text: string) => der(0x82, Buffer.from(text))
const ipName = (text: string) => der(0x87, Buffer.from(text.split('.').map(Number)))

export interface Certificates {
  // The certificate of an authority that is not trusted yet.
  root: string
  // A key, and the certificate that the authority signed for it.
  key: string
  cert: string
}

// A company's own authority, and a certificate that it signed for 127.0.0.1 or another name.
export function createCertificates({days = 30, host = '127.0.0.1'} = {}): Certificates {
  const [own, its] = [0, 1].map(() => generateKeyPairSync('ec', {namedCurve: 'P-256'}))
  if (!own || !its) throw new Error('no keys')
  const issuer = 'Test Authority'
  const constraints = sequence(id('basicConstraints'), booleanTrue, octets(sequence(booleanTrue)))
  const names = sequence(id('alternativeNames'), octets(sequence(/^[\d.]+$/.test(host) ? ipName(host) : dnsName(host))))
  const signed = {issuer, signedWith: own.privateKey}
  return {
    root: certificate({...signed, serial: 1, subject: issuer, key: own.publicKey, days: 30, extension: constraints}),
    key: its.privateKey.export({type: 'pkcs8', format: 'pem'}).toString(),
    cert: certificate({...signed, serial: 2, subject: 'A Service', key: its.publicKey, days, extension: names}),
  }
}
