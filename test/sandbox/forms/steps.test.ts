// Hosted forms in steps: progress, saving as one goes, and all problems of a step at once, without JavaScript.
import {describe, expect, it} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createCustomer, openTemporary, patchCustomer, readCustomer} from '../open.ts'
import {png} from '../../values/images.ts'
import {
  business,
  completeKycForm,
  type FormInput,
  getLink,
  getPage,
  individual,
  type Page,
  postForm,
  readControls,
  readNote,
  readSummary,
  readTitle,
} from './fill-form.ts'

const open = async (customer: object = individual) => {
  const sandbox = openTemporary()
  const created = await createCustomer(sandbox, customer)
  return {sandbox, customer: created, link: getLink(created)}
}

// The answers of a step, by the names of the fields that its page shows.
const pick = (start: RegExp): FormInput =>
  Object.fromEntries(Object.entries(completeKycForm).filter(([name]) => start.test(name)))

const answers = {
  person: pick(/^kycData\.(legal|date|nationality$|phone)/),
  address: pick(/^kycData\.address/),
  documents: pick(/^kycData\.documents/),
}

// Presses a button, and follows where it leads.
async function press(sandbox: Sandbox, link: string, page: Page, filled: FormInput): Promise<Page> {
  const answer = await postForm(sandbox, link, {...readControls(page), ...filled})
  const location = answer.headers.get('location')
  return location === null ? answer : getPage(sandbox, new URL(location.replace(/#.*/, ''), link).href)
}

const readCurrent = ({text}: Page) => /aria-current="step"[^>]*>.*?Step (\d)/s.exec(text)?.[1]
const readPosition = ({text}: Page) => /<p class="done">([^<]*)</.exec(text)?.[1]

describe('a form in steps', () => {
  it('goes from step to step, shows the progress, and is accepted at the end', async () => {
    const {sandbox, customer, link} = await open()
    let page = await getPage(sandbox, link)
    expect(readTitle(page)).toBe('Verify your identity, step 1 of 5 · Sandbox')
    expect(readPosition(page)).toBe('0 of 3 needed steps complete')
    expect(page.text).not.toContain('name="kycData.address.city"')
    page = await press(sandbox, link, page, {...answers.person, next: '2'})
    expect(readPosition(page)).toBe('1 of 3 needed steps complete')
    page = await press(sandbox, link, page, {...answers.address, next: '3'})
    page = await press(sandbox, link, page, {next: '4'})
    expect(readCurrent(page)).toBe('4')
    page = await press(sandbox, link, page, {next: '5'})
    expect(readPosition(page)).toBe('2 of 3 needed steps complete')
    page = await press(sandbox, link, page, answers.documents)
    expect(readTitle(page)).toBe('Under review: We are reviewing your details · Sandbox')
    sandbox.clock.advance(6_000)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('shows all problems of a step at once, beside their fields, and goes back without them', async () => {
    const {sandbox, link} = await open()
    const first = await press(sandbox, link, await getPage(sandbox, link), {
      'kycData.legalFirstName': 'Ines',
      'kycData.phoneNumber': '+1 23',
      'kycData.nationality': 'EU',
      next: '2',
    })
    expect(first.status).toBe(400)
    expect(readCurrent(first)).toBe('1')
    expect(readSummary(first)).toEqual([
      'Enter the last name.',
      'Enter the date of birth.',
      expect.stringMatching(/^The nationality /),
      expect.stringMatching(/^The phone number must begin with/),
    ])
    expect(readNote(first, 'kycData.legalLastName', 'error')).toBe('Enter the last name.')
    expect(first.text).toMatch(/<form[^>]*novalidate/)
    const elsewhere = await press(sandbox, link, first, {go: '3'})
    expect([elsewhere.status, readCurrent(elsewhere), readSummary(elsewhere)]).toEqual([200, '3', []])
  })

  it('does not take a blank document for the one that is needed', async () => {
    const {sandbox, link} = await open()
    const page = await press(sandbox, link, await getPage(sandbox, `${link}?step=5`), {})
    expect(readSummary(page)).toContain('Document 1: add the image of the front.')
    expect(readSummary(page)).not.toContainEqual(expect.stringContaining('ind of document'))
    expect(readSummary(page)).not.toContainEqual(expect.stringContaining('proof of address'))
  })

  it('keeps everything, files too, for who comes back later with the same link', async () => {
    const {sandbox, link} = await open()
    let page = await press(sandbox, link, await getPage(sandbox, link), {...answers.person, next: '2'})
    page = await press(sandbox, link, page, {'kycData.address.city': 'Ålesund', go: '5'})
    page = await press(sandbox, link, page, {...answers.documents, save: '1'})
    expect(page.text).toContain(
      'Saved. You can close this page and go on later with the same link, also on another device.',
    )
    sandbox.clock.advance(20 * 86_400_000)
    const later = await getPage(sandbox, link)
    expect(later.text).toMatch(/Saved on <time datetime="([^"]{16})[^"]*"\s*>\d{4}-\d\d-\d\d \d\d:\d\d UTC</)
    expect(readCurrent(later)).toBe('5')
    expect(readControls(later)).toMatchObject({
      'kycData.legalFirstName': 'Ines',
      'kycData.address.city': 'Ålesund',
      'kept:kycData.documents[0].frontIdImage': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
  })

  it('counts a step as complete only if nothing in it is wrong, and an optional one once something is in it', async () => {
    const {sandbox, link} = await open()
    const first = await getPage(sandbox, link)
    expect(first.text).toContain('Step 3, optional: ')
    let page = await press(sandbox, link, first, {...answers.person, 'kycData.phoneNumber': '+1 23', go: '3'})
    expect(readPosition(page)).toBe('0 of 3 needed steps complete')
    page = await press(sandbox, link, page, {'kycData.phoneNumber': '+447700900123', go: '3'})
    expect(readPosition(page)).toBe('1 of 3 needed steps complete')
    page = await press(sandbox, link, page, {'kycData.nationalIdNumber': '1', go: '4'})
    expect(readPosition(page)).toBe('1 of 4 needed steps complete')
  })

  it('saves in the background, but nothing that is older than what was saved since', async () => {
    const {sandbox, customer, link} = await open()
    const page = await getPage(sandbox, link)
    const autosave = (filled: FormInput) =>
      postForm(sandbox, link, {...readControls(page), ...filled, autosave: '1'}).then(({status, text}) => ({
        status,
        value: JSON.parse(text) as unknown,
      }))
    const saved = {status: 200, value: {savedAt: expect.stringMatching(/Z$/) as string}}
    expect(await autosave({'kycData.legalFirstName': 'In'})).toEqual(saved)
    expect(await autosave({'kycData.legalFirstName': 'Ines'})).toEqual(saved)
    expect(readControls(await getPage(sandbox, link))['kycData.legalFirstName']).toBe('Ines')
    const next = await press(sandbox, link, page, {...answers.person, next: '2'})
    // It was under way when the user went on.
    expect(await autosave({'kycData.legalFirstName': 'I'})).toMatchObject({status: 409})
    const later = await getPage(sandbox, link)
    expect([readCurrent(later), readControls(later)['kycData.legalFirstName']]).toEqual(['2', 'Ines'])
    const last = await press(sandbox, link, next, {...answers.address, go: '5'})
    await press(sandbox, link, last, answers.documents)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'UNDER_REVIEW'})
    expect(await autosave({})).toMatchObject({status: 409})
  })

  it('forgets what was saved once the data has changed in another way', async () => {
    const {sandbox, customer, link} = await open()
    await press(sandbox, link, await getPage(sandbox, link), {'kycData.legalFirstName': 'Old', save: '1'})
    await patchCustomer(sandbox, customer.customerId, {kycData: {legalFirstName: 'New'}})
    sandbox.clock.advance(6_000)
    expect(readControls(await getPage(sandbox, `${link}?step=1`))).toMatchObject({'kycData.legalFirstName': 'New'})
  })

  it('shows the steps in which something is wrong when it is sent too early, all at once', async () => {
    const {sandbox, customer, link} = await open()
    const last = await getPage(sandbox, `${link}?step=5`)
    const page = await press(sandbox, link, last, answers.address)
    expect(page.status).toBe(400)
    expect(readControls(page)['step']).toBe('fix:1,5')
    expect(readNote(page, 'kycData.legalFirstName', 'error')).toBe('Enter the first name.')
    expect(readNote(page, 'kycData.documents[0].frontIdImage', 'error')).toBe('Add the image of the front.')
    const fixed = await press(sandbox, link, page, {...answers.person, ...answers.documents})
    expect(readTitle(fixed)).toMatch(/^Under review/)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'UNDER_REVIEW'})
  })

  it('adds a person within its step, and keeps the others', async () => {
    const {sandbox, link} = await open(business)
    const people = await getPage(sandbox, `${link}?step=6`)
    const page = await press(sandbox, link, people, {
      'kybData.associatedPersons[0].legalFirstName': 'Robin',
      add: 'kybData.associatedPersons',
    })
    expect(readCurrent(page)).toBe('6')
    expect(page.text).toContain('name="kybData.associatedPersons[1].legalFirstName"')
    expect(readControls(await getPage(sandbox, link))['kybData.associatedPersons[0].legalFirstName']).toBe('Robin')
  })

  it('takes a step that does not exist for the first one', async () => {
    const {sandbox, link} = await open()
    for (const step of ['99', '0', '-1', 'x', 'fix:', 'fix:99', '1e1'])
      expect(readCurrent(await getPage(sandbox, `${link}?step=${step}`))).toBe('1')
  })
})

describe('the branding of the forms', () => {
  it('shows a name and a logo on every page of a form, escaped, until it is cleared', async () => {
    const {sandbox, link} = await open()
    const logo = Buffer.from(png({width: 200, height: 60}))
    const status = await sandbox.branding.set({name: ' Acme <b>Pay</b> ', logo})
    expect(status).toEqual({
      name: 'Acme <b>Pay</b>',
      logo: {type: 'image/png', bytes: logo.length, width: 200, height: 60},
    })
    const page = await getPage(sandbox, link)
    expect(readTitle(page)).toBe('Verify your identity, step 1 of 5 · Acme &lt;b&gt;Pay&lt;/b&gt;')
    expect(page.text).toContain(`<img src="data:image/png;base64,${logo.toString('base64')}" alt="" />`)
    expect(page.text).toContain('nothing here is real')
    expect((await getPage(sandbox, `${link}x`)).text).toContain('Acme &lt;b&gt;')
    expect(await sandbox.branding.set({name: 'Acme'})).toMatchObject({name: 'Acme', logo: {width: 200}})
    expect(sandbox.branding.clear()).toEqual({name: null, logo: null})
    expect(readTitle(await getPage(sandbox, link))).toBe('Verify your identity, step 1 of 5 · Sandbox')
  })

  it.each([
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not a complete PNG or JPG'],
    ['a cut image', png({width: 200, height: 60}).subarray(0, 60), 'not a complete PNG or JPG'],
    ['too small an image', png({width: 8, height: 60}), '8x60 pixels'],
    ['too large a file', png({width: 200, height: 200, bytes: 300_000}), 'at most 256 KB'],
  ])('refuses %s as a logo, and changes nothing', async (_, logo, reason) => {
    const {sandbox} = await open()
    await expect(sandbox.branding.set({name: 'Acme', logo: Buffer.from(logo)})).rejects.toThrow(reason)
    expect(sandbox.branding.show()).toEqual({name: null, logo: null})
  })
})
