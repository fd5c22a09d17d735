// Judges a phone number: its form, and whether a number like this can exist.
import {type CountryCode, parsePhoneNumberFromString} from 'libphonenumber-js/max'
import type {Problem} from '../contract/problems.ts'
import {phoneNumber} from '../contract/scalars.ts'

// Numbers that belong to nobody, kept free for films and examples. No numbering plan lists them, but a person who tries
// something out should not have to type the number of another.
const fictitious = [/^\+1555\d{7}$/, /^\+1[2-9]\d{2}555\d{4}$/, /^\+447700900\d{3}$/, /^\+441632960\d{3}$/]

export function validatePhoneNumber(path: string, number: string): Problem | undefined {
  const {error} = phoneNumber.safeParse(number)
  if (error) return {path, message: error.issues[0]?.message ?? 'must be a phone number in E.164 format'}
  if (fictitious.some((range) => range.test(number)) || parsePhoneNumberFromString(number)?.isValid()) return undefined
  return {path, message: 'is not a phone number that exists: check its country code and its length'}
}

// Countries share calling codes (a mobile number of Guernsey looks British), so it is the codes that are compared.
export const findCallingCode = (number: string): string | undefined =>
  parsePhoneNumberFromString(number)?.countryCallingCode

// A number as people type it, in the form of E.164: the country is the one it is most likely of. What cannot be read
// stays as it is, for the check to refuse.
export function normalizePhoneNumber(text: string, country: string | undefined): string {
  const international = text.trim().replace(/^00/, '+')
  const parsed = parsePhoneNumberFromString(international, country as CountryCode | undefined)
  return parsed?.number ?? international.replaceAll(/[\s().-]/g, '')
}
