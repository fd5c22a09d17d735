// The parts of a submission that an issue concerns, by its code and by its message.
import {describe, expect, it} from 'vitest'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {findPartsInMessage} from '../../../src/customers/wizard/correction.ts'
import {type Part, isOfPart, partsByType} from '../../../src/customers/wizard/submission.ts'

const {INDIVIDUAL: personParts, BUSINESS: businessParts} = partsByType

const names = (parts: readonly Part[]) => parts.map(({paths: [first = '']}) => first.split('.')[1])

describe('the parts that an issue concerns', () => {
  it.each(issueCodes.flatMap(({fields}) => fields).filter((field, index, all) => all.indexOf(field) === index))(
    'include exactly one for the field %s of a code',
    (field) => {
      expect(personParts.filter((part) => isOfPart(`kycData.${field}`, part))).toHaveLength(1)
    },
  )

  it.each([
    ['Missing: phoneNumber, nationality. Provide them.', ['nationality', 'phoneNumber']],
    ['address.city is not known in this country. Correct it.', ['address']],
    ['documents[0].expirationDate: The document has expired.', ['documents']],
    ['expirationDate lies before issuanceDate.', ['documents']],
    ['nationalIdNumber does not fit nationalIdType', ['nationalIdType']],
    ['kycData.address.postalCode is wrong', ['address']],
    ['postalCode, and the country of the document', ['address']],
    ['The type of the city is described by its title.', []],
    ['', []],
  ])('of a person are found in "%s"', (message, expected) => {
    expect(names(findPartsInMessage(personParts, message))).toEqual(expected)
  })

  it.each([
    [
      'Missing: businessInfo.legalBusinessName, associatedPersons[0].phoneNumber.',
      ['businessInfo', 'associatedPersons'],
    ],
    ['associatedPersons[1].documents[0]: The document has expired.', ['associatedPersons']],
    ['businessDocuments[0]: No document was found.', ['businessDocuments']],
    ['The shares in ownershipPercentage add up to more than 100.', ['associatedPersons']],
    ['businessRegistrationNumber is unknown', ['businessRegistrationNumber']],
    ['highRiskActivitiesExplanation is too short', ['conductsMoneyServices']],
    ['businessOperatingAddress.postalCode is wrong', ['businessOperatingAddress']],
  ])('of a business are found in "%s"', (message, expected) => {
    expect(names(findPartsInMessage(businessParts, message))).toEqual(expected)
  })
})
