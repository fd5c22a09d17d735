// Document images: which are taken, and what is said of the others.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {limits} from '../../src/contract/limits.ts'
import {validateDocumentImage} from '../../src/validation/document-image.ts'
import {dataUri, documentImage, jpeg, pdf, png} from './images.ts'

const kilobyte = 1024
const wholesome = {bytes: 101 * kilobyte}
const verdict = (uri: string) => validateDocumentImage('documents[0].frontIdImage', uri)?.message

describe('a document image', () => {
  it.each(['png', 'jpeg', 'pdf'] as const)('that is a whole %s of good size is taken', (kind) => {
    expect(verdict(documentImage(kind))).toBeUndefined()
  })

  it('is named by its path when it is refused', () => {
    expect(validateDocumentImage('documents[0].frontIdImage', 'x')).toMatchObject({path: 'documents[0].frontIdImage'})
  })

  it.each([
    ['image/png', png(wholesome), 'image/jpeg', 'says that it is JPEG, and its content is PNG'],
    ['image/jpeg', jpeg(wholesome), 'image/png', 'says that it is PNG, and its content is JPEG'],
    ['application/pdf', pdf(wholesome), 'image/png', 'says that it is PNG, and its content is PDF'],
    [
      'text',
      Buffer.alloc(wholesome.bytes, 'a'),
      'application/pdf',
      'says that it is PDF, and its content is something',
    ],
  ])('whose content is %s must say so', (_, bytes, mime, message) => {
    expect(verdict(dataUri(bytes, mime))).toContain(message)
  })

  it.each(['image/gif', 'image/webp', 'text/html', 'image/svg+xml'])('is refused as %s', (mime) => {
    expect(verdict(dataUri(png(wholesome), mime))).toBe(
      `is ${mime}, and must be one of image/jpeg, image/png, application/pdf`,
    )
  })

  it('may write its type in capital letters', () => {
    expect(verdict(dataUri(png(wholesome), 'IMAGE/PNG'))).toBeUndefined()
  })

  it('has at least 200 pixels in both directions', () => {
    for (const kind of ['png', 'jpeg'] as const) {
      expect(verdict(documentImage(kind, {width: 200, height: 200}))).toBeUndefined()
      expect(verdict(documentImage(kind, {width: 199, height: 200}))).toContain('199x200 pixels')
      expect(verdict(documentImage(kind, {width: 200, height: 199}))).toContain('200x199 pixels')
    }
  })

  it('has from 100 KB to 10 MB, counted as they are once decoded', () => {
    const sized = (bytes: number) => verdict(dataUri(pdf({bytes}), 'application/pdf'))
    expect(sized(99 * kilobyte)).toContain('is too small')
    expect(sized(limits.documentBytesMin - 1)).toContain('is too small')
    expect(sized(limits.documentBytesMin)).toBeUndefined()
    expect(sized(limits.documentBytesMax)).toBeUndefined()
    expect(sized(limits.documentBytesMax + 1)).toContain('is too large')
  })

  it.each([
    ['png', png(wholesome)],
    ['jpeg', jpeg(wholesome)],
    ['pdf', pdf(wholesome)],
  ])('that is a %s cut off anywhere is refused', (kind, bytes) => {
    const mime = kind === 'pdf' ? 'application/pdf' : `image/${kind}`
    // A PDF may lose the line end behind its mark, and no more.
    const slack = kind === 'pdf' ? 1 : 0
    for (const cut of [1, 2, 7, 13, 500]) {
      const verdictOnCut = verdict(dataUri(bytes.subarray(0, bytes.length - cut - slack), mime))
      expect(verdictOnCut, `without its last ${cut} bytes`).toContain('is cut off')
    }
  })

  it.each([
    ['png', png(wholesome)],
    ['jpeg', jpeg(wholesome)],
  ])('that is a %s may have more behind its end, as cameras write it', (kind, bytes) => {
    expect(verdict(dataUri(Buffer.concat([bytes, Buffer.alloc(100)]), `image/${kind}`))).toBeUndefined()
  })

  it('is not taken for whole because its thumbnail is', () => {
    const thumbnail = Buffer.concat([Buffer.from([0xff, 0xe1, 0x00, 0x06]), Buffer.from([0xff, 0xd8, 0xff, 0xd9])])
    const whole = jpeg(wholesome)
    const bytes = Buffer.concat([whole.subarray(0, 2), thumbnail, whole.subarray(2, -2)])
    expect(verdict(dataUri(bytes, 'image/jpeg'))).toContain('is cut off')
  })

  it('is refused where its header lies about it, and does not stop the one who judges', () => {
    const damaged = png(wholesome)
    damaged.write('XXXX', 12, 'latin1')
    expect(verdict(dataUri(damaged, 'image/png'))).toContain('damaged')
  })

  it.each([
    'data:image/png;base64,AAA',
    'data:image/png;base64,A-_A',
    'data:image/png;base64,AA=A',
    'data:image/png;base64,A A=',
  ])('that is not well-formed base64 is refused: %s', (uri) => {
    expect(verdict(uri)).toContain('not well-formed base64')
  })

  it('of any other text is refused, and never makes the check fail', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(verdict(text)).toBeDefined()
      }),
    )
    const uri = fc.tuple(fc.constantFrom('image/png', 'image/jpeg', 'application/pdf'), fc.uint8Array({maxLength: 400}))
    const padded = ([mime, bytes]: [string, Uint8Array]) =>
      dataUri(Buffer.concat([png().subarray(0, 40), bytes, Buffer.alloc(limits.documentBytesMin)]), mime)
    fc.assert(
      fc.property(uri, (made) => {
        expect(verdict(padded(made))).toBeDefined()
      }),
      {numRuns: 30},
    )
  })
})
