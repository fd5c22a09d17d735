// Validates postal codes by country.
import {postcodeValidator, postcodeValidatorExistsForCountry} from 'postcode-validator'
import type {Problem} from '../contract/problems.ts'
import {getCountryName} from './country.ts'
import {lookUp} from './look-up.ts'

// Formats that the library lacks: most people in Argentina still use the old four-digit codes.
const patternsBeside: Readonly<Record<string, RegExp>> = {AR: /^\d{4}$/}

// Examples for countries with recently changed or often mistyped codes.
const examples: Readonly<Record<string, string>> = {AR: '1425 or C1425ABC', EG: '11511', GB: 'SW1A 1AA', US: '62701'}

function isPostalCode(country: string, text: string): boolean {
  const code = text.trim().toUpperCase()
  if (code === '') return false
  if (!postcodeValidatorExistsForCountry(country)) return true
  return postcodeValidator(code, country) || (lookUp(patternsBeside, country)?.test(code) ?? false)
}

// Does not check whether a postal code is required, since not every country has them.
export function validatePostalCode(path: string, country: string, code: string): Problem | undefined {
  if (isPostalCode(country, code)) return undefined
  const example = lookUp(examples, country)
  return {
    path,
    isWarning: true,
    message: `is not a postal code of ${getCountryName(country)}${example ? `, such as ${example}` : ''}`,
  }
}
