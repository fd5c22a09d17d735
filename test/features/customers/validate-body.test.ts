// The problems of a customer body, all at once.
import {describe, expect, it} from 'vitest'
import {customerPatch} from '../../../src/contract/customers.ts'
import {readCustomerBody} from '../../../src/customers/body.ts'
import {checkBody} from '../../../src/customers/check-body.ts'

type Body = Record<string, unknown>

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

it('a body from flags converts texts, numbers and booleans as the contract defines them', async () => {
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
