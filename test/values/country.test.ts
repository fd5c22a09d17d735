import {describe, expect, it} from 'vitest'
import {getCountryName, isSubdivision, validateCountry} from '../../src/values/countries.ts'

describe('a country', () => {
  it('is one of ISO 3166-1, and has a name', () => {
    for (const code of ['NO', 'GB', 'EG', 'AR', 'US', 'TW'])
      expect(validateCountry('nationality', code)).toBeUndefined()
    expect(getCountryName('AR')).toBe('Argentina')
  })

  // Intl has names for some of these, too.
  it.each(['EU', 'SU', 'no', ''])('is invalid as %s', (code) => {
    expect(validateCountry('nationality', code)).toEqual({
      path: 'nationality',
      message: 'is not a country of ISO 3166-1',
    })
  })

  it.each(['XX', 'ZZ', 'XK', 'AA', 'QM'])('is a warning as %s, which ISO 3166-1 leaves to its users', (code) => {
    expect(validateCountry('nationality', code)).toEqual({
      path: 'nationality',
      isWarning: true,
      isDoubt: true,
      message: 'is a code that ISO 3166-1 leaves to its users, so the service may not know it',
    })
  })

  it('that is often mistyped is rejected with the right code', () => {
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
  ])('of %s is known: %s', (country, text) => {
    expect(isSubdivision(country, text)).toBe(true)
  })

  // China's codes used to be numbers.
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
