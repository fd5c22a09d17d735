// What identifies somebody: phone numbers, IBANs, countries, subdivisions and postal codes.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {getCountryName, isSubdivision, validateCountry} from '../../../src/values/countries.ts'
import {isIban, validatePhoneNumber} from '../../../src/values/identifiers.ts'
import {validatePostalCode} from '../../../src/values/verification-data.ts'
import {seed} from '../../support/seed.ts'

it.each([
  [isIban, ['DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32', 'no9386011117947'], true],
  [isIban, ['', 'DE88370400440532013000', 'DE89', 'DE89370400440532013000'.repeat(2), '89DE370400440532'], false],
])('an IBAN is checked by %o: %j', (check, texts, isValid) => {
  for (const text of texts) expect([text, check(text)]).toEqual([text, isValid])
})

it.each([
  ['can exist', undefined, ['+447911123456', '+14155552671', '+4799999999', '+919876543210', '+201001234567']],
  ['is reserved for fiction', undefined, ['+15551234567', '+12025550123', '+447700900123', '+441632960001']],
  ['is not in E.164', 'E.164', ['07911 123456', '447911123456', '+44 7911 123456', '+0447911123456', '', '+1']],
  ['cannot exist', 'is not a phone number that exists', ['+4479111', '+999123456789', '+11234567890']],
])('a phone number that %s is judged as such', (_, problem, numbers) => {
  for (const number of numbers) {
    const found = validatePhoneNumber('phoneNumber', number)?.message
    expect([number, problem === undefined ? found === undefined : found?.includes(problem)]).toEqual([number, true])
  }
})

describe('a country', () => {
  it('is one of ISO 3166-1, and has a name', () => {
    for (const code of ['NO', 'GB', 'EG', 'US', 'TW']) expect(validateCountry('nationality', code)).toBeUndefined()
    expect(getCountryName('AR')).toBe('Argentina')
  })

  // Intl has names for some of these, too.
  it.each(['EU', 'SU', 'no', '', 'UK'])('is a problem as %s, with the right code for a common mistake', (code) => {
    const message = `is not a country of ISO 3166-1${code === 'UK' ? ': United Kingdom is GB' : ''}`
    expect(validateCountry('nationality', code)).toEqual({path: 'nationality', message})
  })

  it.each(['XX', 'ZZ', 'XK', 'AA', 'QM'])('is a doubt as %s, which ISO 3166-1 leaves to its users', (code) => {
    expect(validateCountry('nationality', code)).toMatchObject({isWarning: true, isDoubt: true})
  })
})

// China's codes used to be numbers. Other scripts, and regions of countries without states, are not judged.
it.each([
  ['US', ['IL', 'il', 'US-IL', 'Illinois'], ['ZZ', 'BR-SP', 'Narnia', 'a']],
  ['BR', ['São Paulo', 'sao paulo'], []],
  ['CN', ['BJ', 'Beijing', '北京'], ['11']],
  ['CA', [], ['TX']],
  ['NO', ['Møre og Romsdal'], ['QQ']],
  ['GB', ['North Yorkshire', 'Somewhere in the Dales'], []],
  ['JP', ['石川県'], []],
  ['VA', ['XYZ'], []],
])('a subdivision of %s is known as %j, and not as %j', (country, known, unknown) => {
  for (const text of known) expect([text, isSubdivision(country, text)]).toEqual([text, true])
  for (const text of unknown) expect([text, isSubdivision(country, text)]).toEqual([text, false])
})

describe('a postal code', () => {
  const validate = (country: string, code: string) => validatePostalCode('address.postalCode', country, code)?.message
  const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`))

  it.each([
    ['AR', ['1425', 'C1425ABC', 'c1425abc'], ['142', '14255', 'C1425AB1'], 'Argentina, such as 1425 or C1425ABC'],
    ['CA', ['b3h 0a1'], [], ''],
    ['CH', ['CH-8001'], [], ''],
    ['EG', ['11511'], ['1151', '115111', 'A1511'], 'Egypt, such as 11511'],
    ['GB', ['SW1A 1AA', 'sw1a1aa', ' YO1 7HH ', 'GIR 0AA', 'BFPO 801'], ['12345', 'SW1A'], 'United Kingdom'],
    ['IN', ['110 001'], [], ''],
    ['JP', ['920-0923', '1000001'], [], ''],
    ['PL', ['00001'], [], ''],
    ['US', ['62701', '62701-1234', '62701 1234'], ['6270', ' '], 'United States'],
  ])('of %s is valid as %j, and not as %j', (country, valid, invalid, name) => {
    for (const code of valid) expect([code, validate(country, code)]).toEqual([code, undefined])
    for (const code of invalid) expect(validate(country, code)).toContain(`is not a postal code of ${name}`)
  })

  it.each(['AZ', 'MD', 'HT', 'NI', 'SV', 'PY', 'KH', 'SA', 'CL', 'AE'])(
    'of %s, whose format is not certain, is any text that is not blank',
    (country) => {
      fc.assert(
        fc.property(fc.oneof(fc.string(), digits(5)), (code) => {
          expect(validate(country, code) === undefined).toBe(code.trim() !== '')
        }),
        {seed},
      )
    },
  )
})
