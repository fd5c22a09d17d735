// The problems of a customer body, all at once.
import {describe, expect, it} from 'vitest'
import {customerPatch} from '../../src/contract/customers.ts'
import {readCustomerBody} from '../../src/customers/body.ts'
import {checkBody, findRefusals} from '../../src/customers/check-body.ts'

type Body = Record<string, unknown>

const today = Date.UTC(2026, 10, 15)

const id = {
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'US',
  documentIdNumber: 'X1',
  issuanceDate: '2020-01-01',
  expirationDate: '2030-01-01',
  frontIdImage: './passport.png',
}
const address = {
  countryCode: 'US',
  streetLine1: '1 Main Street',
  city: 'Boston',
  stateRegionProvince: 'MA',
  postalCode: '02139',
}
const person = {
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  dateOfBirth: '1990-04-23',
  nationality: 'US',
  phoneNumber: '+12025550123',
  address,
  documents: [id],
}
const business = {
  businessInfo: {legalBusinessName: 'Example Inc.'},
  businessRegisteredAddress: address,
  associatedPersons: [person, {...person, documents: []}],
  businessDocuments: [{documentImage: './articles.pdf'}],
}

// The sandbox's own review has the other reasons.
it.each<[what: string, body: Body, found: string[]]>([
  ['nothing of complete data', {customerType: 'INDIVIDUAL', kycData: person}, []],
  ['nothing where there is no data', {customerType: 'BUSINESS', kybData: {}}, []],
  ['a minor', {kycData: {...person, dateOfBirth: '2010-01-01'}}, ['kycData.dateOfBirth INCONSISTENT_INFORMATION']],
  [
    'a document that expired yesterday',
    {kycData: {...person, documents: [{...id, expirationDate: '2026-11-14'}]}},
    ['kycData.documents[0].expirationDate DOCUMENT_EXPIRED'],
  ],
  ['a person without an ID', {kycData: {...person, documents: []}}, ['kycData.documents NO_GOVERNMENT_ID']],
  [
    'a state of another country',
    {kycData: {...person, address: {...address, stateRegionProvince: 'ZZ'}}},
    ['kycData.address.stateRegionProvince DATABASE_CHECK_FAILED_ON_SUBDIVISION'],
  ],
  [
    'no kind of document that the interface does not show, since a service may accept it',
    {kycData: {...person, documents: [{...id, subtype: 'VOTER_ID'}]}},
    [],
  ],
  ['the person of a business', {kybData: business}, ['kybData.associatedPersons[1].documents NO_GOVERNMENT_ID']],
])('verification is known to refuse %s', (_, body, found) => {
  const refusals = findRefusals(body, today).map(({path, message}) => `${path} ${/\((\w+)\)$/.exec(message)?.[1]}`)
  expect(refusals).toEqual(found)
})

const check = (body: Body) => checkBody(customerPatch, body, {})

const listProblems = async (body: Body) => (await check(body)).problems.filter(({reason}) => reason === undefined)

const listMessages = async (body: Body) => (await listProblems(body)).map(({path, message}) => `${path} ${message}`)

describe('the problems of a body', () => {
  it('are reported all at once', async () => {
    const kycData = {
      nationality: 'XX',
      legalFirstName: 12,
      middleName: 'A',
      documents: [{frontIdImage: '/nowhere/a.jpg'}, {issuanceDate: '2999-01-01', type: 'ID'}, 'passport'],
      address: {postalCode: 'x', countryCode: 'US', streetLine1: 'ab'},
      nationalIdNumber: '1',
      phoneNumber: '555',
      dateOfBirth: '2999-01-01',
    }
    const problems = await listProblems({shoeSize: 44, kycData})
    expect(problems.map(({path}) => path).toSorted()).toEqual([
      'kycData.address.postalCode',
      'kycData.address.streetLine1',
      'kycData.dateOfBirth',
      'kycData.documents[0].frontIdImage',
      'kycData.documents[1].issuanceDate',
      'kycData.documents[1].type',
      'kycData.documents[2]',
      'kycData.legalFirstName',
      'kycData.middleName',
      'kycData.nationalIdIssuingCountry',
      'kycData.nationalIdType',
      'kycData.nationality',
      'kycData.phoneNumber',
      'shoeSize',
    ])
  })

  it('name the replacement of removed fields', async () => {
    expect(await listMessages({kycData: {taxIdNumber: '1'}})).toEqual([
      'kycData.taxIdNumber was removed on 14 November 2025: use nationalIdNumber, with nationalIdType TIN and nationalIdIssuingCountry',
    ])
  })

  it.each([
    [[50, 50], false],
    [[33.3, 33.3, 33.4], false],
    [[0.1, 0.2, 99.7], false],
    [[60, 40.01], true],
  ])(
    'do not have the shares %j, which verification refuses if they exceed 100 exactly: %s',
    async (shares, isRefused) => {
      const associatedPersons = shares.map((ownershipPercentage) => ({ownershipPercentage}))
      const {problems} = await check({kybData: {associatedPersons}})
      expect(problems.filter(({isWarning}) => !isWarning)).toEqual([])
      expect(problems.some(({message}) => message.includes('INCONSISTENT_DETAILS'))).toBe(isRefused)
    },
  )

  it('are found in any malformed body without an exception', async () => {
    const odd: unknown[] = [null, 1, 'x', true, [], {}, [null], [[]], [{}], JSON.rawJSON('1.50')]
    const fields = ['documents', 'address', 'phoneNumber', 'businessInfo', 'associatedPersons', 'businessDocuments']
    for (const value of odd) {
      for (const field of fields) {
        await expect(check({kycData: {[field]: value}})).resolves.toBeDefined()
        await expect(check({kybData: {[field]: value}})).resolves.toBeDefined()
      }
      await expect(check({kycData: value, kybData: value})).resolves.toBeDefined()
    }
  })
})

describe('a body from flags', () => {
  it('converts texts, numbers and booleans as the contract defines them', async () => {
    const set = [
      'kycData.address.postalCode=02139',
      'kycData.phoneNumber=+15551234567',
      'kycData.isIntermediary=true',
      'kycData.documents[0].documentIdNumber=0012',
      'kybData.associatedPersons[0].ownershipPercentage=12.50',
      'kybData.associatedPersons[1].ownershipPercentage:=12.50',
      'kybData.isDao=null',
    ]
    expect(await readCustomerBody(customerPatch, {set})).toEqual({
      kycData: {
        address: {postalCode: '02139'},
        phoneNumber: '+15551234567',
        isIntermediary: true,
        documents: [{documentIdNumber: '0012'}],
      },
      kybData: {associatedPersons: [{ownershipPercentage: 12.5}, {ownershipPercentage: 12.5}], isDao: null},
    })
  })
})
