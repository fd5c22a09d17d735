// The parts of a submission that an issue concerns, by its code.
import {describe, expect, it} from 'vitest'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {isOfPart, partsByType} from '../../../src/customers/wizard/submission.ts'

const {INDIVIDUAL: personParts} = partsByType

describe('the parts that an issue concerns', () => {
  it.each(issueCodes.flatMap(({fields}) => fields).filter((field, index, all) => all.indexOf(field) === index))(
    'include exactly one for the field %s of a code',
    (field) => {
      expect(personParts.filter((part) => isOfPart(`kycData.${field}`, part))).toHaveLength(1)
    },
  )
})
