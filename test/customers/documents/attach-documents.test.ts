// Documents from files: which are read, which are rejected, and with which message.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {limits} from '../../../src/contract/vocabulary.ts'
import {attachDocuments, readDocumentUri} from '../../../src/customers/documents/document-file.ts'
import {resolveDocumentPath} from '../../../src/customers/documents/document-fields.ts'
import {jpeg, pdf, png} from '../../values/images.ts'
import {temporaryFolder} from '../../support/svc.ts'

const kilobyte = 1024
const gigabyte = 1024 ** 3
const field = 'kycData.documents[0].frontIdImage'
const validSize = {bytes: 120 * kilobyte}

function writeFile(content: Buffer | string, name = 'paper.jpg'): string {
  const file = path.join(temporaryFolder(), name)
  fs.writeFileSync(file, content)
  return file
}

async function readProblem(file: string): Promise<string> {
  const read = await readDocumentUri(field, file)
  if ('uri' in read) return read.uri.slice(0, 'data:application/pdf'.length)
  expect(read.problem.path).toBe(field)
  return read.problem.message.replace(file, 'FILE')
}

describe('a document file', () => {
  it.each([
    ['image/png', png(validSize)],
    ['image/jpeg', jpeg(validSize)],
    ['application/pdf', pdf(validSize)],
  ])('becomes a data URI of %s by its content, not by its name', async (mime, bytes) => {
    for (const name of ['paper.heic', 'paper', 'paper.pdf']) {
      expect(await readDocumentUri(field, writeFile(bytes, name))).toEqual({
        uri: `data:${mime};base64,${bytes.toString('base64')}`,
      })
    }
  })

  const brand = (name: string) => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${name}`)])
  it.each([
    ['HEIC', brand('heic')],
    ['HEIC', brand('mif1')],
  ])('that is %s is rejected with what to do', async (name, head) => {
    const content = Buffer.concat([head, Buffer.alloc(validSize.bytes)])
    expect(await readProblem(writeFile(content))).toBe(
      `names FILE, which is ${name}, and must be JPG, PNG or PDF: save or export it as JPG, not as a screenshot`,
    )
  })

  it.each([
    ['a video', brand('qt  '), 'is not a JPG, PNG or PDF file, whatever its name says'],
    ['text', 'not a picture at all', 'is not a JPG, PNG or PDF file, whatever its name says'],
    ['nothing', '', 'is empty'],
    ['too few bytes', png(), 'is too small: '],
    ['too few pixels', png({width: 150, ...validSize}), 'has 150x200 pixels'],
    ['no end', jpeg(validSize).subarray(0, -2), 'is incomplete'],
  ])('with %s is rejected', async (_, content, message) => {
    expect(await readProblem(writeFile(content))).toContain(`names FILE, which ${message}`)
  })

  it('may have the maximum size, and not a byte more', async () => {
    expect(await readProblem(writeFile(pdf({bytes: limits.documentBytesMax})))).toBe('data:application/pdf')
    expect(await readProblem(writeFile(pdf({bytes: limits.documentBytesMax + 1})))).toContain(
      'is too large: 10485761 bytes',
    )
  })

  it('of five gigabytes is rejected without being read', async () => {
    const file = writeFile(pdf(validSize))
    fs.truncateSync(file, 5 * gigabyte)
    const before = process.memoryUsage().arrayBuffers
    expect(await readProblem(file)).toContain('is too large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(limits.documentBytesMax)
  })

  it('must be a regular file: a folder, a pipe and a device are rejected without waiting', async () => {
    const folder = temporaryFolder()
    const pipe = path.join(folder, 'pipe.jpg')
    execFileSync('mkfifo', [pipe])
    expect(await readProblem(folder)).toBe('names FILE, which is a folder')
    expect(await readProblem(pipe)).toBe('names FILE, which is not a regular file')
    expect(await readProblem('/dev/zero')).toBe('names FILE, which is not a regular file')
  })

  it('must exist and be readable', async () => {
    const folder = temporaryFolder()
    expect(await readProblem(path.join(folder, 'none.jpg'))).toBe('names FILE, which does not exist')
    const loop = path.join(folder, 'loop.jpg')
    fs.symlinkSync(loop, loop)
    expect(await readProblem(loop)).toBe('names FILE, which is a symbolic link to itself')
    expect(await readProblem(`${folder}/a\0b`)).toContain('cannot be read')
  })
})

describe('the path of a document', () => {
  it.each([
    ['./a.jpg', '/data/kyc/a.jpg'],
    ['../a.jpg', '/data/a.jpg'],
    ['a b.jpg', '/data/kyc/a b.jpg'],
    ['/x/a.jpg', '/x/a.jpg'],
    ['~/a.jpg', path.join(os.homedir(), 'a.jpg')],
    ['~', os.homedir()],
    ['~ada/a.jpg', '/data/kyc/~ada/a.jpg'],
    ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
    ['https://example.com/a.jpg', 'https://example.com/a.jpg'],
    ['', ''],
  ])('%s is relative to its folder: %s', (text, expected) => {
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
    const {body: whole, bodyWithoutFiles: bare, problems} = await attachDocuments(body)
    expect(problems).toEqual([])
    expect(whole).toEqual({
      kybData: {...body.kybData, businessDocuments: [{type: 'X', documentImage: uri}]},
      kycData: {documents: [{backIdImage: uri, proofOfAddressImage: 12}]},
    })
    expect(JSON.stringify(bare)).not.toContain(uri)
  })

  it.each([
    ['', 'is empty'],
    ['https://example.com/a.jpg', 'is a URL, and svc reads only files'],
    ['iVBORw0KGgo'.repeat(1000), 'is neither a path nor a data URI: base64 needs data:<mime-type>;base64, in front'],
  ])('cannot be %.30s', async (text, message) => {
    const {problems} = await attachDocuments({documents: [{frontIdImage: text}]})
    expect(problems).toHaveLength(1)
    expect(problems[0]?.path).toBe('documents[0].frontIdImage')
    expect(problems[0]?.message).toContain(message)
    expect(problems[0]?.message).not.toContain('iVBORw0KGgo')
  })

  it('are not all kept in memory if they exceed the size of a request', async () => {
    const file = writeFile(pdf({bytes: limits.documentBytesMax}))
    const missing = path.join(path.dirname(file), 'none.jpg')
    const documents = [...Array.from({length: 8}, () => ({frontIdImage: file})), {frontIdImage: missing}]
    const {body: whole, problems, isTooLarge: overflows} = await attachDocuments({documents})
    expect(overflows).toBe(true)
    expect(whole.documents.filter(({frontIdImage}) => frontIdImage !== undefined)).toHaveLength(7)
    expect(problems.map(({path: where}) => where)).toEqual(['documents[8].frontIdImage'])
  })
})
