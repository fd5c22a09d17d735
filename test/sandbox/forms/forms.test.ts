// The hosted forms: how their links are protected, what they show and accept, and that they do exactly what a PATCH does.
import {describe, expect, it} from 'vitest'
import {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  document,
  kybData,
  kycData,
} from '../../../src/contract/customers.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {documentImage, png} from '../../features/values/images.ts'
import {sendRequest, serveTemporary} from '../http/serving.ts'
import {
  callExpectingError,
  completeKyb,
  completeKyc,
  createCustomer,
  dayMs,
  dumpTables,
  grace,
  listPage,
  openTemporary,
  passport,
  patchCustomer,
  querySql,
  readCustomer,
  temporaryFile,
} from '../open.ts'
import {
  business,
  completeKycForm,
  getLink,
  getPage,
  postForm,
  readControls,
  readCsrf,
  readNote,
  readSummary,
  readTitle,
  sendForm,
  toFormData,
} from './fill-form.ts'

const reviewMs = 5_000
const front = 'kycData.documents[0].frontIdImage'

async function openForm(body: object = {}, file = temporaryFile()) {
  const sandbox = openTemporary({file})
  const customer = await createCustomer(sandbox, body)
  return {sandbox, customer, link: getLink(customer), now: () => readCustomer(sandbox, customer.customerId), file}
}

describe('a link', () => {
  it('works for thirty days of the virtual clock; then it says that it has expired and accepts nothing', async () => {
    const {sandbox, link, now} = await openForm()
    const csrf = readCsrf(await getPage(sandbox, link))
    sandbox.clock.advance(dayMs / 3)
    expect(getLink(await now())).toBe(link)
    sandbox.clock.advance(30 * dayMs - dayMs / 3)
    expect((await getPage(sandbox, link)).status).toBe(200)
    sandbox.clock.advance(dayMs)
    const page = await getPage(sandbox, link)
    expect([page.status, readTitle(page)]).toEqual([410, 'This link has expired · Sandbox'])
    expect((await postForm(sandbox, link, {...completeKycForm, csrf})).status).toBe(410)
    const {customerStatus, verificationLink = ''} = await now()
    expect([customerStatus, (await getPage(sandbox, verificationLink)).status]).toEqual(['CREATED', 200])
  })

  it('cannot be guessed, extended, or used for another kind of form', async () => {
    const {sandbox, link} = await openForm()
    const [token = '', day = '', seal = ''] = link.split('/').at(-1)?.split('.') ?? []
    const createLink = (segment: string, kind = 'verify') => `https://forms.sandbox.invalid/${kind}/${segment}`
    const later = (Number.parseInt(day, 36) + 1).toString(36)
    for (const wrong of [
      createLink(token),
      createLink(`${token}.${later}.${seal}`),
      createLink(`${token}.${day}.${'0'.repeat(16)}`),
      createLink(`${token}.${day}.${seal}.x`),
      createLink(`${token}.${day}`),
      createLink(`form_000000000000000000000000.${day}.${seal}`),
      createLink(`${token}.${day}.${seal}`, 'bank-account'),
      `${link}/nothing`,
    ]) {
      const page = await getPage(sandbox, wrong)
      expect([wrong, page.status, readTitle(page)]).toEqual([wrong, 404, 'This link does not work · Sandbox'])
    }
  })
})

describe('a posted form', () => {
  it('must carry the CSRF token of the page of its link, and be a form; other methods are rejected', async () => {
    const {sandbox, link, now} = await openForm()
    const csrf = readCsrf(await getPage(sandbox, getLink(await createCustomer(sandbox))))
    for (const forged of [{}, {csrf: ''}, {csrf}, {csrf: 'x'.repeat(64)}]) {
      const page = await postForm(sandbox, link, {...completeKycForm, ...forged})
      expect([page.status, readTitle(page)]).toEqual([403, 'This form cannot be accepted · Sandbox'])
    }
    const asJson = new Request(link, {method: 'POST', body: '{}', headers: {'content-type': 'application/json'}})
    expect((await sandbox.fetch(asJson)).status).toBe(400)
    const put = await sandbox.fetch(new Request(link, {method: 'PUT', body: ''}))
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    const head = await sandbox.fetch(new Request(link, {method: 'HEAD'}))
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(await now()).toMatchObject({customerStatus: 'CREATED'})
  })

  it('is logged without its token and without what was entered', async () => {
    const {sandbox, link} = await openForm()
    await sendForm(sandbox, link, {...completeKycForm, 'kycData.phoneNumber': 'nine-nine'})
    const log = sandbox.requests.last(10)
    expect(log.map(({method, path, status}) => [method, path, status])).toEqual([
      ['POST', '/customers', 200],
      ['GET', '/verify/…', 200],
      ['POST', '/verify/…', 400],
    ])
    expect(JSON.stringify(log)).not.toMatch(/Vard|nine-nine|Naust|form_/)
  })

  it('on a port needs no API key, and is rejected for other hosts and origins, and if it is too large', async () => {
    const served = await serveTemporary()
    const {text} = await sendRequest(served, 'POST', '/customers', {
      body: {customerType: 'INDIVIDUAL', email: 'a@example.com'},
    })
    const {verificationLink: link} = JSON.parse(text) as {verificationLink: string}
    const path = link.slice(served.url.length)
    expect(path).toMatch(/^\/forms\/verify\//)
    expect((await fetch(link)).status).toBe(200)
    for (const headers of [{host: 'evil.example'}, {origin: 'https://evil.example'}, {origin: 'null'}]) {
      const {status} = await sendRequest(served, 'GET', path, {headers: {authorization: '', ...headers}})
      expect(status).toBe(403)
    }
    const huge = new File(
      Array.from({length: 101}, () => Buffer.alloc(1024 * 1024)),
      'x',
    )
    const response = await fetch(link, {method: 'POST', body: toFormData({[front]: huge})})
    expect([response.status, response.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('larger than 104857600 bytes')
  })
})

it('every page has headers that isolate it, and is not stored by browsers or caches', async () => {
  const {sandbox, link} = await openForm()
  for (const page of [
    await getPage(sandbox, link),
    await getPage(sandbox, `${link}0`),
    await postForm(sandbox, link, {}),
  ]) {
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
    })
    for (const name of ['set-cookie', 'access-control-allow-origin']) expect(page.headers.get(name)).toBeNull()
  }
})

// Converts data to form fields, with images as files.
function toFormInput(value: unknown, path: string, form: Record<string, string | File | string[]> = {}) {
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'string'))
      form[path] = path.endsWith('otherLinks') ? value.join('\n') : value
    else value.forEach((item, index) => toFormInput(item, `${path}[${index}]`, form))
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) toFormInput(inner, `${path}.${name}`, form)
  } else {
    const [, type, encoded] = /^data:([^;]+);base64,(.*)$/.exec(String(value)) ?? []
    form[path] =
      encoded === undefined ? String(value) : new File([Buffer.from(encoded, 'base64')], 'x', {type: type ?? ''})
  }
  return form
}

const readData = (file: string, {customerId}: {customerId: string}): unknown =>
  JSON.parse(String(querySql(file, `select data from customers where customerId = '${customerId}'`)[0]?.['data']))

const [robin] = completeKyb.associatedPersons
const bill = {type: 'PROOF_OF_ADDRESS', issuanceDate: '2026-10-01', proofOfAddressImage: documentImage('jpeg')}

describe('the form of a new customer', () => {
  it('has a control for every field of the contract', async () => {
    const {sandbox, link} = await openForm()
    const kyc = (await getPage(sandbox, link)).text
    const kyb = (await getPage(sandbox, getLink(await createCustomer(sandbox, business)))).text
    const person = 'kybData.associatedPersons[0]'
    const expected: [string, string, {shape: object}][] = [
      [kyc, 'kycData', kycData],
      [kyc, 'kycData.address', address],
      [kyc, 'kycData.documents[0]', document],
      [kyb, 'kybData', kybData],
      [kyb, 'kybData.businessInfo', businessInfo],
      [kyb, 'kybData.businessOperatingAddress', address],
      [kyb, person, associatedPerson],
      [kyb, `${person}.address`, address],
      [kyb, `${person}.documents[0]`, document],
      [kyb, 'kybData.businessDocuments[0]', businessDocument],
    ]
    for (const [text, path, {shape}] of expected) {
      for (const name of Object.keys(shape))
        expect(text).toMatch(new RegExp(`name="${path}.${name}["[.]`.replaceAll('[0]', '\\[0\\]')))
    }
  })

  it.each([
    [
      'kycData',
      {},
      {
        ...completeKyc,
        nationalIdType: 'MILITARY_ID',
        nationalIdNumber: '1234',
        nationalIdIssuingCountry: 'NO',
        employmentStatus: 'SELF_EMPLOYED',
        isIntermediary: false,
        accountPurposeOther: 'Books\r\nand more',
      },
      {'kycData.nationalIdType': 'other:', 'other:kycData.nationalIdType': 'MILITARY_ID'},
    ],
    [
      'kybData',
      business,
      {
        ...completeKyb,
        businessInfo: {...completeKyb.businessInfo, otherLinks: ['@driftwood', 'https://example.com'], isDao: false},
        highRiskActivities: ['ADULT_ENTERTAINMENT', 'FOREIGN_EXCHANGE_OR_BROKERAGE'],
        associatedPersons: [
          {...robin, ownershipPercentage: 62.5, isDirector: true},
          {...robin, legalFirstName: 'Kim', documents: [passport, bill]},
        ],
      },
      {},
    ],
  ])(
    'stores the same %s as a PATCH, starts the review, and shows what becomes of it',
    async (field, type, data, more) => {
      const {sandbox, customer, link, now, file} = await openForm(type)
      const byPatch = await createCustomer(sandbox, type)
      await patchCustomer(sandbox, byPatch.customerId, {[field]: data})
      const page = await sendForm(sandbox, link, {...toFormInput(data, field), ...more})
      expect([page.status, page.headers.get('location')]).toEqual([303, new URL(link).pathname])
      expect(readData(file, customer)).toEqual(readData(file, byPatch))
      expect(await now()).toMatchObject({customerStatus: 'UNDER_REVIEW'})
      expect(readTitle(await getPage(sandbox, link))).toBe('Under review: We are reviewing your details · Sandbox')
      sandbox.clock.advance(reviewMs)
      expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
      expect(readTitle(await getPage(sandbox, link))).toBe('Active: Your verification is complete · Sandbox')
    },
  )

  it('rejects what a PATCH rejects, shows the errors at the fields, and keeps what was entered', async () => {
    const {sandbox, link, now} = await openForm()
    const wrong = {
      ...completeKycForm,
      'kycData.phoneNumber': '+1 23',
      'kycData.address.postalCode': 'nowhere',
      'kycData.mostRecentOccupation': 'Keeper of "lights" & <boats>',
    }
    const page = await sendForm(sandbox, link, wrong)
    expect([page.status, readTitle(page)]).toEqual([400, 'Error: Verify your identity · Sandbox'])
    const postalCode = '“Postal code” is not a postal code of Norway.'
    const phone = '“Phone number” must be a phone number in E.164 format, such as +15551234567.'
    expect(readSummary(page)).toEqual([phone, postalCode])
    expect(readNote(page, 'kycData.phoneNumber', 'error')).toBe(phone)
    expect(page.text).toMatch(/<input[^>]*id="kycData-phoneNumber"[^>]*aria-invalid="true"/)
    const controls = readControls(page)
    expect(controls).toMatchObject(
      Object.fromEntries(Object.entries(wrong).filter(([, value]) => typeof value === 'string')),
    )
    expect(controls[`kept:${front}`]).toMatch(/^data:image\/png;base64,/)
    expect(await now()).toMatchObject({customerStatus: 'CREATED'})
    // The page that comes back, once corrected, is complete.
    const second = await postForm(sandbox, link, {...controls, 'kycData.phoneNumber': '+447700900123'})
    expect(readSummary(second)).toEqual([postalCode])
    const third = await postForm(sandbox, link, {...readControls(second), 'kycData.address.postalCode': '6002'})
    expect(third.status).toBe(303)
    expect(await now()).toMatchObject({customerStatus: 'UNDER_REVIEW', name: 'Ines Vardø'})
  })

  it('says why a file is rejected, does not keep it, and names everything that is missing or unknown', async () => {
    const {sandbox, link} = await openForm()
    const page = await sendForm(sandbox, link, {
      ...completeKycForm,
      [front]: new File([png()], 'small.png', {type: 'image/png'}),
      'kycData.documents[0].backIdImage': new File(['GIF89a'.padEnd(200_000)], 'back.gif', {type: 'image/gif'}),
    })
    expect(readSummary(page)).toEqual([
      expect.stringMatching(
        /^Document 1: “Image of the front” is too small: \d+ bytes, and at least 100 KB are needed/,
      ),
      'Document 1: “Image of the back” is image/gif, and must be one of image/jpeg, image/png, application/pdf.',
    ])
    expect(page.text).not.toContain('kept:')
    const empty = await sendForm(sandbox, link, {'kycData.documents[0].type': 'GOVERNMENT_ID'})
    expect(readNote(empty, 'kycData.legalLastName', 'error')).toBe('“Last name, as on the ID” is required.')
    expect(readSummary(empty)).toContain('Document 1: “Image of the front” is required.')
    expect(readSummary(empty)).not.toContainEqual(expect.stringContaining('proof of address'))
    const unknown = await sendForm(sandbox, link, {...completeKycForm, 'kycData.middleName': 'Ada'})
    expect(readSummary(unknown)).toEqual([expect.stringMatching(/^“middle name” .* “Middle name”\.$/)])
  })

  it('leaves out blank persons and documents, and numbers errors as the page shows them', async () => {
    const {sandbox, link} = await openForm(business)
    const shifted = Object.entries(toFormInput(completeKyb, 'kybData')).map(([name, value]) => [
      name.replace('associatedPersons[0]', 'associatedPersons[1]'),
      value,
    ])
    const sent = {
      ...(Object.fromEntries(shifted) as Record<string, string>),
      'kybData.associatedPersons[0].legalFirstName': ' ',
      'kybData.associatedPersons[0].documents[0].type': 'GOVERNMENT_ID',
    }
    const page = await sendForm(sandbox, link, {...sent, 'kybData.associatedPersons[1].phoneNumber': '12'})
    expect(readSummary(page)).toEqual([expect.stringMatching(/^Person 1: “Phone number” must be/)])
    expect(readNote(page, 'kybData.associatedPersons[0].phoneNumber', 'error')).toMatch(/^“Phone number” must be/)
    expect((await sendForm(sandbox, link, sent)).status).toBe(303)
  })
})

describe('a customer who has to correct something', () => {
  async function openCorrection(accountPurposeOther: string) {
    const opened = await openForm({kycData: {...completeKyc, accountPurposeOther}})
    opened.sandbox.clock.advance(2 * reviewMs)
    return {...opened, page: await getPage(opened.sandbox, opened.link)}
  }

  it('sees the earlier data, and each issue at the fields that it is about', async () => {
    const {page} = await openCorrection('MAGIC_DOC_QUALITY_POOR MAGIC_DATABASE_CHECK_FAILED_ON_CITY MAGIC_AML_MATCH')
    expect(readTitle(page)).toBe('To be corrected: Verify your identity · Sandbox')
    expect(readNote(page, front, 'issue')).toMatch(/^The image of the document is too poor/)
    expect(readNote(page, 'kycData.address.city', 'issue')).toMatch(/^The city was not confirmed/)
    for (const path of ['kycData.documents[0].backIdImage', 'kycData.legalFirstName'])
      expect(readNote(page, path, 'issue')).toBe('')
    expect(readSummary(page, 'corrections')).toHaveLength(3)
    expect(page.text).toMatch(/href="#kycData-address-city"/)
    expect(readControls(page)).toMatchObject({
      'kycData.legalLastName': 'Vardø',
      'kycData.documents[0].subtype': 'PASSPORT',
      [`kept:${front}`]: expect.stringMatching(/^[\da-f]{64}$/),
    })
  })

  it('can send the page unchanged without losing data', async () => {
    const data = {...completeKyb, accountPurposeOther: 'MAGIC_ID_WARNING'}
    const {sandbox, customer, link, file} = await openForm({...business, kybData: data})
    sandbox.clock.advance(2 * reviewMs)
    const before = readData(file, customer)
    const page = await getPage(sandbox, link)
    expect(readNote(page, 'kybData.associatedPersons[0].documents[0].frontIdImage', 'issue')).toMatch(/^The ID raised/)
    expect((await postForm(sandbox, link, readControls(page))).status).toBe(303)
    expect(readData(file, customer)).toEqual(before)
  })

  it('can remove an image that was sent earlier, and refers only to files of the same form', async () => {
    const {sandbox, link, page} = await openCorrection('MAGIC_DOC_QUALITY_POOR')
    const required = '“Image of the front” is required.'
    const dropped = await postForm(sandbox, link, {...readControls(page), [`drop:${front}`]: 'yes'})
    expect(readNote(dropped, front, 'error')).toBe(required)
    const {[front]: _, ...withoutImage} = completeKycForm
    const kept = readControls(page)[`kept:${front}`] ?? ''
    const foreign = await sendForm(sandbox, getLink(await createCustomer(sandbox)), {
      ...withoutImage,
      [`kept:${front}`]: kept,
    })
    expect(readNote(foreign, front, 'error')).toBe(required)
  })
})

it('a customer who has nothing to submit gets an explanation when a form is sent anyway, and nothing changes', async () => {
  const {sandbox, customer, link, now} = await openForm()
  const csrf = readCsrf(await getPage(sandbox, link))
  await patchCustomer(sandbox, customer.customerId, {kycData: completeKyc})
  const page = await postForm(sandbox, link, {...completeKycForm, csrf, 'kycData.legalFirstName': 'Eve'})
  const refused = await callExpectingError(sandbox, 'PATCH', `/customers/${customer.customerId}`, {
    kycData: completeKyc,
  })
  expect(refused).toMatchObject({statusCode: page.status, error: 'PATCH_NOT_ALLOWED'})
  expect(readTitle(page)).toBe('Error: We are reviewing your details · Sandbox')
  expect(readSummary(page)).toEqual(['What you sent was not accepted, because nothing is needed from you now.'])
  expect(await now()).toMatchObject({name: 'Ines Vardø'})
})

describe('the form of a pending bank account', () => {
  const root = 'externalBankAccount'
  const add = (sandbox: Sandbox, method: string) =>
    sandbox.money.addAccount({
      customerId: grace,
      type: 'EXTERNAL_BANK_ACCOUNT',
      method,
      pending: true,
      nickname: 'Savings',
    }).bankAccountFormLink ?? ''
  const withRoot = (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${root}.${name}`, value]))
  const readAccount = async (sandbox: Sandbox) =>
    (await listPage(sandbox, '/payment-accounts', {customerId: grace, pageSize: 100})).paymentAccounts[0]
  const numbers: Record<string, Record<string, string>> = {
    ACH: {routingNumber: '021000021', bankAccountNumber: '000123456789'},
    WIRE: {routingNumber: '021000021', bankAccountNumber: '000123456789'},
    SEPA: {iban: 'DE89 3704 0044 0532 0130 00', bicSwift: 'COBADEFFXXX'},
    CA_INTERAC: {bankCode: '004', transitNumber: '12345', bankAccountNumber: '1234567'},
    IN_NEFT_RTGS_IMPS: {ifscCode: 'HDFC0000001', bankAccountNumber: '50100123456789'},
  }

  it.each(Object.entries(numbers))('makes an account on %s ACTIVE and gives it an id', async (method, fields) => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const link = add(sandbox, method)
    const page = await getPage(sandbox, link)
    expect(readControls(page)).toMatchObject({nickname: 'Savings', [`${root}.bankAccountOwnerName`]: ''})
    sandbox.clock.advance(dayMs)
    const bank = {
      bankName: 'Lighthouse Bank',
      bankAccountOwnerName: 'G. Hopper',
      bankAccountOwnerEmail: 'g@example.com',
    }
    const filled = {...readControls(page), ...withRoot({...fields, ...bank}), nickname: 'House', isThirdParty: 'true'}
    expect((await postForm(sandbox, link, filled)).status).toBe(303)
    expect(readTitle(await getPage(sandbox, link))).toBe('Active: The bank account is ready · Sandbox')
    const number = (fields['iban'] ?? fields['bankAccountNumber'] ?? '').replaceAll(' ', '')
    expect(await readAccount(sandbox)).toMatchObject({
      paymentAccountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      paymentAccountStatus: 'ACTIVE',
      createdAt: '2026-11-16T12:00:00Z',
      nickname: 'House',
      isThirdParty: true,
      externalBankAccount: {
        ...bank,
        bankAccountType: 'CHECKING',
        bankAccountMask: `****${number.slice(-4)}`,
        bankAccountPaymentMethod: method,
      },
    })
    expect(dumpTables(file)).not.toContain(number)
  })

  it('rejects numbers with wrong check digits, and missing fields', async () => {
    const sandbox = openTemporary()
    const send = async (method: string, fields: Record<string, string>, more: Record<string, string> = {}) => {
      const link = add(sandbox, method)
      const page = await postForm(sandbox, link, {
        ...readControls(await getPage(sandbox, link)),
        ...withRoot(fields),
        ...more,
      })
      expect(page.status).toBe(400)
      return readSummary(page)
    }
    expect(await send('ACH', {routingNumber: '021000022', bankAccountNumber: '1'}, {isThirdParty: 'true'})).toEqual([
      '“Account holder” is required.',
      '“Account holder’s email address” is required.',
      '“Bank” is required.',
      '“Routing number” is not a valid routing number: check its nine digits.',
      '“Account number” must have 4 to 34 digits or letters.',
    ])
    expect(await send('SEPA', {bankName: 'N', iban: 'DE88 3704 0044 0532 0130 00', bicSwift: 'X'})).toEqual([
      '“Does the account belong to someone else?” is required.',
      '“IBAN” is not a valid IBAN: check its length and its digits.',
      '“BIC” must be a BIC of 8 or 11 characters, such as COBADEFFXXX.',
    ])
  })

  it('can be submitted once, with the customer as the holder of an own account', async () => {
    const sandbox = openTemporary()
    const link = add(sandbox, 'ACH')
    const filled = {
      ...readControls(await getPage(sandbox, link)),
      ...withRoot({...numbers['ACH'], bankName: 'One'}),
      isThirdParty: 'false',
    }
    expect((await postForm(sandbox, link, filled)).status).toBe(303)
    const again = await postForm(sandbox, link, {...filled, [`${root}.bankName`]: 'Two'})
    expect([again.status, readTitle(again)]).toEqual([400, 'Error: The bank account is ready · Sandbox'])
    const bank = {bankName: 'One', bankAccountOwnerName: 'Grace Holloway-Pike'}
    expect(await readAccount(sandbox)).toMatchObject({isThirdParty: false, externalBankAccount: bank})
  })
})
