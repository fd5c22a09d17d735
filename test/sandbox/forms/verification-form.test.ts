// The hosted KYC and KYB forms: what they show, what they accept, and that they behave exactly like a PATCH.
import {describe, expect, it} from 'vitest'
import {DatabaseSync} from 'node:sqlite'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  openTemporary,
  passport,
  patchCustomer,
  readCustomer,
  callExpectingError,
  temporaryFile,
} from '../open.ts'
import {documentImage, png} from '../../values/images.ts'
import {
  readNote,
  business,
  completeKycForm,
  readControls,
  readCsrf,
  getPage,
  imageFile,
  individual,
  getLink,
  postForm,
  sendForm,
  readSummary,
  readTitle,
} from './fill-form.ts'

function readData(file: string, customerId: string): unknown {
  const database = new DatabaseSync(file, {readOnly: true})
  const row = database.prepare('select data from customers where customerId = ?').get(customerId)
  database.close()
  return JSON.parse(String(row?.['data']))
}

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

describe('the form of a new customer', () => {
  it('has a control for every field of the contract', async () => {
    const {kycData, associatedPerson, businessInfo, kybData, document, address, businessDocument} =
      await import('../../../src/contract/customers.ts')
    const sandbox = openTemporary()
    const kyc = (await getPage(sandbox, getLink(await createCustomer(sandbox, individual)))).text
    const kyb = (await getPage(sandbox, getLink(await createCustomer(sandbox, business)))).text
    const person = 'kybData.associatedPersons[0]'
    const expected: [string, string, object][] = [
      [kyc, 'kycData', kycData.shape],
      [kyc, 'kycData.address', address.shape],
      [kyc, 'kycData.documents[0]', document.shape],
      [kyb, 'kybData', kybData.shape],
      [kyb, 'kybData.businessInfo', businessInfo.shape],
      [kyb, 'kybData.businessOperatingAddress', address.shape],
      [kyb, person, associatedPerson.shape],
      [kyb, `${person}.address`, address.shape],
      [kyb, `${person}.documents[0]`, document.shape],
      [kyb, 'kybData.businessDocuments[0]', businessDocument.shape],
    ]
    for (const [text, path, shape] of expected) {
      for (const name of Object.keys(shape))
        expect(text).toMatch(new RegExp(`name="${path}.${name}["[.]`.replaceAll('[0]', '\\[0\\]')))
    }
  })
})

describe('submitting KYC', () => {
  it('starts the review, redirects to the page, and the review approves it', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const page = await sendForm(sandbox, getLink(customer), completeKycForm)
    expect(page.status).toBe(303)
    expect(page.headers.get('location')).toBe(new URL(getLink(customer)).pathname)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({
      customerStatus: 'UNDER_REVIEW',
      name: 'Ines Vardø',
    })
    const shown = await getPage(sandbox, getLink(customer))
    expect(readTitle(shown)).toBe('Under review: We are reviewing your details · Sandbox')
    sandbox.clock.advance(5_000)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'ACTIVE'})
    expect(readTitle(await getPage(sandbox, getLink(customer)))).toBe('Active: Your verification is complete · Sandbox')
  })

  it('stores the same data as a PATCH with the same content', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const kycData = {
      ...completeKyc,
      nationalIdType: 'MILITARY_ID',
      nationalIdNumber: '1234',
      nationalIdIssuingCountry: 'NO',
      employmentStatus: 'SELF_EMPLOYED',
      isIntermediary: false,
      accountPurposeOther: 'Books\r\nand more',
    }
    const [byPatch, byForm] = [await createCustomer(sandbox, individual), await createCustomer(sandbox, individual)]
    await patchCustomer(sandbox, byPatch.customerId, {kycData})
    const form = toFormInput(kycData, 'kycData')
    const page = await sendForm(sandbox, getLink(byForm), {
      ...form,
      'kycData.nationalIdType': 'other:',
      'other:kycData.nationalIdType': 'MILITARY_ID',
    })
    expect(page.status).toBe(303)
    expect(readData(file, byForm.customerId)).toEqual(readData(file, byPatch.customerId))
  })

  it('rejects what a PATCH rejects, shows the errors at the fields, and keeps what was entered', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const wrong = {
      ...completeKycForm,
      'kycData.phoneNumber': '+1 23',
      'kycData.address.postalCode': 'nowhere',
      'kycData.mostRecentOccupation': 'Keeper of "lights" & <boats>',
    }
    const page = await sendForm(sandbox, getLink(customer), wrong)
    expect(page.status).toBe(400)
    expect(readTitle(page)).toBe('Error: Verify your identity · Sandbox')
    expect(readSummary(page)).toEqual([
      '“Phone number” must be a phone number in E.164 format, such as +15551234567.',
      '“Postal code” is not a postal code of Norway.',
    ])
    expect(readNote(page, 'kycData.phoneNumber', 'error')).toMatch(/^“Phone number” must be/)
    expect(page.text).toMatch(/<input[^>]*id="kycData-phoneNumber"[^>]*aria-invalid="true"/)
    const controls = readControls(page)
    expect(controls).toMatchObject(
      Object.fromEntries(Object.entries(wrong).filter(([, value]) => typeof value === 'string')),
    )
    expect(controls['kept:kycData.documents[0].frontIdImage']).toMatch(/^data:image\/png;base64,/)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'CREATED'})
    // The page that comes back, once corrected, is complete.
    const second = await postForm(sandbox, getLink(customer), {...controls, 'kycData.phoneNumber': '+447700900123'})
    expect(readSummary(second)).toEqual(['“Postal code” is not a postal code of Norway.'])
    const third = await postForm(sandbox, getLink(customer), {
      ...readControls(second),
      'kycData.phoneNumber': '+447700900123',
      'kycData.address.postalCode': '6002',
    })
    expect(third.status).toBe(303)
    sandbox.clock.advance(5_000)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('says why a file is rejected, does not keep it, and names everything that is missing', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const small = new File([png()], 'small.png', {type: 'image/png'})
    const page = await sendForm(sandbox, getLink(customer), {
      ...completeKycForm,
      'kycData.documents[0].frontIdImage': small,
      'kycData.documents[0].backIdImage': new File(['GIF89a'.padEnd(200_000)], 'back.gif', {type: 'image/gif'}),
    })
    expect(readSummary(page)).toEqual([
      expect.stringMatching(
        /^Document 1: “Image of the front” is too small: \d+ bytes, and at least 100 KB are needed: scan or photograph it again with more detail\.$/,
      ),
      'Document 1: “Image of the back” is image/gif, and must be one of image/jpeg, image/png, application/pdf.',
    ])
    expect(page.text).not.toContain('kept:')
    const empty = await sendForm(sandbox, getLink(customer), {'kycData.documents[0].type': 'GOVERNMENT_ID'})
    expect(readNote(empty, 'kycData.legalLastName', 'error')).toBe('“Last name, as on the ID” is required.')
    expect(readSummary(empty)).toContain('Document 1: “Image of the front” is required.')
    expect(readSummary(empty)).not.toContainEqual(expect.stringContaining('proof of address'))
  })

  it('rejects unknown fields as a PATCH does, and tolerates impossible names', async () => {
    const sandbox = openTemporary()
    const link = getLink(await createCustomer(sandbox, individual))
    const page = await sendForm(sandbox, link, {...completeKycForm, 'kycData.middleName': 'Ada'})
    expect(readSummary(page)).toEqual([expect.stringMatching(/^kycData\.middleName .*legalMiddleName/)])
    const strange = await sendForm(sandbox, link, {
      ...completeKycForm,
      '__proto__.polluted': 'yes',
      'kycData.__proto__.polluted': 'yes',
      'kycData.constructor.prototype': 'yes',
      'kycData.legalFirstName.length': '3',
      'kycData.documents[99999999].type': 'GOVERNMENT_ID',
      'kycData.documents[60].type': 'GOVERNMENT_ID',
    })
    expect(strange.status).toBe(400)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('submitting KYB', () => {
  it('stores the same data as a PATCH with the same content, with two persons', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const [robin] = completeKyb.associatedPersons
    const kybData = {
      ...completeKyb,
      businessInfo: {...completeKyb.businessInfo, otherLinks: ['@driftwood', 'https://example.com'], isDao: false},
      highRiskActivities: ['ADULT_ENTERTAINMENT', 'FOREIGN_EXCHANGE_OR_BROKERAGE'],
      associatedPersons: [
        {...robin, ownershipPercentage: 62.5, isDirector: true},
        {
          ...robin,
          legalFirstName: 'Kim',
          documents: [
            passport,
            {type: 'PROOF_OF_ADDRESS', issuanceDate: '2026-10-01', proofOfAddressImage: documentImage('jpeg')},
          ],
        },
      ],
    }
    const [byPatch, byForm] = [await createCustomer(sandbox, business), await createCustomer(sandbox, business)]
    await patchCustomer(sandbox, byPatch.customerId, {kybData})
    expect((await sendForm(sandbox, getLink(byForm), toFormInput(kybData, 'kybData'))).status).toBe(303)
    expect(readData(file, byForm.customerId)).toEqual(readData(file, byPatch.customerId))
    sandbox.clock.advance(5_000)
    expect(await readCustomer(sandbox, byForm.customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('leaves out blank persons and documents, and numbers errors as the page shows them', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, business)
    const form = toFormInput(completeKyb, 'kybData')
    const shifted = Object.fromEntries(
      Object.entries(form).map(([name, value]) => [
        name.replace('associatedPersons[0]', 'associatedPersons[1]'),
        value,
      ]),
    )
    const blank = {
      'kybData.associatedPersons[0].legalFirstName': ' ',
      'kybData.associatedPersons[0].documents[0].type': 'GOVERNMENT_ID',
    }
    const page = await sendForm(sandbox, getLink(customer), {
      ...shifted,
      ...blank,
      'kybData.associatedPersons[1].phoneNumber': '12',
    })
    expect(readSummary(page)).toEqual([expect.stringMatching(/^Person 1: “Phone number” must be/)])
    expect(readNote(page, 'kybData.associatedPersons[0].phoneNumber', 'error')).toMatch(/^“Phone number” must be/)
    expect((await sendForm(sandbox, getLink(customer), {...shifted, ...blank})).status).toBe(303)
  })

  it('adds and removes persons and documents with buttons, and keeps what was entered and uploaded', async () => {
    const sandbox = openTemporary()
    const link = getLink(await createCustomer(sandbox, business))
    const first = 'kybData.associatedPersons[0]'
    const added = await sendForm(sandbox, link, {
      [`${first}.legalFirstName`]: 'Robin',
      [`${first}.documents[0].frontIdImage`]: imageFile('robin.png'),
      add: 'kybData.associatedPersons',
    })
    expect(added.status).toBe(200)
    expect(readTitle(added)).toBe('Verify your business · Sandbox')
    expect(added.text).toContain('name="kybData.associatedPersons[1].documents[0].frontIdImage"')
    expect(readControls(added)).toMatchObject({[`${first}.legalFirstName`]: 'Robin'})
    expect(readControls(added)).toHaveProperty([`kept:${first}.documents[0].frontIdImage`])
    const removed = await postForm(sandbox, link, {
      ...readControls(added),
      'kybData.associatedPersons[1].legalFirstName': 'Kim',
      remove: first,
    })
    expect(readControls(removed)).toMatchObject({[`${first}.legalFirstName`]: 'Kim'})
    expect(removed.text).not.toContain('associatedPersons[1]')
    expect(removed.text).not.toContain('kept:')
    const none = await postForm(sandbox, link, {...readControls(removed), remove: first})
    const document = await postForm(sandbox, link, {...readControls(none), add: `${first}.documents`})
    expect(document.text).toContain(`name="${first}.documents[1].type"`)
  })
})

describe('a customer who has to correct something', () => {
  async function createWithIssues(magic: string) {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, {
      ...individual,
      kycData: {...completeKyc, accountPurposeOther: magic},
    })
    sandbox.clock.advance(6_000)
    return {sandbox, customer, link: getLink(customer), page: await getPage(sandbox, getLink(customer))}
  }

  it('sees the earlier data, and each issue at the fields that it is about', async () => {
    const {page} = await createWithIssues('MAGIC_DOC_QUALITY_POOR MAGIC_DATABASE_CHECK_FAILED_ON_CITY MAGIC_AML_MATCH')
    expect(readTitle(page)).toBe('To be corrected: Verify your identity · Sandbox')
    expect(readNote(page, 'kycData.documents[0].frontIdImage', 'issue')).toMatch(
      /^The image of the document is too poor/,
    )
    expect(readNote(page, 'kycData.documents[0].backIdImage', 'issue')).toBe('')
    expect(readNote(page, 'kycData.address.city', 'issue')).toMatch(/^The city was not confirmed/)
    expect(readNote(page, 'kycData.legalFirstName', 'issue')).toBe('')
    expect(readSummary(page, 'corrections')).toHaveLength(3)
    expect(page.text).toMatch(/href="#kycData-address-city"/)
    expect(readControls(page)).toMatchObject({
      'kycData.legalLastName': 'Vardø',
      'kycData.documents[0].subtype': 'PASSPORT',
      'kept:kycData.documents[0].frontIdImage': expect.stringMatching(/^[\da-f]{64}$/),
    })
  })

  it('can send the form again with a new image, and is under review again', async () => {
    const {sandbox, customer, link, page} = await createWithIssues('MAGIC_DOC_QUALITY_POOR')
    const sent = await postForm(sandbox, link, {
      ...readControls(page),
      'kycData.documents[0].frontIdImage': imageFile('better.png'),
    })
    expect(sent.status).toBe(303)
    sandbox.clock.advance(6_000)
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('can send the page unchanged without losing data', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const customer = await createCustomer(sandbox, {
      ...business,
      kybData: {...completeKyb, accountPurposeOther: 'MAGIC_ID_WARNING'},
    })
    sandbox.clock.advance(6_000)
    const before = readData(file, customer.customerId)
    const page = await getPage(sandbox, getLink(customer))
    expect(readNote(page, 'kybData.associatedPersons[0].documents[0].frontIdImage', 'issue')).toMatch(/^The ID raised/)
    expect((await postForm(sandbox, getLink(customer), readControls(page))).status).toBe(303)
    expect(readData(file, customer.customerId)).toEqual(before)
  })

  it('can remove an image that was sent earlier, and refers only to files of the same form', async () => {
    const {sandbox, link, page} = await createWithIssues('MAGIC_DOC_QUALITY_POOR')
    const path = 'kycData.documents[0].frontIdImage'
    const dropped = await postForm(sandbox, link, {...readControls(page), [`drop:${path}`]: 'yes'})
    expect(readNote(dropped, path, 'error')).toBe('“Image of the front” is required.')
    const other = getLink(await createCustomer(sandbox, individual))
    const {[path]: _, ...withoutImage} = completeKycForm
    const foreign = await sendForm(sandbox, other, {...withoutImage, [`kept:${path}`]: `earlier:${path}`})
    expect(readNote(foreign, path, 'error')).toBe('“Image of the front” is required.')
  })
})

describe('a customer who has nothing to submit', () => {
  it('gets an explanation when a form is sent anyway, and nothing changes', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const csrf = readCsrf(await getPage(sandbox, getLink(customer)))
    await patchCustomer(sandbox, customer.customerId, {kycData: completeKyc})
    const page = await postForm(sandbox, getLink(customer), {...completeKycForm, csrf, 'kycData.legalFirstName': 'Eve'})
    expect(
      await callExpectingError(sandbox, 'PATCH', `/customers/${customer.customerId}`, {kycData: completeKyc}),
    ).toMatchObject({
      statusCode: page.status,
      error: 'PATCH_NOT_ALLOWED',
    })
    expect(readTitle(page)).toBe('Error: We are reviewing your details · Sandbox')
    expect(readSummary(page)).toEqual(['What you sent was not accepted, because nothing is needed from you now.'])
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({name: 'Ines Vardø'})
  })
})
