// Masks: the form of personal data stays, its content goes, and codes can still be read.
import {describe, expect, it} from 'vitest'
import {customerPatch} from '../../src/contract/customers.ts'
import {maskPersonalData} from '../../src/customers/mask-personal-data.ts'

const kyc = (kycData: Record<string, unknown>) => maskPersonalData({kycData}, customerPatch).kycData

describe('masked data', () => {
  it.each([
    ['legalFirstName', 'Zoë-Ann 2', '•••-••• •'],
    ['phoneNumber', '+15551234567', '+•••••••••••'],
    ['legalLastName', '山田', '••'],
    ['isIntermediary', true, true],
    ['legalMiddleName', undefined, undefined],
    ['dateOfBirth', 19870605, '•'],
    ['shoeSize', 'forty', '•••••'],
    ['shoes', {left: ['red', 44]}, {left: ['•••', '•']}],
  ])('keeps the form of %s and no more', (field, value, expected) => {
    expect(kyc({[field]: value})[field]).toEqual(expected)
  })

  it.each([
    ['employmentStatus', 'EMPLOYED', 'EMPLOYED'],
    ['nationalIdType', 'ssn', 'ssn'],
    ['sourceOfFunds', 'SALE_OF_BOATS', 'SALE_OF_BOATS'],
    ['sourceOfFunds', 'from aunt Zoë', '•••• •••• •••'],
    ['nationalIdType', '900123456', '•••••••••'],
    ['documents', [{type: 'GOVERNMENT_ID', subtype: 'PASSPORT'}], [{type: 'GOVERNMENT_ID', subtype: 'PASSPORT'}]],
  ])('shows codes of %s, and only those: %j', (field, value, expected) => {
    expect(kyc({[field]: value})[field]).toEqual(expected)
  })

  it('tells of a document what it is and how large', () => {
    const frontIdImage = `data:image/png;base64,${'A'.repeat(2048)}`
    expect(kyc({documents: [{frontIdImage}]})).toEqual({
      documents: [{frontIdImage: 'data:image/png;base64,… (3 KB)'}],
    })
  })
})
