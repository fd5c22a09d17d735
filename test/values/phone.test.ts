import {describe, expect, it} from 'vitest'
import {validatePhoneNumber} from '../../src/values/identifiers.ts'

describe('a phone number', () => {
  const validate = (number: string) => validatePhoneNumber('phoneNumber', number)?.message

  it.each(['+447911123456', '+14155552671', '+4799999999', '+919876543210', '+5491123456789', '+201001234567'])(
    'that can exist is valid: %s',
    (number) => {
      expect(validate(number)).toBeUndefined()
    },
  )

  it.each(['+15551234567', '+12025550123', '+447700900123', '+441632960001'])(
    'that is reserved for fiction is valid: %s',
    (number) => {
      expect(validate(number)).toBeUndefined()
    },
  )

  it.each(['07911 123456', '447911123456', '+44 7911 123456', '+0447911123456', '', '+1', '+4479111234567890'])(
    'that is not in E.164 format is invalid: %j',
    (number) => {
      expect(validate(number)).toContain('E.164')
    },
  )

  it.each(['+4479111', '+999123456789', '+11234567890', '+4412345678901', '+210123456789'])(
    'that cannot exist is invalid although its format is right: %s',
    (number) => {
      expect(validate(number)).toContain('is not a phone number that exists')
    },
  )
})
