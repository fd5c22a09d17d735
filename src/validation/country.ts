// Judges countries and their subdivisions by ISO 3166, and calls a country by its name.
import {iso31661, iso31662} from 'iso-3166'
import type {Problem} from '../contract/problems.ts'

const countries = new Set(iso31661.map(({alpha2}) => alpha2))

// What people type for a country whose code is another.
const commonMistakes: Readonly<Record<string, string>> = {UK: 'GB', EL: 'GR', EN: 'GB', SP: 'ES', UN: 'US'}

// In these an address names its state, so that a name which is no state's is wrong. Elsewhere regions have many names.
const countriesWithStates = new Set(['AU', 'BR', 'CA', 'CN', 'IN', 'MX', 'US'])

const subdivisionCodeLengthMax = 3
const nameLengthMin = 4

const names = new Intl.DisplayNames('en', {type: 'region'})

export const getCountryName = (code: string): string => (countries.has(code) ? (names.of(code) ?? code) : code)

// Every country to choose from, by name.
export const countryChoices = iso31661
  .map(({alpha2}) => ({name: `${getCountryName(alpha2)} (${alpha2})`, value: alpha2}))
  .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))

// The states of a country in which an address names one, by name; none where addresses do without.
export const listStateChoices = (country: string) =>
  countriesWithStates.has(country)
    ? iso31662
        .filter(({code}) => code.startsWith(`${country}-`))
        .map(({code, name}) => ({
          name: `${name} (${code.slice(country.length + 1)})`,
          value: code.slice(country.length + 1),
        }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    : []

export function validateCountry(path: string, code: string): Problem | undefined {
  if (countries.has(code)) return undefined
  const meant = commonMistakes[code]
  return {path, message: `is not a country of ISO 3166-1${meant ? `: ${getCountryName(meant)} is ${meant}` : ''}`}
}

const stripAccents = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

// Takes the code with or without its country, or the name. What cannot be judged is believed.
export function isSubdivision(country: string, text: string): boolean {
  const within = iso31662.filter(({code}) => code.startsWith(`${country}-`))
  if (within.length === 0) return true
  const wanted = text.trim()
  const asCode = wanted.toUpperCase()
  if (within.some(({code}) => code === asCode || code === `${country}-${asCode}`)) return true
  if (/^[A-Z\d]+$/i.test(wanted) && wanted.length <= subdivisionCodeLengthMax) return false
  if (!countriesWithStates.has(country) || !/\p{Script=Latin}/u.test(wanted)) return true
  return wanted.length >= nameLengthMin && within.some(({name}) => stripAccents(name).includes(stripAccents(wanted)))
}
