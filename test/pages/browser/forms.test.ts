// The hosted forms in a real browser: with and without JavaScript, in a frame, and with hostile input.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Page} from 'playwright-core'
import type {Customer} from '../../../src/contract/customers.ts'
import {browserForAll, hasChromium} from '../../support/browser.ts'
import {completeKyc} from '../../sandbox/open.ts'
import {findProblems} from './accessibility.ts'
import {fill, image, newCustomer, newPage, pendingAccount, person, sandboxForAll, readStatus} from './sandbox.ts'
import {takeScreenshot} from './screenshots.ts'

const readFocusedId = (page: Page) => page.evaluate('document.activeElement?.id')

describe.runIf(hasChromium)('the hosted forms', () => {
  const browser = browserForAll()
  // An integrator's site on another origin, which shows a form in a frame.
  const site = http.createServer((request, response) => {
    const form = new URL(request.url ?? '/', 'http://localhost').searchParams.get('form') ?? ''
    response.setHeader('content-type', 'text/html')
    response.end(`<!DOCTYPE html><title>Shop</title><iframe src="${form}" width="900" height="800"></iframe>`)
  })
  const getSiteUrl = (host: string) => `http://${host}:${(site.address() as AddressInfo).port}`
  beforeAll(() => new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    site.closeAllConnections()
    site.close()
  })
  const sandbox = sandboxForAll(() => ['--allow-frames', getSiteUrl('localhost')])
  // A review takes five seconds, and a busy machine may take longer to show the page after a form was sent.
  beforeAll(() => sandbox.svc('sandbox', 'clock', 'freeze'))

  const send = (page: Page) => page.getByRole('button', {name: /^Send/}).last().click()

  const open = async (page: Page, customer: Customer) => page.goto(customer.verificationLink ?? '')

  it('show all errors at once beside their fields, keep texts and files, and accept what is corrected', async () => {
    const customer = await newCustomer(sandbox)
    const page = await newPage(browser())
    await open(page, customer)
    expect(await page.title()).toBe('Verify your identity · Sandbox')
    const {'kycData.legalLastName': lastName = '', ...others} = person('kycData')
    await fill(page, {...others, 'kycData.phoneNumber': '+1 23'})
    // The Enter key submits the form and does not press the first visible button.
    await page.locator('[name="kycData.legalFirstName"]').press('Enter')
    await page.locator('#errors').waitFor()
    expect(await page.title()).toBe('Error: Verify your identity · Sandbox')
    expect(await readFocusedId(page)).toBe('errors')
    expect(await page.locator('.field .error').allTextContents()).toEqual([
      '“Last name, as on the ID” is required.',
      expect.stringMatching(/^“Phone number” must be a phone number in E\.164 format/),
    ])
    await page.getByRole('link', {name: '“Last name, as on the ID” is required.'}).press('Enter')
    expect(await readFocusedId(page)).toBe('kycData-legalLastName')
    expect(await page.locator('#kycData-legalLastName').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('#kycData-address-city').inputValue()).toBe('Ålesund')
    await fill(page, {'kycData.legalLastName': lastName, 'kycData.phoneNumber': '+447700900123'})
    await send(page)
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    expect(await page.title()).toBe('Under review: We are reviewing your details · Sandbox')
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    await page.reload()
    await page.getByRole('heading', {name: 'Your verification is complete'}).waitFor()
    expect(await readStatus(sandbox, customer)).toBe('ACTIVE')
  })

  it('show only the image fields that the kind of document needs', async () => {
    const page = await newPage(browser())
    await open(page, await newCustomer(sandbox))
    const [front, proof] = [page.getByLabel('Image of the front'), page.getByLabel('Image of the proof of address')]
    expect([await front.isVisible(), await proof.isVisible()]).toEqual([true, false])
    await page.getByLabel('Kind of document').selectOption('PROOF_OF_ADDRESS')
    expect([await front.isVisible(), await proof.isVisible()]).toEqual([false, true])
  })

  it('accept KYB data with two persons, added and removed, without JavaScript', async () => {
    const customer = await newCustomer(sandbox, {customerType: 'BUSINESS'})
    const page = await newPage(browser(), {javaScriptEnabled: false})
    await open(page, customer)
    const info = 'kybData.businessInfo'
    await fill(page, {
      [`${info}.legalBusinessName`]: 'Driftwood Books Ltd',
      [`${info}.businessType`]: 'other:',
      [`other:${info}.businessType`]: 'LIMITED_COMPANY',
      'kybData.businessRegisteredAddress.countryCode': 'GB',
      'kybData.businessRegisteredAddress.streetLine1': '5 Millrace Lane',
      'kybData.businessRegisteredAddress.city': 'York',
      'kybData.businessRegisteredAddress.postalCode': 'YO1 7HH',
      'kybData.businessDocuments[0].documentImage': image('articles.png'),
      ...person('kybData.associatedPersons[0]', 'Robin'),
    })
    const add = page.getByRole('button', {name: 'Add another person'})
    await add.click()
    // The whole page, not only its beginning: a page without scripts is looked at while it still arrives.
    await page.waitForURL(/#kybData-associatedPersons-1$/)
    expect(await page.locator('[name="kybData.associatedPersons[0].legalFirstName"]').inputValue()).toBe('Robin')
    // The files that were chosen stay chosen.
    expect(await page.locator('.kept').count()).toBe(2)
    await add.click()
    await page.locator('#kybData-associatedPersons-2').waitFor()
    await page.getByRole('button', {name: 'Remove person 3'}).click()
    await page.locator('#kybData-associatedPersons-2').waitFor({state: 'detached'})
    await fill(page, person('kybData.associatedPersons[1]', 'Kim'))
    await send(page)
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    expect(await readStatus(sandbox, customer)).toBe('UNDER_REVIEW')
  })

  it('accept a bank account from who has only a keyboard, and lead to what is missing', async () => {
    const {customerId} = await newCustomer(sandbox)
    const page = await newPage(browser())
    await page.goto(await pendingAccount(sandbox, customerId, 'SEPA'))
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    // Over the link that skips to the form, to the answer No, and on to the bank.
    await press('Tab', 'Enter', 'Tab', 'Space', 'ArrowRight', 'Tab', 'Tab', 'Tab', 'Tab')
    await page.keyboard.type('Lighthouse Bank')
    await press('Enter')
    await page.locator('#errors').waitFor()
    expect(await readFocusedId(page)).toBe('errors')
    await press('Tab', 'Enter')
    expect(await readFocusedId(page)).toBe('externalBankAccount-iban')
    await page.keyboard.type('DE89370400440532013000')
    await press('Enter')
    await page.getByRole('heading', {name: 'The bank account is ready'}).waitFor()
    expect(await page.title()).toMatch(/^Active/)
  })

  it('work without cookies in a frame of an allowed site', async () => {
    const customer = await newCustomer(sandbox)
    const page = await newPage(browser())
    await page.goto(`${getSiteUrl('localhost')}/?form=${encodeURIComponent(customer.verificationLink ?? '')}`)
    const frame = page.frameLocator('iframe')
    await fill(frame, person('kycData'))
    await frame.getByRole('button', {name: /^Send/}).last().click()
    await frame.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    expect(await readStatus(sandbox, customer)).toBe('UNDER_REVIEW')
    expect(await page.context().cookies()).toEqual([])
  })

  it('are not shown in a frame of any other site', async () => {
    const context = await browser().newContext()
    const page = await context.newPage()
    const refused = page.waitForEvent('console', {predicate: (message) => /frame-ancestors/.test(message.text())})
    await page.goto(
      `${getSiteUrl('127.0.0.1')}/?form=${encodeURIComponent((await newCustomer(sandbox)).verificationLink ?? '')}`,
    )
    await refused
    expect(await page.frameLocator('iframe').getByRole('heading', {name: 'Verify your identity'}).count()).toBe(0)
    await context.close()
  })

  it('show a script in any text field as text', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror="alert(2)">'`
    const page = await newPage(browser())
    await open(page, await newCustomer(sandbox, {customerType: 'BUSINESS', businessName: evil, firstName: evil}))
    const texts = page.locator('input[type=text], input[type=email], input[type=tel], textarea')
    const filled = await texts.evaluateAll((all: {value: string; form: {submit(): void}}[], text) => {
      for (const field of all) field.value = text
      all[0]?.form.submit()
      return all.length
    }, evil)
    expect(filled).toBeGreaterThan(15)
    await page.locator('#errors').waitFor()
    const values = await texts.evaluateAll((all: {value: string}[]) => all.map(({value}) => value))
    expect(values.filter((value) => value === evil)).toHaveLength(filled)
    expect(await page.locator('main script, main img').count()).toBe(0)
  })

  it('have no accessibility violations and fit the screen, wide and narrow, light and dark', async () => {
    const page = await newPage(browser())
    const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR MAGIC_DATABASE_CHECK_FAILED_ON_CITY'}
    const [fresh, withIssues] = [await newCustomer(sandbox), await newCustomer(sandbox, {kycData})]
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    await open(page, fresh)
    await fill(page, {'kycData.phoneNumber': '+1 23', 'kycData.documents[0].frontIdImage': image()})
    await send(page)
    await page.locator('#errors').waitFor()
    expect(await findProblems(page, 0)).toEqual([])
    const links = {
      corrections: withIssues.verificationLink,
      'a business': (await newCustomer(sandbox, {customerType: 'BUSINESS'})).verificationLink,
      'a bank account': await pendingAccount(sandbox, fresh.customerId),
      'a link that does not work': `${fresh.verificationLink}0`,
    }
    for (const [index, [state, link]] of Object.entries(links).entries()) {
      await page.goto(link ?? '')
      expect([state, await findProblems(page, index + 1)]).toEqual([state, []])
      await page.emulateMedia({colorScheme: 'light'})
      if (state === 'corrections') await takeScreenshot(page, 'form-corrections')
    }
  })
})

// What a person enters in a field, by the last names of its path.
const answers = new Map(Object.entries(person('kycData')).map(([name, value]) => [shorten(name), value]))

function shorten(name: string) {
  return name
    .replaceAll(/\[\d+\]/g, '')
    .split('.')
    .slice(-2)
    .join('.')
    .replace(/^(?:kycData|associatedPersons)\./, '')
}

describe.runIf(hasChromium)('every seeded customer who waits for corrections', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()

  // The names of the fields that a box of the page leads to.
  const listFields = (page: Page, box: string) =>
    page
      .locator(`${box} a[href^="#"]`)
      .evaluateAll((links: {hash: string; ownerDocument: {querySelector(of: string): {name?: string} | null}}[]) =>
        links.map(({hash, ownerDocument}) => ownerDocument.querySelector(hash)?.name ?? hash),
      )

  // A person who has an address keeps its country and postal code, and has an ID of that country.
  async function fillIn(page: Page, names: readonly string[]) {
    for (const name of names) {
      const [owner = ''] = /^(?:kycData|kybData\.associatedPersons\[\d+\])/.exec(name) ?? []
      const country = await page.locator(`[name="${owner}.address.countryCode"]`).inputValue()
      if (country !== '' && name.endsWith('.postalCode')) continue
      const value = /(?:countryCode|nationality)$/.test(name) && country !== '' ? country : answers.get(shorten(name))
      expect([name, value]).not.toEqual([name, undefined])
      await fill(page, {[name]: value ?? ''})
    }
  }

  it.each(['what is missing', 'all that the page lists'])(
    'becomes ACTIVE by the form, filled in with %s',
    async (what) => {
      await sandbox.svc('sandbox', 'reset')
      const {customers} = await sandbox.call<{customers: Customer[]}>('GET', '/customers?pageSize=100')
      const waiting = customers.filter(({customerStatus}) => customerStatus === 'NEEDS_ADDITIONAL_INFORMATION')
      expect(waiting.length).toBeGreaterThan(3)
      for (const {name, verificationLink} of waiting) {
        const page = await newPage(browser())
        await page.goto(verificationLink ?? '')
        expect([name, (await listFields(page, '#corrections')).length]).not.toEqual([name, 0])
        const listed = (await listFields(page, '#corrections')).filter((field) => answers.has(shorten(field)))
        if (what !== 'what is missing') await fillIn(page, listed)
        const send = () => page.getByRole('button', {name: 'Send the corrections'}).last().click()
        await send()
        const errors = page.locator('#errors')
        const reviewing = page.getByRole('heading', {name: 'We are reviewing your details'})
        await errors.or(reviewing).waitFor()
        if (await errors.isVisible()) {
          const required = await errors.getByRole('listitem').allTextContents()
          expect([name, required.filter((text) => !text.endsWith(' is required.'))]).toEqual([name, []])
          await fillIn(page, await listFields(page, '#errors'))
          await send()
        }
        await reviewing.waitFor()
      }
      await sandbox.svc('sandbox', 'clock', 'advance', '6s')
      const reviewed = await Promise.all(
        waiting.map(({customerId}) => sandbox.call<Customer>('GET', `/customers/${customerId}`)),
      )
      const refused = reviewed.filter(({customerStatus}) => customerStatus !== 'ACTIVE')
      expect(refused.map(({name, verificationIssues}) => ({name, verificationIssues}))).toEqual([])
    },
  )
})
