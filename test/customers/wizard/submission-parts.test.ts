// The parts of a submission that an issue concerns, by its code and by its message.
import {describe, expect, it} from 'vitest'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {findPartsByFields, findPartsInMessage} from '../../../src/customers/wizard/choose-correction.ts'
import {submissions} from '../../../src/customers/wizard/parts.ts'

const {INDIVIDUAL: personSubmission, BUSINESS: businessSubmission} = submissions

const names = (parts: ReadonlyArray<{name: string}>) => parts.map(({name}) => name)

describe('the parts that an issue concerns', () => {
  it.each(issueCodes.flatMap(({fields}) => fields).filter((field, index, all) => all.indexOf(field) === index))(
    'include exactly one for the field %s of a code',
    (field) => {
      expect(findPartsByFields(personSubmission, [field])).toHaveLength(1)
    },
  )

  it.each([
    ['Missing: phoneNumber, nationality. Provide them.', ['nationality', 'phoneNumber']],
    ['address.city is not known in this country. Correct it.', ['address']],
    ['documents[0].expirationDate: The document has expired.', ['documents']],
    ['expirationDate lies before issuanceDate.', ['documents']],
    ['nationalIdNumber does not fit nationalIdType', ['nationalId']],
    ['kycData.address.postalCode is wrong', ['address']],
    ['postalCode, and the country of the document', ['address']],
    ['The type of the city is described by its title.', []],
    ['', []],
  ])('of a person are found in "%s"', (message, expected) => {
    expect(names(findPartsInMessage(personSubmission, message))).toEqual(expected)
  })

  it.each([
    [
      'Missing: businessInfo.legalBusinessName, associatedPersons[0].phoneNumber.',
      ['businessInfo', 'associatedPersons'],
    ],
    ['associatedPersons[1].documents[0]: The document has expired.', ['associatedPersons']],
    ['businessDocuments[0]: No document was found.', ['businessDocuments']],
    ['The shares in ownershipPercentage add up to more than 100.', ['associatedPersons']],
    ['businessRegistrationNumber is unknown', ['money']],
    ['highRiskActivitiesExplanation is too short', ['conduct']],
    ['businessOperatingAddress.postalCode is wrong', ['businessOperatingAddress']],
  ])('of a business are found in "%s"', (message, expected) => {
    expect(names(findPartsInMessage(businessSubmission, message))).toEqual(expected)
  })
})
