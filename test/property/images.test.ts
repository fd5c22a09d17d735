// Any bytes as a document: they are valid, or have a problem that can be shown, and no damaged header breaks svc.
import {Buffer} from 'node:buffer'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {
  detectFormat,
  documentFormats,
  validateDocumentBytes,
  validateDocumentImage,
} from '../../src/values/documents.ts'
import {dataUri, jpeg, pdf, png} from '../features/values/images.ts'
import {checkInputs, hostileText, hostileWords, longTexts, fromSeed} from './fuzz.ts'

const bytes = 101 * 1024
const images = [png({bytes}), jpeg({bytes}), pdf({bytes})]

// Most changes are in the header, which is what is parsed.
const headerBytes = 64
const change = fc.tuple(
  fc.oneof(fc.nat({max: headerBytes}), fc.nat({max: bytes})),
  fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xd8, 0xd9, 0xda, 0xe1, 0xff), fc.nat({max: 255})),
)
const damaged = fc
  .tuple(fc.constantFrom(...images), fc.array(change, {maxLength: 6}), fc.oneof(fc.constant(0), fc.nat({max: 2000})))
  .map(([image, changes, cut]) => {
    const copy = Buffer.from(image.subarray(0, image.length - cut))
    for (const [at, value] of changes) copy[at % copy.length] = value
    return copy
  })
const beginnings = documentFormats.map(({signature}) => signature)
const made = fc
  .tuple(fc.constantFrom(...beginnings), fc.uint8Array({maxLength: 200}), fc.nat({max: 255}))
  .map(([signature, header, fill]) => Buffer.concat([signature, header, Buffer.alloc(bytes, fill)]))

// Segments and chunks of no length, of the greatest length, and an EXIF segment that points to itself.
const corpus = [
  Buffer.concat([Buffer.from('ffd8ffe00000', 'hex'), Buffer.alloc(bytes)]),
  Buffer.concat([Buffer.from('ffd8ffe0ffff', 'hex'), Buffer.alloc(bytes, 0xff)]),
  Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(bytes, 0xff)]),
  Buffer.concat([
    Buffer.from('ffd8ffe1001445786966000049492a0008000000ffff08000000ffda', 'hex'),
    Buffer.alloc(bytes, 0xff),
    Buffer.from('ffd9', 'hex'),
  ]),
  Buffer.concat([Buffer.from('89504e470d0a1a0affffffff', 'hex'), Buffer.alloc(bytes, 0xff)]),
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(bytes)]),
  Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(bytes, '%%EO')]),
  ...images,
  ...longTexts.map((text) => Buffer.from(`\u0089PNG\r\n\u001A\n${text}`, 'latin1')),
]

describe(`any document ${fromSeed}`, () => {
  it('is valid, or has one problem in a sentence', () =>
    checkInputs(fc.oneof({weight: 3, arbitrary: damaged}, made), {corpus}, (content) => {
      const problem = validateDocumentBytes('a', content)
      if (problem) expect(problem.message.length).toBeLessThan(300)
      else expect(detectFormat(content)).toBeDefined()
    }))

  it('as a data URI is judged as its bytes are', () =>
    checkInputs(damaged, {corpus, share: 0.5}, (content) => {
      const format = detectFormat(content)
      if (!format) return
      const uri = dataUri(content, format.mime)
      expect(validateDocumentImage('a', uri)).toEqual(validateDocumentBytes('a', content))
    }))

  it('as any text is refused', () =>
    checkInputs(
      fc.tuple(
        fc.constantFrom('', 'data:', 'data:image/png;base64,', 'data:image/jpeg;base64,', 'data:;base64,'),
        hostileText,
      ),
      {corpus: [...hostileWords, ...longTexts].map((word): [string, string] => ['data:image/png;base64,', word])},
      ([prefix, text]) => {
        expect(validateDocumentImage('a', prefix + text)?.message).toBeTypeOf('string')
      },
    ))

  it('has a format that depends on its first bytes alone', () =>
    checkInputs(fc.uint8Array({minLength: 64, maxLength: 100}), {}, (content) => {
      const head = Buffer.from(content)
      const longer = Buffer.concat([head, Buffer.alloc(10)])
      expect(detectFormat(longer)?.name).toBe(detectFormat(head)?.name)
    }))
})
