// Malformed data is rejected immediately: every field is named, and nothing is changed.
import {describe, expect, it} from 'vitest'
import {documentImage} from '../../../values/images.ts'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  openTemporary,
  patchCustomer,
  readCustomer,
  callExpectingError,
} from '../../open.ts'

const individual = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}
const business = {customerType: 'BUSINESS', email: 'books@example.com'}
const small = documentImage('png', {bytes: 0})

const wrong: [what: string, body: object, ...expected: string[]][] = [
  [
    'many problems at once',
    {
      kycData: {
        dateOfBirth: '2090-01-01',
        nationality: 'UK',
        nationalIdType: 'TIN',
        nationalIdNumber: '1',
        nationalIdIssuingCountry: 'EU',
        address: {countryCode: 'AR', postalCode: '12'},
        documents: [{countryCode: 'UK', backIdImage: small}],
      },
    },
    'kycData.dateOfBirth',
    'kycData.nationality',
    'United Kingdom is GB',
    'kycData.nationalIdIssuingCountry',
    'kycData.address.postalCode',
    'kycData.documents[0].countryCode',
    'kycData.documents[0].backIdImage',
  ],
  [
    'a business with wrong parts',
    {
      kybData: {
        businessInfo: {registrationCountry: 'EU', formationDate: '2030-01-01'},
        businessRegisteredAddress: {countryCode: 'GB', postalCode: '12345'},
        businessOperatingAddress: {countryCode: 'EL'},
        associatedPersons: [{}, {dateOfBirth: '2090-01-01', documents: [{frontIdImage: small}]}],
        businessDocuments: [{documentImage: 'data:image/gif;base64,AAAA'}],
      },
    },
    'kybData.businessInfo.registrationCountry',
    'kybData.businessInfo.formationDate',
    'kybData.businessRegisteredAddress.postalCode',
    'kybData.businessOperatingAddress.countryCode',
    'kybData.associatedPersons[1].dateOfBirth',
    'kybData.associatedPersons[1].documents[0].frontIdImage',
    'kybData.businessDocuments[0].documentImage is image/gif',
  ],
]

describe('malformed verification data', () => {
  it.each(wrong)('is rejected by POST and PATCH, naming every field: %s', async (_, body, ...expected) => {
    const sandbox = openTemporary()
    const base = 'kybData' in body ? business : individual
    const {customerId} = await createCustomer(sandbox, base)
    const {customers: before} = sandbox.status()
    for (const refused of [
      await callExpectingError(sandbox, 'POST', '/customers', {...base, ...body}),
      await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, body),
    ]) {
      expect(refused).toMatchObject({error: 'BAD_REQUEST', statusCode: 400})
      for (const text of expected) expect(refused.message).toContain(text)
    }
    expect(sandbox.status().customers).toEqual(before)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'CREATED'})
  })

  // The interface asks for the format of a phone number and of a country, and svc alone knows which of them exist.
  it.each([
    ['a phone number that does not exist', {phoneNumber: '+999123456789'}],
    ['a country code of its users', {nationality: 'XK', address: {countryCode: 'XK', postalCode: '10000'}}],
    ['a postal code of a country with several formats', {address: {countryCode: 'AZ', postalCode: 'AZ 1000'}}],
  ])('is not %s', async (_, kycData) => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {...individual, kycData})
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'UNDER_REVIEW'})
  })

  it('is validated with the country submitted earlier, if only the postal code is sent', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {...individual, kycData: {...completeKyc, documents: []}})
    sandbox.clock.advance(60_000)
    const address = {postalCode: 'SW1A 1AA'}
    const refused = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, {kycData: {address}})
    expect(refused.message).toBe('kycData.address.postalCode is not a postal code of Norway')
    expect(
      await patchCustomer(sandbox, customerId, {kycData: {address: {...address, countryCode: 'GB'}}}),
    ).toMatchObject({
      customerStatus: 'UNDER_REVIEW',
    })
  })

  it('is not reported for a locked customer, which returns PATCH_NOT_ALLOWED first', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {...business, kybData: completeKyb})
    const body = {kybData: {businessRegisteredAddress: {countryCode: 'XX'}}}
    expect(await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, body)).toMatchObject({
      error: 'PATCH_NOT_ALLOWED',
    })
  })
})
