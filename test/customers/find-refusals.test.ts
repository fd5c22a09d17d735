// What verification is known to refuse, said before anything is sent.
import {describe, expect, it} from 'vitest'
import {findRefusals} from '../../src/customers/check-body.ts'

const today = Date.UTC(2026, 10, 15)

const person = {
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  dateOfBirth: '1990-04-23',
  nationality: 'US',
  phoneNumber: '+12025550123',
  address: {
    countryCode: 'US',
    streetLine1: '1 Main Street',
    city: 'Boston',
    stateRegionProvince: 'MA',
    postalCode: '02139',
  },
  documents: [
    {
      type: 'GOVERNMENT_ID',
      subtype: 'PASSPORT',
      countryCode: 'US',
      documentIdNumber: 'X1',
      issuanceDate: '2020-01-01',
      expirationDate: '2030-01-01',
      frontIdImage: './passport.png',
    },
  ],
}

const listCodes = (kycData: object) => findRefusals({kycData}, today).map(({code, path}) => [code, path])

describe('what verification is known to refuse', () => {
  it('is nothing if the data is complete, or if there is none', () => {
    expect(findRefusals({customerType: 'INDIVIDUAL', kycData: person}, today)).toEqual([])
    expect(findRefusals({customerType: 'INDIVIDUAL', email: 'ada@example.com'}, today)).toEqual([])
    expect(findRefusals({customerType: 'BUSINESS', kybData: {}}, today)).toEqual([])
  })

  it('is a minor, an expired or foreign document, a missing ID and a wrong state', () => {
    const [id] = person.documents
    expect(listCodes({...person, dateOfBirth: '2010-01-01'})).toEqual([
      ['INCONSISTENT_INFORMATION', 'kycData.dateOfBirth'],
    ])
    expect(listCodes({...person, documents: [{...id, expirationDate: '2026-11-14'}]})).toEqual([
      ['DOCUMENT_EXPIRED', 'kycData.documents[0].expirationDate'],
    ])
    expect(listCodes({...person, documents: [{...id, countryCode: 'FR'}]})).toEqual([
      ['ID_COUNTRY_MISMATCH', 'kycData.documents[0].countryCode'],
    ])
    expect(listCodes({...person, documents: []})).toEqual([['NO_GOVERNMENT_ID', 'kycData.documents']])
    expect(listCodes({...person, address: {...person.address, stateRegionProvince: 'ZZ'}})).toEqual([
      ['DATABASE_CHECK_FAILED_ON_SUBDIVISION', 'kycData.address.stateRegionProvince'],
    ])
  })

  it('is no kind of document that the interface does not show, since a service may accept it', () => {
    const [id] = person.documents
    expect(listCodes({...person, documents: [{...id, subtype: 'VOTER_ID'}]})).toEqual([])
  })

  it('names the person of a business', () => {
    const kybData = {
      businessInfo: {legalBusinessName: 'Example Inc.'},
      businessRegisteredAddress: person.address,
      associatedPersons: [person, {...person, documents: []}],
      businessDocuments: [{documentImage: './articles.pdf'}],
    }
    expect(findRefusals({kybData}, today)).toEqual([
      {
        code: 'NO_GOVERNMENT_ID',
        reason: 'No government-issued photo ID was supplied',
        path: 'kybData.associatedPersons[1].documents',
        isMissing: false,
      },
    ])
  })
})
