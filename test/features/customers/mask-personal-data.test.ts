// Masked data keeps its shape and its codes, and loses its content.
import {describe, expect, it} from 'vitest'
import {customerPatch} from '../../../src/contract/customers.ts'
import {maskPersonalData} from '../../../src/customers/mask-personal-data.ts'

const maskKyc = (kycData: Record<string, unknown>) => maskPersonalData({kycData}, customerPatch).kycData

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
  ])('keeps only the shape of %s', (field, value, expected) => {
    expect(maskKyc({[field]: value})[field]).toEqual(expected)
  })

  it.each([
    ['employmentStatus', 'EMPLOYED', 'EMPLOYED'],
    ['nationalIdType', 'ssn', 'ssn'],
    ['sourceOfFunds', 'SALE_OF_BOATS', 'SALE_OF_BOATS'],
    ['sourceOfFunds', 'from aunt Zoë', '•••• •••• •••'],
    ['nationalIdType', '900123456', '•••••••••'],
    ['documents', [{type: 'GOVERNMENT_ID', subtype: 'PASSPORT'}], [{type: 'GOVERNMENT_ID', subtype: 'PASSPORT'}]],
  ])('shows codes of %s, and no other values: %j', (field, value, expected) => {
    expect(maskKyc({[field]: value})[field]).toEqual(expected)
  })

  it('shows the type and the size of a document', () => {
    const frontIdImage = `data:image/png;base64,${'A'.repeat(2048)}`
    expect(maskKyc({documents: [{frontIdImage}]})).toEqual({
      documents: [{frontIdImage: 'data:image/png;base64,… (3 KB)'}],
    })
  })
})
