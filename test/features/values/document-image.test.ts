import {describe, expect, it} from 'vitest'
import {limits} from '../../../src/contract/vocabulary.ts'
import {validateDocumentImage} from '../../../src/values/documents.ts'
import {dataUri, documentImage, jpeg, pdf, png} from './images.ts'

const kilobyte = 1024
const validSize = {bytes: 101 * kilobyte}
const validate = (uri: string) => validateDocumentImage('documents[0].frontIdImage', uri)?.message

describe('a document image', () => {
  it.each(['png', 'jpeg', 'pdf'] as const)('that is a complete %s of a valid size is accepted', (kind) => {
    expect(validate(documentImage(kind))).toBeUndefined()
  })

  it.each([
    ['image/jpeg', jpeg(validSize), 'image/png', 'is declared as PNG, but its content is JPEG'],
    ['text', Buffer.alloc(validSize.bytes, 'a'), 'application/pdf', 'is declared as PDF, but its content is something'],
  ])('whose content is %s must be declared as such', (_, bytes, mime, message) => {
    expect(validate(dataUri(bytes, mime))).toContain(message)
  })

  it.each(['image/gif', 'image/svg+xml'])('is rejected as %s', (mime) => {
    expect(validate(dataUri(png(validSize), mime))).toBe(
      `is ${mime}, and must be one of image/jpeg, image/png, application/pdf`,
    )
  })

  it('has at least 200 pixels in both directions', () => {
    for (const kind of ['png', 'jpeg'] as const) {
      expect(validate(documentImage(kind, {width: 200, height: 200}))).toBeUndefined()
      expect(validate(documentImage(kind, {width: 199, height: 200}))).toContain('199x200 pixels')
      expect(validate(documentImage(kind, {width: 200, height: 199}))).toContain('200x199 pixels')
    }
  })

  it('has from 100 KB to 10 MB after decoding', () => {
    const sized = (bytes: number) => validate(dataUri(pdf({bytes}), 'application/pdf'))
    // Only what both readings of KB and MB reject is rejected.
    expect([limits.documentBytesMin, limits.documentBytesMax]).toEqual([100_000, 10 * 1024 * 1024])
    expect(sized(limits.documentBytesMin - 1)).toContain('is too small: 99999 bytes, and at least 100 KB are needed')
    expect(sized(limits.documentBytesMin)).toBeUndefined()
    expect(sized(limits.documentBytesMax)).toBeUndefined()
    expect(sized(limits.documentBytesMax + 1)).toContain('at most 10 MB are allowed')
  })

  it.each([
    ['image/png', png(validSize)],
    ['image/jpeg', jpeg(validSize)],
    ['application/pdf', pdf(validSize)],
  ])('that is %s and truncated is rejected, and may have data after its end', (mime, bytes) => {
    expect(validate(dataUri(Buffer.concat([bytes, Buffer.alloc(100)]), mime))).toBeUndefined()
    // A PDF is still complete without the line end after its end marker.
    const slack = mime.endsWith('pdf') ? 1 : 0
    for (const cut of [1, 2, 7, 13, 500]) {
      const message = validate(dataUri(bytes.subarray(0, bytes.length - cut - slack), mime))
      expect(message, `without its last ${cut} bytes`).toContain('is incomplete')
    }
  })

  it('is not complete because its thumbnail is', () => {
    const thumbnail = Buffer.concat([Buffer.from([0xff, 0xe1, 0x00, 0x06]), Buffer.from([0xff, 0xd8, 0xff, 0xd9])])
    const whole = jpeg(validSize)
    const bytes = Buffer.concat([whole.subarray(0, 2), thumbnail, whole.subarray(2, -2)])
    expect(validate(dataUri(bytes, 'image/jpeg'))).toContain('is incomplete')
  })

  it.each(['AAA', 'A-_A', 'AA=A', 'A A='])('that is not well-formed base64 is rejected: %s', (text) => {
    expect(validate(`data:image/png;base64,${text}`)).toContain('not well-formed base64')
  })
})
