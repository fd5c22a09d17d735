// Phone numbers, email addresses and IBANs: validated and normalized.
import {isValidIBAN} from 'ibantools'
import {type CountryCode, parsePhoneNumberFromString} from 'libphonenumber-js/max'
import type {Problem} from '../contract/problems.ts'
import {phoneNumber, usualEmail} from '../contract/scalars.ts'

// Numbers reserved for films and examples. No numbering plan lists them, but people who try svc out should not have to use
// somebody's real number.
const fictitious = [/^\+1555\d{7}$/, /^\+1[2-9]\d{2}555\d{4}$/, /^\+447700900\d{3}$/, /^\+441632960\d{3}$/]

export function validatePhoneNumber(path: string, number: string): Problem | undefined {
  const {error} = phoneNumber.safeParse(number)
  if (error) return {path, message: error.issues[0]?.message ?? 'must be a phone number in E.164 format'}
  if (fictitious.some((range) => range.test(number)) || parsePhoneNumberFromString(number)?.isValid()) return undefined
  return {
    path,
    isWarning: true,
    isDoubt: true,
    message: 'is not a phone number that exists: check its country code and its length',
  }
}

// The address is one by its form.
export const validateEmail = (path: string, address: string): Problem | undefined =>
  usualEmail.safeParse(address).success
    ? undefined
    : {path, isWarning: true, isDoubt: true, message: 'is an unusual email address: check how it is written'}

// Converts a number as people type it to E.164; `country` is the likely one. A number that cannot be parsed keeps its
// digits, so that validation rejects it.
export function normalizePhoneNumber(text: string, country: string | undefined): string {
  const international = text.trim().replace(/^00/, '+')
  const parsed = parsePhoneNumberFromString(international, country as CountryCode | undefined)
  return parsed?.number ?? international.replaceAll(/[\s().-]/g, '')
}

// Spaces and small letters are common in print; dashes are not part of an IBAN.
export const isIban = (text: string): boolean => isValidIBAN(text.replaceAll(' ', '').toUpperCase())
