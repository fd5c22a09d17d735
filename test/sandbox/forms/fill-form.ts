// Fills in hosted forms in process, as a browser without JavaScript would.
import {expect} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {png} from '../../features/values/images.ts'

export const individual = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}
export const business = {customerType: 'BUSINESS', email: 'office@example.com'}

export const getLink = ({verificationLink}: {verificationLink?: string | undefined}) => verificationLink ?? ''

export interface Page {
  status: number
  headers: Headers
  text: string
}

export async function getPage(sandbox: Sandbox, link: string): Promise<Page> {
  const response = await sandbox.fetch(new Request(link))
  return {status: response.status, headers: response.headers, text: await response.text()}
}

export const readCsrf = ({text}: Page) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

export type FormInput = Record<string, string | readonly string[] | File>

export function toFormData(filled: FormInput): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(filled)) {
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, each as string | File)
  }
  return form
}

export async function postForm(sandbox: Sandbox, link: string, filled: FormInput): Promise<Page> {
  const response = await sandbox.fetch(new Request(link, {method: 'POST', body: toFormData(filled)}))
  return {status: response.status, headers: response.headers, text: await response.text()}
}

// Opens the form to get its CSRF token, and posts it.
export async function sendForm(sandbox: Sandbox, link: string, filled: FormInput): Promise<Page> {
  const page = await getPage(sandbox, link)
  expect(page.status).toBe(200)
  return postForm(sandbox, link, {csrf: readCsrf(page), ...filled})
}

const imageFile = (name = 'passport.png') => new File([png({bytes: 101 * 1024})], name, {type: 'image/png'})

export const completeKycForm: FormInput = {
  'kycData.legalFirstName': 'Ines',
  'kycData.legalMiddleName': '',
  'kycData.legalLastName': 'Vardø',
  'kycData.phoneNumber': '+44 7700 900123',
  'kycData.dateOfBirth': '1990-04-23',
  'kycData.nationality': 'NO',
  'kycData.address.countryCode': 'NO',
  'kycData.address.streetLine1': 'Naustveien 3',
  'kycData.address.streetLine2': '',
  'kycData.address.city': 'Ålesund',
  'kycData.address.postalCode': '6002',
  'kycData.documents[0].type': 'GOVERNMENT_ID',
  'kycData.documents[0].subtype': 'PASSPORT',
  'kycData.documents[0].countryCode': 'NO',
  'kycData.documents[0].documentIdNumber': 'X123',
  'kycData.documents[0].issuanceDate': '2022-06-01',
  'kycData.documents[0].expirationDate': '2032-06-01',
  'kycData.documents[0].frontIdImage': imageFile(),
}

const completeKybForm: FormInput = {
  'kybData.businessInfo.legalBusinessName': 'Driftwood Books Ltd',
  'kybData.businessInfo.businessType': 'LIMITED_COMPANY',
  'kybData.businessInfo.registrationCountry': 'GB',
  'kybData.businessRegisteredAddress.countryCode': 'GB',
  'kybData.businessRegisteredAddress.streetLine1': '5 Millrace Lane',
  'kybData.businessRegisteredAddress.city': 'York',
  'kybData.businessRegisteredAddress.postalCode': 'YO1 7HH',
  'kybData.businessDocuments[0].type': 'ARTICLES_OF_INCORPORATION',
  'kybData.businessDocuments[0].documentImage': imageFile('articles.png'),
  ...Object.fromEntries(
    Object.entries(completeKycForm).map(([name, value]) => [
      name.replace('kycData', 'kybData.associatedPersons[0]'),
      value,
    ]),
  ),
}

// What the form of each kind of customer, and that of a bank account by SEPA, accepts.
export const completeForms = {
  INDIVIDUAL: completeKycForm,
  BUSINESS: completeKybForm,
  SEPA: {
    isThirdParty: 'false',
    'externalBankAccount.bankName': 'Lighthouse Bank',
    'externalBankAccount.iban': 'DE89370400440532013000',
  },
} as const satisfies Record<string, FormInput>

const unescape = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

// The controls of a page with their values, as a browser would post them.
export function readControls({text}: Page): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const name = /\sname="([^"]*)"/.exec(tag)?.[1]
    const type = /\stype="([^"]*)"/.exec(tag)?.[1] ?? 'text'
    if (name === undefined || type === 'file') continue
    if ((type === 'radio' || type === 'checkbox') && !/\schecked/.test(tag)) continue
    values[unescape(name)] = unescape(/\svalue="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, name = '', inner = ''] of text.matchAll(/<select[^>]*\sname="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    values[unescape(name)] = unescape(/<option value="([^"]*)" selected/.exec(inner)?.[1] ?? '')
  }
  for (const [, name = '', inner = ''] of text.matchAll(/<textarea[^>]*\sname="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs)) {
    values[unescape(name)] = unescape(inner)
  }
  return values
}

// The error, issue or hint shown at a field.
export function readNote({text}: Page, path: string, what: 'error' | 'issue' | 'hint'): string {
  const id = `${path.replaceAll(/[[\].:]+/g, '-')}-${what}`
  return unescape(new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(text)?.[1] ?? '')
}

export const readTitle = ({text}: Page) => /<title>([^<]*)</.exec(text)?.[1]

export const readSummary = ({text}: Page, id: 'errors' | 'corrections' = 'errors'): string[] => {
  const inner = new RegExp(`<section[^>]*id="${id}".*?</section>`, 's').exec(text)?.[0] ?? ''
  return [...inner.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) =>
    unescape(item.replaceAll(/<[^>]*>/g, '').trim()),
  )
}
