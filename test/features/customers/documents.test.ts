// Documents from files: which are read, which are rejected, and with which message.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {limits} from '../../../src/contract/vocabulary.ts'
import {attachDocuments, resolveDocumentPath} from '../../../src/customers/documents.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {documentImage, jpeg, pdf, png} from '../values/images.ts'

const kilobyte = 1024
const gigabyte = 1024 ** 3
const validSize = {bytes: 120 * kilobyte}

function writeFile(content: Buffer | string, name = 'paper.jpg'): string {
  const file = path.join(temporaryFolder(), name)
  fs.writeFileSync(file, content)
  return file
}

// The data URI that is attached for a file, or what is wrong with it.
async function read(file: string): Promise<string> {
  const {body, problems} = await attachDocuments({documents: [{frontIdImage: file}]})
  const [problem] = problems
  if (!problem) return body.documents[0]?.frontIdImage ?? ''
  expect(problem.path).toBe('documents[0].frontIdImage')
  return problem.message.replace(file, 'FILE')
}

const brand = (name: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${name}`), Buffer.alloc(validSize.bytes)])

const pipe = () => {
  const file = path.join(temporaryFolder(), 'pipe.jpg')
  execFileSync('mkfifo', [file])
  return file
}

const loop = () => {
  const file = path.join(temporaryFolder(), 'loop.jpg')
  fs.symlinkSync(file, file)
  return file
}

describe('a document file', () => {
  it.each([
    ['image/png', png(validSize)],
    ['image/jpeg', jpeg(validSize)],
    ['application/pdf', pdf(validSize)],
  ])('becomes a data URI of %s by its content, not by its name', async (mime, bytes) => {
    for (const name of ['paper.heic', 'paper']) {
      expect(await read(writeFile(bytes, name))).toBe(`data:${mime};base64,${bytes.toString('base64')}`)
    }
  })

  it.each([
    ['HEIC', () => writeFile(brand('heic')), 'is HEIC, and must be JPG, PNG or PDF: save or export it as JPG'],
    ['a video', () => writeFile(brand('qt  ')), 'is not a JPG, PNG or PDF file, whatever its name says'],
    ['text', () => writeFile('not a picture'), 'is not a JPG, PNG or PDF file, whatever its name says'],
    ['nothing in it', () => writeFile(''), 'is empty'],
    ['too few bytes', () => writeFile(png()), 'is too small: '],
    ['too few pixels', () => writeFile(png({width: 150, ...validSize})), 'has 150x200 pixels'],
    ['no end', () => writeFile(jpeg(validSize).subarray(0, -2)), 'is incomplete'],
    ['a byte too many', () => writeFile(pdf({bytes: limits.documentBytesMax + 1})), 'is too large: 10485761 bytes'],
    ['a folder in its place', () => temporaryFolder(), 'is a folder'],
    ['a pipe in its place', pipe, 'is not a regular file'],
    ['a device in its place', () => '/dev/zero', 'is not a regular file'],
    ['no file in its place', () => path.join(temporaryFolder(), 'none.jpg'), 'does not exist'],
    ['a link to itself', loop, 'cannot be read (ELOOP)'],
    ['a name that no file has', () => `${temporaryFolder()}/a\0b`, 'cannot be read'],
  ])('with %s is rejected', async (_, create, message) => {
    expect(await read(create())).toContain(`names FILE, which ${message}`)
  })

  it('may have the maximum size, and one of five gigabytes is rejected without being read', async () => {
    expect(await read(writeFile(pdf({bytes: limits.documentBytesMax})))).toMatch(/^data:application\/pdf/)
    const file = writeFile(pdf(validSize))
    fs.truncateSync(file, 5 * gigabyte)
    const before = process.memoryUsage().arrayBuffers
    expect(await read(file)).toContain('is too large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(limits.documentBytesMax)
  })

  it.each([
    ['', 'is empty'],
    ['https://example.com/a.jpg', 'is a URL, and svc reads only files'],
    ['iVBORw0KGgo'.repeat(1000), 'is neither a path nor a data URI: base64 needs data:<mime-type>;base64, in front'],
  ])('cannot be named %.30s', async (text, message) => {
    const said = await read(text)
    expect(said).toContain(message)
    expect(said).not.toContain('iVBORw0KGgo')
  })

  it.each([
    ['../a b.jpg', '/data/a b.jpg'],
    ['/x/a.jpg', '/x/a.jpg'],
    ['~/a.jpg', path.join(os.homedir(), 'a.jpg')],
    ['~ada/a.jpg', '/data/kyc/~ada/a.jpg'],
    ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
    ['https://example.com/a.jpg', 'https://example.com/a.jpg'],
  ])('named %s is relative to its folder: %s', (text, expected) => {
    expect(resolveDocumentPath(text, '/data/kyc')).toBe(expected)
  })
})

describe('the documents of a body', () => {
  it('are attached at any depth, and other fields are not changed', async () => {
    const bytes = png(validSize)
    const file = writeFile(bytes)
    const uri = `data:image/png;base64,${bytes.toString('base64')}`
    const body = {
      kybData: {
        businessDocuments: [{type: 'X', documentImage: file}],
        associatedPersons: [{documents: [{frontIdImage: 'data:image/png;base64,AAAA', description: './a.jpg'}]}],
      },
      kycData: {documents: [{backIdImage: file, proofOfAddressImage: 12}]},
    }
    const {body: whole, problems} = await attachDocuments(body)
    expect(problems).toEqual([])
    expect(whole).toEqual({
      kybData: {...body.kybData, businessDocuments: [{type: 'X', documentImage: uri}]},
      kycData: {documents: [{backIdImage: uri, proofOfAddressImage: 12}]},
    })
  })

  it('are not all kept in memory if they exceed the size of a request', async () => {
    const file = writeFile(pdf({bytes: limits.documentBytesMax}))
    const missing = path.join(path.dirname(file), 'none.jpg')
    const documents = [...Array.from({length: 8}, () => ({frontIdImage: file})), {frontIdImage: missing}]
    const {body: whole, problems} = await attachDocuments({documents})
    expect(whole.documents.filter(({frontIdImage}) => frontIdImage !== undefined)).toHaveLength(7)
    expect(problems.map(({path: where}) => where)).toEqual(['documents[8].frontIdImage', ''])
  })

  it('may make the body too large by one byte', async () => {
    const large = documentImage('pdf', {bytes: limits.documentBytesMax})
    const createBody = (description: string) => ({
      kycData: {documents: [...Array.from({length: 7}, () => ({frontIdImage: large})), {description}]},
    })
    const bytesLeft = limits.requestBytesMax - Buffer.byteLength(JSON.stringify(createBody('')))
    // A letter of two bytes and an escaped quote: the size is measured in bytes, not in characters.
    const filling = `é"${'a'.repeat(bytesLeft - 4)}`
    expect((await attachDocuments(createBody(filling))).problems).toEqual([])
    expect((await attachDocuments(createBody(`${filling}a`))).problems).toEqual([
      {path: '', message: 'is larger than 100 MB once its documents are encoded: send smaller documents, or fewer'},
    ])
  })
})
