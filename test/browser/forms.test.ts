// The hosted forms in a real browser: with and without JavaScript, in a frame, and with hostile input.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Locator, Page, Request} from 'playwright-core'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {completeKyc} from '../sandbox/open.ts'
import {png} from '../values/images.ts'
import {
  fill,
  image,
  newCustomer,
  newPage,
  onOnePage,
  pendingAccount,
  person,
  sandboxForAll,
  readStatus,
} from './sandbox.ts'

interface Picture {
  naturalWidth: number
  decode(): Promise<void>
}

const readWidth = (page: Page, selector: string) =>
  page.locator(selector).evaluate((picture: Picture) => picture.decode().then(() => picture.naturalWidth))

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

  const next = (page: Page) => page.getByRole('button', {name: /^Next/}).last().click()

  // The answers of one step.
  const pick = (start: RegExp) =>
    Object.fromEntries(Object.entries(person('kycData')).filter(([name]) => start.test(name)))
  const steps = {
    person: pick(/^kycData\.(legal|phone|date|nationality)/),
    address: pick(/^kycData\.address/),
    document: pick(/^kycData\.documents/),
  }

  it('accept KYC data step by step, keep it on the way, and preview an image before it is sent', async () => {
    const customer = await newCustomer(sandbox)
    const first = await newPage(browser())
    await first.goto(customer.verificationLink ?? '')
    expect(await first.title()).toBe('Verify your identity, step 1 of 5 · Sandbox')
    await next(first)
    expect(await first.locator('#errors li').count()).toBe(5)
    expect(await first.locator('.wrong:visible').count()).toBe(5)
    await fill(first, steps.person)
    await next(first)
    await first.getByRole('group', {name: 'Address'}).waitFor()
    // What is entered is saved in the background, so another browser can go on with it.
    await fill(first, steps.address)
    const saved = first.waitForResponse((response) => response.request().method() === 'POST')
    await first.getByLabel('City').blur()
    expect((await saved).status()).toBe(200)
    const page = await newPage(browser())
    await page.goto(customer.verificationLink ?? '')
    expect(await page.getByLabel('City').inputValue()).toBe('Ålesund')
    await next(page)
    await page.getByRole('group', {name: 'National ID'}).waitFor()
    // Each step has to be there before the next click: the buttons of the step before have the same names.
    const waitForStep = (step: number) =>
      page
        .locator('.position')
        .filter({hasText: `Step ${step} of 5`})
        .waitFor()
    await page.getByRole('button', {name: /^Step 5: Documents/}).click()
    await waitForStep(5)
    await page.getByRole('button', {name: 'Back', exact: true}).click()
    await waitForStep(4)
    await next(page)
    await waitForStep(5)
    await fill(page, steps.document)
    expect(await readWidth(page, '.chosen img')).toBe(420)
    expect(await page.locator('.done').textContent()).toBe('2 of 3 needed steps complete')
    await send(page)
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    expect(await page.title()).toBe('Under review: We are reviewing your details · Sandbox')
    expect(await readStatus(sandbox, customer)).toBe('UNDER_REVIEW')
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    await page.reload()
    await page.getByRole('heading', {name: 'Your verification is complete'}).waitFor()
    expect(await readStatus(sandbox, customer)).toBe('ACTIVE')
  })

  it('show errors before and after sending, link to the fields, and keep texts and files', async () => {
    const page = await newPage(browser())
    await page.goto(onOnePage(await newCustomer(sandbox)))
    const {'kycData.legalLastName': lastName = '', ...others} = person('kycData')
    await fill(page, {...others, 'kycData.phoneNumber': '+1 23'})
    // The Enter key submits the form and does not press the first visible button.
    await page.locator('[name="kycData.legalFirstName"]').press('Enter')
    expect(await page.title()).toBe('Error: Verify your identity · Sandbox')
    expect(await readFocusedId(page)).toBe('errors')
    await page.getByRole('link', {name: 'Enter the last name.'}).press('Enter')
    expect(await readFocusedId(page)).toBe('kycData-legalLastName')
    expect(await page.locator('#kycData-legalLastName').getAttribute('aria-invalid')).toBe('true')
    await fill(page, {'kycData.legalLastName': lastName})
    await send(page)
    await page.getByRole('link', {name: /^The phone number must begin with/}).waitFor()
    expect(await readFocusedId(page)).toBe('errors')
    expect(await page.locator('#kycData-address-city').inputValue()).toBe('Ålesund')
    expect(await readWidth(page, '.kept img')).toBe(420)
    await fill(page, {'kycData.phoneNumber': '+447700900123'})
    await send(page)
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
  })

  const hold = async (page: Page, button: Locator) => {
    await button.scrollIntoViewIfNeeded()
    const {x = 0, y = 0, width = 0, height = 0} = (await button.boundingBox()) ?? {}
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
  }

  it('are sent when the button is pressed before the script has arrived', async () => {
    const page = await newPage(browser())
    await page.goto(onOnePage(await newCustomer(sandbox)))
    await fill(page, {...person('kycData'), 'kycData.phoneNumber': '+1 23'})
    let deliver = () => {}
    const held = new Promise<void>((resolve) => (deliver = resolve))
    await page.route('**/form.js', (route) => held.then(() => route.continue()))
    await send(page)
    await page.getByRole('link', {name: /^The phone number must begin/}).waitFor()
    await fill(page, {'kycData.phoneNumber': '+447700900123'})
    await hold(page, page.getByRole('button', {name: /^Send/}).last())
    deliver()
    await page.locator('#form[novalidate]').waitFor()
    await page.mouse.up()
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    expect(await page.title()).toMatch(/^Under review/)
  })

  it('say when they were saved, and are not set back by a save that was under way when the user went on', async () => {
    const page = await newPage(browser())
    const {verificationLink = ''} = await newCustomer(sandbox)
    await page.goto(verificationLink)
    expect(await page.locator('#save-status').textContent()).toBe('')
    const isSave = (request: Request) => request.postData()?.includes('name="autosave"') === true
    // Never answered here: it reaches the server later, as through a slow proxy.
    await page.route('**/verify/**', (route) => (isSave(route.request()) ? undefined : route.continue()))
    const underWay = page.waitForRequest(isSave)
    await fill(page, {'kycData.legalFirstName': 'I'})
    await page.locator('#kycData-legalFirstName').blur()
    const save = await underWay
    await fill(page, steps.person)
    await next(page)
    await page.getByRole('group', {name: 'Address'}).waitFor()
    const headers = {'content-type': save.headers()['content-type'] ?? ''}
    const late = await fetch(save.url(), {method: 'POST', headers, body: save.postData()})
    expect(late.status).toBe(409)
    await page.reload()
    expect(await page.title()).toContain('step 2 of 5')
    expect(await page.locator('[name="kycData.legalFirstName"]').inputValue()).toBe('Ines')
    expect(await page.locator('#save-status').textContent()).toMatch(/^Saved on \w+ \d+, \d{4} at \d+:\d\d\s[AP]M\.$/)
  })

  it('do not move the button away that is pressed after a field was corrected', async () => {
    const page = await newPage(browser(), {viewport: {width: 1280, height: 2_000}})
    await page.goto((await newCustomer(sandbox)).verificationLink ?? '')
    const {'kycData.legalLastName': lastName = '', ...others} = steps.person
    await fill(page, others)
    await next(page)
    await page.locator('#kycData-legalLastName-error').waitFor()
    await fill(page, {'kycData.legalLastName': lastName})
    await hold(page, page.getByRole('button', {name: /^Next/}).last())
    await page.mouse.up()
    await page.getByRole('group', {name: 'Address'}).waitFor()
    expect(await page.title()).toContain('step 2 of 5')
  })

  it('reject an unsuitable file as soon as it is chosen', async () => {
    const page = await newPage(browser())
    await page.goto(onOnePage(await newCustomer(sandbox)))
    const path = 'kycData.documents[0].frontIdImage'
    const error = page.locator('#kycData-documents-0-frontIdImage-error')
    const noise = png({width: 420, height: 297, bytes: 101 * 1024})
    const unsuitable: [Buffer, string][] = [
      [
        Buffer.from('small'),
        'is not a JPG, PNG or PDF file, whatever its name says: save or export it as one of them.',
      ],
      [png(), 'is too small: it has'],
      [
        Buffer.concat([noise, Buffer.alloc(10 * 1024 * 1024)]),
        'is too large: it has 10.1 MB, and at most 10 MB are allowed',
      ],
      [png({width: 120, height: 297, bytes: 101 * 1024}), 'has 120x297 pixels, and at least 200x200 are needed'],
      [noise.fill(0, 8, 64), 'cannot be read because the image is damaged'],
    ]
    for (const [buffer, problem] of unsuitable) {
      await fill(page, {[path]: {name: 'passport.png', mimeType: 'image/png', buffer}})
      await error.filter({hasText: `The image of the front ${problem}`}).waitFor()
      expect(await page.locator('.chosen').count()).toBe(0)
    }
    await fill(page, {[path]: image()})
    expect(await page.locator('.chosen p').textContent()).toMatch(/^passport\.png, \d+ KB, 420 × 297 pixels\.$/)
    expect(await error.isHidden()).toBe(true)
  })

  it('show only the image fields that the kind of document needs', async () => {
    const page = await newPage(browser())
    await page.goto(onOnePage(await newCustomer(sandbox)))
    const [front, proof] = [page.getByLabel('Image of the front'), page.getByLabel('Image of the proof of address')]
    expect([await front.isVisible(), await proof.isVisible()]).toEqual([true, false])
    await page.getByLabel('Kind of document').selectOption('PROOF_OF_ADDRESS')
    expect([await front.isVisible(), await proof.isVisible()]).toEqual([false, true])
  })

  it('accept KYB data with two persons, added and removed without leaving the page', async () => {
    const customer = await newCustomer(sandbox, {customerType: 'BUSINESS'})
    const page = await newPage(browser())
    await page.goto(onOnePage(customer))
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
    await page.locator('#kybData-associatedPersons-1').waitFor()
    expect(await readFocusedId(page)).toBe('kybData-associatedPersons-1-legalFirstName')
    await add.click()
    await page.locator('#kybData-associatedPersons-2').waitFor()
    await page.getByRole('button', {name: 'Remove person 3'}).click()
    await page.locator('#kybData-associatedPersons-2').waitFor({state: 'detached'})
    await fill(page, person('kybData.associatedPersons[1]', 'Kim'))
    await send(page)
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    expect(await readStatus(sandbox, customer)).toBe('ACTIVE')
  })

  it('accept a bank account and make it ACTIVE', async () => {
    const {customerId} = await newCustomer(sandbox)
    const page = await newPage(browser())
    await page.goto(await pendingAccount(sandbox, customerId, 'SEPA'))
    await page.getByRole('button', {name: 'Add account'}).last().click()
    await page.getByRole('link', {name: 'Answer yes or no: does the account belong to someone else?'}).press('Enter')
    expect(await readFocusedId(page)).toBe('isThirdParty')
    await page.getByLabel('No', {exact: true}).check()
    expect(await page.locator('#isThirdParty-error').isHidden()).toBe(true)
    await page.getByLabel('Bank', {exact: true}).fill('Lighthouse Bank')
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 01')
    const add = page.getByRole('button', {name: 'Add account'}).last()
    await add.click()
    await page.getByRole('link', {name: /^The IBAN is not a valid IBAN/}).waitFor()
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00')
    await add.click()
    await page.getByRole('heading', {name: 'The bank account is ready'}).waitFor()
    const {paymentAccounts} = await sandbox.call<{paymentAccounts: object[]}>(
      'GET',
      `/payment-accounts?customerId=${customerId}`,
    )
    expect(paymentAccounts).toMatchObject([
      {paymentAccountStatus: 'ACTIVE', externalBankAccount: {bankAccountMask: '****3000'}},
    ])
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
    expect(await readFocusedId(page)).toBe('errors')
    await press('Tab', 'Enter')
    expect(await readFocusedId(page)).toBe('externalBankAccount-iban')
    await page.keyboard.type('DE89370400440532013000')
    await press('Enter')
    await page.getByRole('heading', {name: 'The bank account is ready'}).waitFor()
    expect(await page.title()).toMatch(/^Active/)
  })

  it('show an issue at the document that it is about, and accept a better image', async () => {
    const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR'}
    const customer = await newCustomer(sandbox, {kycData})
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    const page = await newPage(browser())
    await page.goto(customer.verificationLink ?? '')
    expect(await page.title()).toBe('To be corrected: Verify your identity · Sandbox')
    const front = page.getByLabel('Image of the front', {exact: true})
    expect(await front.getAttribute('aria-describedby')).toContain('kycData-documents-0-frontIdImage-issue')
    expect(await page.locator('#kycData-documents-0-frontIdImage-issue').textContent()).toMatch(/too poor to check/)
    expect(await readWidth(page, '.kept img')).toBe(200)
    // The rest of the form goes along unseen.
    expect(await page.locator('[name="kycData.legalLastName"]').inputValue()).toBe('Vardø')
    expect(await page.getByLabel('Last name').count()).toBe(0)
    await front.setInputFiles(image('better.png'))
    await page.getByRole('button', {name: 'Send the corrections'}).last().click()
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    expect(await readStatus(sandbox, customer)).toBe('ACTIVE')
  })

  it('work without JavaScript: errors, entered values, previews, and adding a document', async () => {
    const customer = await newCustomer(sandbox)
    const page = await newPage(browser(), {javaScriptEnabled: false})
    await page.goto(customer.verificationLink ?? '')
    await fill(page, {'kycData.legalFirstName': 'Ines', 'kycData.phoneNumber': '+1 23'})
    await next(page)
    await page.getByRole('link', {name: /^The phone number must begin/}).waitFor()
    expect(await page.title()).toBe('Error: Verify your identity, step 1 of 5 · Sandbox')
    // All of them at once, also without a script.
    expect(await page.locator('.wrong:visible').count()).toBe(4)
    expect(await page.locator('[name="kycData.legalFirstName"]').inputValue()).toBe('Ines')
    await fill(page, steps.person)
    await next(page)
    await fill(page, steps.address)
    await page.getByRole('button', {name: /^Step 5: Documents/}).click()
    await fill(page, steps.document)
    await page.getByRole('button', {name: 'Add another document'}).click()
    await page.locator('#kycData-documents-1').waitFor()
    expect(page.url()).toMatch(/#kycData-documents-1$/)
    expect(await page.getByRole('img').count()).toBe(1)
    await page.getByRole('button', {name: 'Remove document 2'}).click()
    await page.locator('#kycData-documents-1').waitFor({state: 'detached'})
    await page.getByRole('button', {name: 'Save for later'}).click()
    await page.getByText('Saved. You can close this page').waitFor()
    await page.goto(customer.verificationLink ?? '')
    expect(await page.getByRole('img').count()).toBe(1)
    await send(page)
    await page.getByRole('heading', {name: 'We are reviewing your details'}).waitFor()
    expect(await readStatus(sandbox, customer)).toBe('UNDER_REVIEW')
  })

  it('work without cookies in a frame of an allowed site', async () => {
    const customer = await newCustomer(sandbox)
    const page = await newPage(browser())
    await page.goto(`${getSiteUrl('localhost')}/?form=${encodeURIComponent(onOnePage(customer))}`)
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

  it('say that a link has expired', async () => {
    const customer = await newCustomer(sandbox)
    await sandbox.svc('sandbox', 'clock', 'advance', '31d')
    const page = await newPage(browser())
    const response = await page.goto(customer.verificationLink ?? '')
    expect(response?.status()).toBe(410)
    expect(await page.getByRole('heading').textContent()).toBe('This link has expired')
  })

  it('show a script in any text field as text', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror="alert(2)">'`
    for (const customerType of ['INDIVIDUAL', 'BUSINESS']) {
      const customer = await newCustomer(sandbox, {customerType, businessName: evil, firstName: evil})
      const page = await newPage(browser())
      await page.goto(onOnePage(customer))
      // Bypasses the checks in the browser, as an attacker would.
      const filled = await page.evaluate(`(() => {
        const fields = [...document.querySelectorAll('input[type=text], input[type=email], input[type=tel], textarea')]
        for (const field of fields) field.value = ${JSON.stringify(evil)}
        document.getElementById('form').submit()
        return fields.length
      })()`)
      expect(filled).toBeGreaterThan(15)
      await page.locator('#errors').waitFor()
      const texts = page.locator('input[type=text], input[type=email], input[type=tel], textarea')
      const values = await texts.evaluateAll((all: {value: string}[]) => all.map(({value}) => value))
      expect(values.filter((value) => value === evil)).toHaveLength(Number(filled))
      expect(await page.locator('main script, main img').count()).toBe(0)
    }
  })
})
