// The answers of an invented person and an invented business, and the same data as files.
import fs from 'node:fs'
import path from 'node:path'
import {jpeg, pdf} from '../validation/images.ts'
import {answer, choose} from './wizard-keys.ts'
import type {Home} from './svc.ts'
import type {Screen} from './terminal.ts'

const kilobyte = 1024

// ID numbers that must never appear on a terminal.
export const hiddenNumbers = ['900-12-3456', 'X0090817']

export function writeDocuments({folder}: Home): void {
  fs.writeFileSync(path.join(folder, 'passport.jpg'), jpeg({bytes: 120 * kilobyte}))
  fs.writeFileSync(path.join(folder, 'articles.pdf'), pdf({bytes: 120 * kilobyte}))
}

async function answerAddress(screen: Screen, prefix = ''): Promise<void> {
  const label = (text: string) => (prefix === '' ? text : `${prefix}: ${text.toLowerCase()}`)
  await choose(screen, label('Country'), 'us', 'United States (US)')
  await answer(screen, label('Street and number:'), '77 Marmalade Row')
  await answer(screen, label('Flat, floor or building:'))
  await answer(screen, label('City:'), 'Fernhollow')
  await choose(screen, label('State'), 'massa', 'Massachusetts (MA)')
  await answer(screen, label('ZIP code:'), '02139')
}

async function answerIdentity(screen: Screen, first: string, last: string): Promise<void> {
  await answer(screen, 'First name, as on the ID:', first)
  await answer(screen, 'Middle name:')
  await answer(screen, 'Last name, as on the ID:', last)
  await answer(screen, 'Date of birth:', '1987.6.5')
  await choose(screen, 'Nationality', 'us', 'United States (US)')
  await answer(screen, 'Phone number:', '(555) 123-4567')
}

async function answerNationalId(screen: Screen): Promise<void> {
  await answer(screen, 'Add a national ID or tax number?', 'y')
  await choose(screen, 'Kind of national ID', '\u001b[B\u001b[B', 'NATIONAL_ID')
  await answer(screen, 'Number of the national ID:', '900-12-3456')
  await answer(screen, 'Country that issued the national ID')
}

async function answerPassport(screen: Screen): Promise<void> {
  await answer(screen, 'Kind of document')
  await choose(screen, 'Which document', '\u001b[B', 'PASSPORT')
  await answer(screen, 'Country that issued it')
  await answer(screen, 'Number on the document:', 'X0090817')
  await answer(screen, 'Issued on:', '2021-03-04')
  await answer(screen, 'Valid until:', '2031-03-03')
  await answer(screen, 'Image of the front:', 'passport.jpg')
  await answer(screen, 'Notes about the document:')
}

// All questions about the KYC data.
export async function answerKyc(screen: Screen): Promise<void> {
  await answerIdentity(screen, 'Zephyrine', 'Quillfeather')
  await answerAddress(screen)
  await answerNationalId(screen)
  await answer(screen, 'Employment')
  await answer(screen, 'Occupation, as a code or a title:', 'lighthouse keeper')
  await answer(screen, 'Where the money comes from')
  await answer(screen, 'What the account is for')
  await answer(screen, 'Another purpose, in words:')
  await answer(screen, 'Payments expected in a month, in USD')
  await answer(screen, 'Does the customer act on behalf of others?')
  await answer(screen, 'Add a document?', 'y')
  await answerPassport(screen)
  await answer(screen, 'Add another document?', 'n')
}

// The same data as a file.
export const kycFile = `customerType: INDIVIDUAL
email: zephyrine@example.com
kycData:
  legalFirstName: Zephyrine
  legalLastName: Quillfeather
  dateOfBirth: 1987-06-05
  nationality: US
  phoneNumber: +15551234567
  address:
    countryCode: US
    streetLine1: 77 Marmalade Row
    city: Fernhollow
    stateRegionProvince: MA
    postalCode: 02139
  nationalIdType: NATIONAL_ID
  nationalIdNumber: 900-12-3456
  nationalIdIssuingCountry: US
  mostRecentOccupation: lighthouse keeper
  isIntermediary: false
  documents:
    - type: GOVERNMENT_ID
      subtype: PASSPORT
      countryCode: US
      documentIdNumber: X0090817
      issuanceDate: 2021-03-04
      expirationDate: 2031-03-03
      frontIdImage: ./passport.jpg
`

async function answerOwner(screen: Screen, first: string, share: string): Promise<void> {
  await answerIdentity(screen, first, 'Quillfeather')
  await answer(screen, 'Email address:')
  await answer(screen, 'Title in the business:')
  await answer(screen, 'Share of the business in per cent:', share)
  await answer(screen, 'Does this person control the business?', 'y')
  await answer(screen, 'May this person sign for the business?')
  await answer(screen, 'Is this person a director?')
  await answerAddress(screen)
  await answerNationalId(screen)
  await answer(screen, 'Add a document?', 'y')
  await answerPassport(screen)
  await answer(screen, 'Add another document?', 'n')
}

async function answerBusiness(screen: Screen): Promise<void> {
  await answer(screen, 'Legal name of the business:')
  await answer(screen, 'Name it does business as:')
  await choose(screen, 'Legal form', '\u001b[B', 'C_CORPORATION')
  await answer(screen, 'Industry code:')
  await answer(screen, 'What the business does:')
  await answer(screen, 'Website:', 'https://example.com')
  await answer(screen, 'Founded on:', '2019-01-02')
  await choose(screen, 'Country of registration', 'us', 'United States (US)')
  await answer(screen, 'Is it a DAO?')
  await answer(screen, 'Other links or handles:', '@quill, @feather')
  await answerAddress(screen, 'Registered address')
  await answer(screen, 'Does it operate at another address?', 'n')
}

async function answerMoney(screen: Screen): Promise<void> {
  await answer(screen, 'Registration number:', '12-34567')
  await answer(screen, 'Where the money comes from')
  await answer(screen, 'Where the money comes from, in words:')
  await answer(screen, 'What the account is for')
  await answer(screen, 'Another purpose, in words:')
  await answer(screen, 'Volume expected in a month, in USD')
  await answer(screen, 'Revenue in a year, in USD')
  await answer(screen, 'Does the business conduct money services?')
  await answer(screen, 'Does it operate in prohibited countries?')
  await answer(screen, 'How it screens for compliance:')
  await answer(screen, 'High-risk activities:')
}

// A business with two owners. The second one first tries too large a share.
export async function answerKyb(screen: Screen, enterTooMuch: () => Promise<void>): Promise<void> {
  await answerBusiness(screen)
  await answerMoney(screen)
  await answer(screen, 'Add an owner, director or signer?', 'y')
  await answerOwner(screen, 'Zephyrine', '60.5')
  await answer(screen, 'Add another person?', 'y')
  await answerIdentity(screen, 'Amaryllis', 'Quillfeather')
  await answer(screen, 'Email address:')
  await answer(screen, 'Title in the business:')
  await enterTooMuch()
  await answer(screen, 'Does this person control the business?')
  await answer(screen, 'May this person sign for the business?', 'y')
  await answer(screen, 'Is this person a director?')
  await answerAddress(screen)
  await answer(screen, 'Add a national ID or tax number?', 'n')
  await answer(screen, 'Add a document?', 'y')
  await answerPassport(screen)
  await answer(screen, 'Add another document?', 'n')
  await answer(screen, 'Add another person?', 'n')
  await answer(screen, 'Add a document of the business?', 'y')
  await answer(screen, 'Kind of business document')
  await answer(screen, 'Notes about the document:')
  await answer(screen, 'Image of the document:', 'articles.pdf')
  await answer(screen, 'Add another document of the business?', 'n')
}
