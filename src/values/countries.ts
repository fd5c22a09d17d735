// Validates country and subdivision codes against ISO 3166, and names countries.
import {iso31661, iso31662} from 'iso-3166'
import type {Problem} from '../contract/problems.ts'
import {lookUp} from './records.ts'
import {foldCase} from './text.ts'

const countries = new Set(iso31661.map(({alpha2}) => alpha2))

// Codes that people type by mistake, with the code they mean.
const commonMistakes: Readonly<Record<string, string>> = {UK: 'GB', EL: 'GR', EN: 'GB', SP: 'ES', UN: 'US'}

// Addresses in these countries name a state, so an unknown state is wrong. In other countries regions have many names.
const countriesWithStates = new Set(['AU', 'BR', 'CA', 'CN', 'IN', 'MX', 'US'])

const subdivisionCodeLengthMax = 3
const nameLengthMin = 4

const names = new Intl.DisplayNames('en', {type: 'region'})

export const getCountryName = (code: string): string => (countries.has(code) ? (names.of(code) ?? code) : code)

const listChoices = (named: ReadonlyArray<{code: string; name: string}>) =>
  named
    .map(({code, name}) => ({name: `${name} (${code})`, value: code}))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))

export const countryChoices = listChoices(iso31661.map(({alpha2}) => ({code: alpha2, name: getCountryName(alpha2)})))

// Their codes without that of the country.
const listSubdivisions = (country: string) =>
  iso31662.flatMap(({code, name}) =>
    code.startsWith(`${country}-`) ? [{code: code.slice(country.length + 1), name}] : [],
  )

// None for countries whose addresses name no state.
export const listStateChoices = (country: string) =>
  countriesWithStates.has(country) ? listChoices(listSubdivisions(country)) : []

// Codes that ISO 3166-1 leaves to its users, such as XK for Kosovo.
const userAssignedCode = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/

export function validateCountry(path: string, code: string): Problem | undefined {
  if (countries.has(code)) return undefined
  if (userAssignedCode.test(code)) {
    const message = 'is a code that ISO 3166-1 leaves to its users, so the service may not know it'
    return {path, isWarning: true, isDoubt: true, message}
  }
  const intended = lookUp(commonMistakes, code)
  return {
    path,
    message: `is not a country of ISO 3166-1${intended ? `: ${getCountryName(intended)} is ${intended}` : ''}`,
  }
}

// Accepts the code with or without its country, or the name. Returns true where there is nothing to compare with.
export function isSubdivision(country: string, text: string): boolean {
  const subdivisions = listSubdivisions(country)
  if (subdivisions.length === 0) return true
  const wanted = text.trim()
  const asCode = wanted.toUpperCase()
  if (subdivisions.some(({code}) => code === asCode || `${country}-${code}` === asCode)) return true
  if (/^[A-Z\d]+$/i.test(wanted) && wanted.length <= subdivisionCodeLengthMax) return false
  if (!countriesWithStates.has(country) || !/\p{Script=Latin}/u.test(wanted)) return true
  return wanted.length >= nameLengthMin && subdivisions.some(({name}) => foldCase(name).includes(foldCase(wanted)))
}
