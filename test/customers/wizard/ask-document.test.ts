// The prompt for a document: path completion, problems with the file, and conversion.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {loadImageLibrary} from '../../../src/customers/documents/convert-image.ts'
import {jpeg, pdf, png} from '../../values/images.ts'
import {answer, choose, keys, waitForText, pressKey} from '../../support/wizard-keys.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, root, temporaryFolder} from '../../support/svc.ts'
import {type Screen, onPty, onTerminal} from '../../support/terminal.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const validSize = {bytes: 120 * kilobyte}
const webp = Buffer.concat([Buffer.from('RIFF\u0010\0\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(validSize.bytes)])

const library = await loadImageLibrary()

// A JPEG with an EXIF orientation of a quarter turn.
function createRotatedJpeg(): Buffer {
  const exif = Buffer.from('4578696600004d4d002a00000008000101120003000000010006000000000000', 'hex')
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  const upright = jpeg(validSize)
  return Buffer.concat([upright.subarray(0, 2), head, exif, upright.subarray(2)])
}

// Runs the wizard up to the prompt for an image, in a folder with these files.
async function openImagePrompt(files: Record<string, Buffer>, program?: string) {
  const home = freshHome()
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home.folder, name)), {recursive: true})
    fs.writeFileSync(path.join(home.folder, name), content)
  }
  const service = await serve((_, response) =>
    reply(response, 200, customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', customerType: 'BUSINESS'})),
  )
  const args = ['customers', 'update', customerId(1)]
  const {env} = service
  const screen = program ? onPty(home, args, {env, program}) : onTerminal(home, args, {env})
  await waitForText(screen, '? Which parts do you want to enter?')
  screen.type('documents')
  await waitForText(screen, '❯ [ ] Documents of the business')
  screen.type(' \r')
  await answer(screen, 'Kind of business document')
  await answer(screen, 'Notes about the document:')
  await waitForText(screen, '? Image of the document:')
  return {home, screen, service}
}

async function sendTheRest(screen: Screen): Promise<void> {
  await answer(screen, 'Add another business document?', 'n')
  await answer(screen, 'What now?')
  expect(await screen.ended).toBe(0)
}

const readSentImage = (body: string) =>
  (json(body) as {kybData: {businessDocuments: Array<{documentImage: string}>}}).kybData.businessDocuments[0]
    ?.documentImage ?? ''

describe('the path of a document', () => {
  it('is completed by Tab as far as it is unambiguous, also from the home folder', async () => {
    const {screen, service} = await openImagePrompt({
      'papers/articles-of-may.pdf': pdf(validSize),
      'papers/articles.txt': webp,
    })
    screen.type('~/pap\t')
    await waitForText(screen, 'Image of the document: ~/papers/')
    screen.type('a\t')
    await waitForText(screen, 'Image of the document: ~/papers/articles')
    screen.type('-\t')
    await waitForText(screen, 'Image of the document: ~/papers/articles-of-may.pdf')
    screen.type(keys.enter)
    await sendTheRest(screen)
    expect(readSentImage(service.requests.at(-1)?.body ?? '')).toMatch(/^data:application\/pdf;base64,/)
  })

  it('may be quoted, as when a file is dragged into the terminal', async () => {
    const {screen, service} = await openImagePrompt({'my papers.pdf': pdf(validSize)})
    screen.type("'my papers.pdf'\r")
    await sendTheRest(screen)
    expect(readSentImage(service.requests.at(-1)?.body ?? '')).toMatch(/^data:application\/pdf/)
  })
})

describe('an image that is left out', () => {
  it('is said to be skipped, with how to add it, and can be added before sending', async () => {
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'visa.pdf'), pdf(validSize))
    const service = await serve((_, response) =>
      reply(response, 200, customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})),
    )
    const screen = onTerminal(home, ['customers', 'update', customerId(1)], {env: service.env})
    await waitForText(screen, '? Which parts do you want to enter?')
    screen.type('documents')
    await waitForText(screen, '❯ [ ] Documents')
    screen.type(' \r')
    await answer(screen, 'Kind of document')
    await choose(screen, 'Which document', 'other', 'other (type it)')
    await answer(screen, 'Which document:', 'VISA')
    await choose(screen, 'Country that issued it', 'Norway', 'Norway (NO)')
    await answer(screen, 'Number on the document:', 'X0090817')
    await answer(screen, 'Issued on:', '2021-03-04')
    await answer(screen, 'Valid until:', '2031-03-03')
    await answer(screen, 'Image of the front:', 'visa.pdf')
    await waitForText(screen, '? Image of the back:')
    screen.type(keys.enter)
    await waitForText(screen, '✔ Image of the back: (skipped; “Change an answer” adds it before you send)')
    await answer(screen, 'Notes about the document:')
    await answer(screen, 'Add another document?', 'n')
    await choose(screen, 'What now?', 'change', 'Change an answer')
    await choose(screen, 'Which answer?', 'back', 'Document 1: Image of the back')
    await answer(screen, 'Image of the back:', 'visa.pdf')
    await choose(screen, 'What now?', 'send it', 'Send it for verification')
    expect(await screen.ended).toBe(0)
    const {kycData} = json(service.requests.at(-1)?.body ?? '') as {kycData: {documents: Array<Record<string, string>>}}
    expect(kycData.documents[0]?.['backIdImage']).toMatch(/^data:application\/pdf/)
    // The line for another kind is not filled in with the suggestion.
    expect(kycData.documents[0]?.['subtype']).toBe('VISA')
  })
})

describe('a document that is not accepted', () => {
  it('is rejected with what to do, and asked for again', async () => {
    const {screen} = await openImagePrompt({
      'small.png': png(),
      'narrow.png': png({width: 150, ...validSize}),
      'cut.jpg': jpeg(validSize).subarray(0, -2),
      'large.pdf': pdf({bytes: 11 * megabyte}),
      'notes.txt': Buffer.alloc(validSize.bytes, 'x'),
    })
    const problems = [
      ['none.png', 'There is no such file', 'check the path; Tab completes it'],
      ['./', 'It is a folder', 'name a file in it; Tab completes it'],
      ['small.png', 'It is too small', 'at least 100 KB are needed: scan or photograph it again with more detail'],
      ['narrow.png', 'It has 150x200 pixels', 'at least 200x200 are needed: scan or photograph it again from closer'],
      ['cut.jpg', 'It is incomplete', 'the end of the file is missing, so copy it again'],
      ['large.pdf', 'It is too large', 'at most 10 MB are allowed: save it again at a lower resolution'],
      ['notes.txt', 'It is not a JPG, PNG or PDF file, whatever its name says', 'save or export it as one of them'],
    ]
    for (const [name, problem, advice = ''] of problems) {
      screen.type(`${keys.clear}${name}\r`)
      await waitForText(screen, `> ${problem}`)
      await waitForText(screen, advice)
    }
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('is not converted without the image library, and the message says so', async () => {
    // A copy of svc without node_modules.
    const copy = temporaryFolder()
    for (const part of ['bin', 'dist']) fs.cpSync(path.join(root, part), path.join(copy, part), {recursive: true})
    fs.copyFileSync(path.join(root, 'package.json'), path.join(copy, 'package.json'))
    const program = path.join(copy, 'bin/run.js')
    const {screen, service} = await openImagePrompt({'photo.webp': webp, 'rotated.jpg': createRotatedJpeg()}, program)
    screen.type('photo.webp\r')
    await waitForText(screen, '> It is WEBP, and must be JPG, PNG or PDF')
    await waitForText(screen, 'optional image library is installed, and it is not: export the picture as JPG')
    screen.type(`${keys.clear}rotated.jpg\r`)
    await waitForText(screen, 'The picture is rotated')
    await answer(screen, 'Use it as it is?')
    await sendTheRest(screen)
    expect(readSentImage(service.requests.at(-1)?.body ?? '')).toBe(
      `data:image/jpeg;base64,${createRotatedJpeg().toString('base64')}`,
    )
  })
})

describe.skipIf(!library)(
  'a picture that the image library can convert (skipped loudly where `sharp` is missing)',
  () => {
    // A picture with validSize detail for the minimum size.
    const photo = () => {
      const noise = {type: 'gaussian', mean: 128, sigma: 40}
      const create = {width: 600, height: 500, channels: 3, background: '#777777', noise}
      const sharp = library as unknown as (how: object) => {webp(): {toBuffer(): Promise<Buffer>}}
      return sharp({create}).webp().toBuffer()
    }

    it('is converted after a yes; the draft and the screen name the original file', async () => {
      const {home, screen, service} = await openImagePrompt({'photo.webp': await photo()})
      screen.type('photo.webp\r')
      await answer(screen, 'Convert it to an accepted JPG?', 'n')
      await waitForText(screen, '? Image of the document: photo.webp')
      screen.type(keys.enter)
      await answer(screen, 'Convert it to an accepted JPG?', 'y')
      await pressKey(screen, 'Add another business document?', keys.save)
      await answer(screen, 'Save as:')
      await sendTheRest(screen)
      expect(readSentImage(service.requests.at(-1)?.body ?? '')).toMatch(/^data:image\/jpeg;base64,\/9j\//)
      const draft = fs.readFileSync(path.join(home.folder, 'draft.yaml'), 'utf8')
      expect(draft).toContain(`documentImage: ${path.join(fs.realpathSync(home.folder), 'photo.webp')}\n`)
      expect(draft.length).toBeLessThan(kilobyte)
      expect(fs.readdirSync(home.folder).filter((name) => /jpe?g/.test(name))).toEqual([])
    })

    it('but cannot read is rejected with what to do', async () => {
      const {screen} = await openImagePrompt({'photo.webp': webp})
      screen.type('photo.webp\r')
      await answer(screen, 'Convert it to an accepted JPG?', 'y')
      await waitForText(screen, 'It cannot be read by the image library either: open it and export it as JPG')
      await pressKey(screen, 'Image of the document:', keys.stop)
      expect(await screen.ended).toBe(130)
    })
  },
)
