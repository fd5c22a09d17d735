import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {validatePostalCode} from '../../src/values/verification-data.ts'

const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`))
const validate = (country: string, code: string) => validatePostalCode('address.postalCode', country, code)?.message

describe('a postal code', () => {
  it.each([
    ['EG', '11511'],
    ['EG', '21500'],
    ['AR', '1425'],
    ['AR', 'C1425ABC'],
    ['AR', 'c1425abc'],
    ['GB', 'SW1A 1AA'],
    ['GB', 'sw1a1aa'],
    ['GB', 'M1 1AE'],
    ['GB', ' YO1 7HH '],
    ['US', '62701'],
    ['US', '62701-1234'],
    ['CA', 'b3h 0a1'],
    ['JP', '920-0923'],
    ['JP', '1000001'],
    ['AZ', 'AZ 1000'],
    ['MD', 'MD-2001'],
    ['HT', 'HT6110'],
    ['NI', '11001'],
    ['SV', '1101'],
    ['PY', '001001'],
    ['KH', '120101'],
    ['SA', '11564-1234'],
    ['IN', '110 001'],
    ['PL', '00001'],
    ['CL', '832-0000'],
    ['GB', 'GIR 0AA'],
    ['GB', 'BFPO 801'],
    ['CH', 'CH-8001'],
    ['US', '62701 1234'],
  ])('of %s is valid: %s', (country, code) => {
    expect(validate(country, code)).toBeUndefined()
  })

  it.each([
    ['EG', '1151', 'Egypt, such as 11511'],
    ['EG', '115111', 'Egypt'],
    ['EG', 'A1511', 'Egypt'],
    ['AR', '142', 'Argentina, such as 1425 or C1425ABC'],
    ['AR', '14255', 'Argentina'],
    ['AR', 'C1425AB1', 'Argentina'],
    ['GB', '12345', 'United Kingdom, such as SW1A 1AA'],
    ['GB', 'SW1A', 'United Kingdom'],
    ['US', '6270', 'United States'],
    ['US', ' ', 'United States'],
  ])('of %s is invalid: %s', (country, code, name) => {
    expect(validate(country, code)).toContain(`is not a postal code of ${name}`)
  })

  it('of Egypt has five digits, and of Argentina four in the older format', () => {
    fc.assert(
      fc.property(digits(5), (code) => {
        expect(validate('EG', code)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.oneof(digits(4), digits(6)), (code) => {
        expect(validate('EG', code)).toBeDefined()
      }),
    )
    fc.assert(
      fc.property(digits(4), (code) => {
        expect(validate('AR', code)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.oneof(digits(3), digits(5)), (code) => {
        expect(validate('AR', code)).toBeDefined()
      }),
    )
  })

  it('of a country without known rules is any text that is not blank', () => {
    fc.assert(
      fc.property(fc.string(), (code) => {
        expect(validate('AE', code) === undefined).toBe(code.trim() !== '')
      }),
    )
  })
})
