// Converts pictures with the real image library; skipped if it is not installed.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {imageSize} from 'image-size'
import {describe, expect, it} from 'vitest'
import {limits} from '../../../src/contract/vocabulary.ts'
import {type ImageLibrary, convertImage, loadImageLibrary} from '../../../src/customers/documents/convert-image.ts'
import {inspectDocument} from '../../../src/customers/documents/document-file.ts'
import {temporaryFolder} from '../../support/svc.ts'

const library = await loadImageLibrary()

// The part of the library that makes pictures for the tests.
interface Maker {
  webp(): Maker
  tiff(): Maker
  png(how?: {compressionLevel: number}): Maker
  jpeg(how?: {quality: number}): Maker
  withMetadata(how: {orientation: number}): Maker
  toFile(file: string): Promise<unknown>
}

const createNoise = (width: number, height: number) => {
  const noise = {type: 'gaussian', mean: 128, sigma: 40}
  const create = {width, height, channels: 3, background: '#777777', noise}
  return (library as unknown as (how: object) => Maker)({create})
}

const getSize = (image: Buffer) => {
  const {width, height} = imageSize(image)
  return `${width}x${height}`
}

async function convertFile(file: string): Promise<Buffer> {
  expect(await inspectDocument(file)).toMatchObject({isConvertible: true})
  const made = await convertImage(library as ImageLibrary, file)
  if ('problem' in made) expect.fail(made.problem)
  return made.image
}

describe.skipIf(!library)('a conversion (skipped loudly where `sharp` is missing)', () => {
  it.each(['webp', 'tiff'] as const)('makes a JPEG of a %s', async (format) => {
    const file = path.join(temporaryFolder(), 'photo.any')
    await createNoise(500, 400)[format]().toFile(file)
    const image = await convertFile(file)
    expect(image.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
    expect(getSize(image)).toBe('500x400')
  })

  it('shrinks a picture that is too large', async () => {
    const file = path.join(temporaryFolder(), 'scan.png')
    await createNoise(2200, 1800).png({compressionLevel: 0}).toFile(file)
    expect(fs.statSync(file).size).toBeGreaterThan(limits.documentBytesMax)
    expect((await inspectDocument(file)).problem).toContain('is too large')
    expect((await convertFile(file)).length).toBeLessThanOrEqual(limits.documentBytesMax)
  })

  it('rotates a picture according to its EXIF orientation', async () => {
    const file = path.join(temporaryFolder(), 'photo.jpg')
    await createNoise(1000, 700).withMetadata({orientation: 6}).jpeg().toFile(file)
    expect(await inspectDocument(file)).toEqual({isRotated: true, isConvertible: true})
    expect(getSize(await convertFile(file))).toBe('700x1000')
  })

  it('uses the finest settings for a picture whose file would be too small', async () => {
    const file = path.join(temporaryFolder(), 'photo.webp')
    await createNoise(330, 330).webp().toFile(file)
    expect((await convertFile(file)).length).toBeGreaterThanOrEqual(limits.documentBytesMin)
  })

  it('rejects a picture with too few pixels', async () => {
    const file = path.join(temporaryFolder(), 'icon.webp')
    await createNoise(64, 64).webp().toFile(file)
    expect(await convertImage(library as ImageLibrary, file)).toEqual({
      problem: expect.stringMatching(/^was converted, but it is too small/) as string,
    })
  })
})

describe('a file that is not a picture', () => {
  it('is not convertible', async () => {
    const folder = temporaryFolder()
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'x'.repeat(limits.documentBytesMin))
    expect(await inspectDocument(path.join(folder, 'notes.txt'))).toMatchObject({isConvertible: false})
    expect(await inspectDocument(path.join(folder, 'none.jpg'))).toEqual({
      problem: 'does not exist',
      isConvertible: false,
    })
    expect(await inspectDocument(folder)).toEqual({problem: 'is a folder', isConvertible: false})
  })

  it('is not waited for if a pipe took its place', async () => {
    const pipe = path.join(temporaryFolder(), 'photo.heic')
    execFileSync('mkfifo', [pipe])
    expect(await convertImage(library as ImageLibrary, pipe)).toEqual({
      problem: expect.stringContaining('is no longer a regular file') as string,
    })
  })
})
