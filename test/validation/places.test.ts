// Countries, subdivisions, postal codes and phone numbers: which are taken, and what is said of the others.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {getCountryName, validateCountry, isSubdivision} from '../../src/validation/country.ts'
import {findCallingCode, validatePhoneNumber} from '../../src/validation/phone.ts'
import {validatePostalCode} from '../../src/validation/postal-code.ts'

const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`))
const judged = (country: string, code: string) => validatePostalCode('address.postalCode', country, code)?.message

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
  ])('of %s is taken: %s', (country, code) => {
    expect(judged(country, code)).toBeUndefined()
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
  ])('of %s is refused: %s', (country, code, name) => {
    expect(judged(country, code)).toContain(`is not a postal code of ${name}`)
  })

  it('of Egypt has five digits, and of Argentina four in its older form', () => {
    fc.assert(
      fc.property(digits(5), (code) => {
        expect(judged('EG', code)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.oneof(digits(4), digits(6)), (code) => {
        expect(judged('EG', code)).toBeDefined()
      }),
    )
    fc.assert(
      fc.property(digits(4), (code) => {
        expect(judged('AR', code)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.oneof(digits(3), digits(5)), (code) => {
        expect(judged('AR', code)).toBeDefined()
      }),
    )
  })

  it('of a country whose rules nobody knows is any text but none', () => {
    fc.assert(
      fc.property(fc.string(), (code) => {
        expect(judged('AE', code) === undefined).toBe(code.trim() !== '')
      }),
    )
  })
})

describe('a country', () => {
  it('is one of ISO 3166-1, and called by its name', () => {
    for (const code of ['NO', 'GB', 'EG', 'AR', 'US', 'TW'])
      expect(validateCountry('nationality', code)).toBeUndefined()
    expect(getCountryName('AR')).toBe('Argentina')
  })

  // Intl knows names for some of these all the same.
  it.each(['XX', 'ZZ', 'XK', 'EU', 'no', ''])('is refused as %s', (code) => {
    expect(validateCountry('nationality', code)).toEqual({
      path: 'nationality',
      message: 'is not a country of ISO 3166-1',
    })
  })

  it('that is often written otherwise is refused with the code that was meant', () => {
    expect(validateCountry('nationality', 'UK')?.message).toBe('is not a country of ISO 3166-1: United Kingdom is GB')
  })
})

describe('a subdivision', () => {
  it.each([
    ['US', 'IL'],
    ['US', 'il'],
    ['US', 'US-IL'],
    ['US', 'Illinois'],
    ['BR', 'São Paulo'],
    ['BR', 'sao paulo'],
    ['CN', 'BJ'],
    ['CN', 'Beijing'],
    ['NO', 'Møre og Romsdal'],
    ['GB', 'North Yorkshire'],
    ['GB', 'Somewhere in the Dales'],
    ['JP', '石川県'],
    ['CN', '北京'],
    ['VA', 'XYZ'],
  ])('of %s is taken: %s', (country, text) => {
    expect(isSubdivision(country, text)).toBe(true)
  })

  // The numbers were China's codes before.
  it.each([
    ['US', 'ZZ'],
    ['US', 'BR-SP'],
    ['US', 'Narnia'],
    ['US', 'a'],
    ['CN', '11'],
    ['CA', 'TX'],
    ['NO', 'QQ'],
  ])('of %s is not known: %s', (country, text) => {
    expect(isSubdivision(country, text)).toBe(false)
  })
})

describe('a phone number', () => {
  const verdict = (number: string) => validatePhoneNumber('phoneNumber', number)?.message

  it.each(['+447911123456', '+14155552671', '+4799999999', '+919876543210', '+5491123456789', '+201001234567'])(
    'that can exist is taken: %s',
    (number) => {
      expect(verdict(number)).toBeUndefined()
    },
  )

  it.each(['+15551234567', '+12025550123', '+447700900123', '+441632960001'])(
    'that is kept free for fiction is taken: %s',
    (number) => {
      expect(verdict(number)).toBeUndefined()
    },
  )

  it.each(['07911 123456', '447911123456', '+44 7911 123456', '+0447911123456', '', '+1', '+4479111234567890'])(
    'that is not in E.164 format is refused: %j',
    (number) => {
      expect(verdict(number)).toContain('E.164')
    },
  )

  it.each(['+4479111', '+999123456789', '+11234567890', '+4412345678901', '+210123456789'])(
    'that cannot exist is refused although its form is right: %s',
    (number) => {
      expect(verdict(number)).toContain('is not a phone number that exists')
    },
  )

  it('is compared by its calling code, since countries share one', () => {
    expect(findCallingCode('+447911123456')).toBe('44')
    expect(findCallingCode('+441481960194')).toBe('44')
    expect(findCallingCode('nonsense')).toBeUndefined()
  })
})
