// Judges a postal code by the rules of its country.
import {postcodeValidator, postcodeValidatorExistsForCountry} from 'postcode-validator'
import type {Problem} from '../contract/problems.ts'
import {getCountryName} from './country.ts'

// What the library does not know: Argentina's older form, four digits, is still the one that most people use.
const patternsBeside: Readonly<Record<string, RegExp>> = {AR: /^\d{4}$/}

// A form that shows what is meant, where the rules changed lately and questions come up.
const examples: Readonly<Record<string, string>> = {AR: '1425 or C1425ABC', EG: '11511', GB: 'SW1A 1AA', US: '62701'}

function isPostalCode(country: string, text: string): boolean {
  const code = text.trim().toUpperCase()
  if (code === '') return false
  if (!postcodeValidatorExistsForCountry(country)) return true
  return postcodeValidator(code, country) || (patternsBeside[country]?.test(code) ?? false)
}

// Whether there must be one is not judged here: not every country has them.
export function validatePostalCode(path: string, country: string, code: string): Problem | undefined {
  if (isPostalCode(country, code)) return undefined
  const example = examples[country]
  return {path, message: `is not a postal code of ${getCountryName(country)}${example ? `, such as ${example}` : ''}`}
}
