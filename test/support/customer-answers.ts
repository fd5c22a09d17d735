// The answers of an invented person and an invented business, and the same data as files.
import fs from 'node:fs'
import path from 'node:path'
import {jpeg, pdf} from '../features/values/images.ts'
import {answer, choose, waitForText} from './wizard-keys.ts'
import {indent, kycYaml} from './person.ts'
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
  // The country of a registered address most likely is that of the registration.
  if (prefix === '') await choose(screen, label('Country'), 'us', 'United States (US)')
  else await answer(screen, label('Country'))
  await answer(screen, label('Street and number:'), '77 Marmalade Row')
  await answer(screen, label('City:'), 'Fernhollow')
  await choose(screen, label('State'), 'massa', 'Massachusetts (MA)')
  await answer(screen, label('Postal code:'), '02139')
}

async function answerIdentity(screen: Screen, first: string, last: string): Promise<void> {
  await answer(screen, 'First name, as on the ID:', first)
  await answer(screen, 'Last name, as on the ID:', last)
  await answer(screen, 'Date of birth:', '1987.6.5')
  await choose(screen, 'Nationality', 'us', 'United States (US)')
  await answer(screen, 'Phone number:', '(555) 123-4567')
}

async function answerNationalId(screen: Screen): Promise<void> {
  await choose(screen, 'Kind of national ID', 'nat', 'National ID')
  await answer(screen, 'Number of the national ID:', '900-12-3456')
  await answer(screen, 'Country that issued the national ID')
}

async function answerPassport(screen: Screen): Promise<void> {
  await answer(screen, 'Kind of document')
  await answer(screen, 'Which document')
  await answer(screen, 'Country that issued it')
  await answer(screen, 'Number on the document:', 'X0090817')
  await answer(screen, 'Issued on:', '2021-03-04')
  await answer(screen, 'Valid until:', '2031-03-03')
  await answer(screen, 'Image of the front:', 'passport.jpg')
}

// All questions about the KYC data.
export async function answerKyc(screen: Screen): Promise<void> {
  await answerIdentity(screen, 'Zephyrine', 'Quillfeather')
  await answer(screen, 'What applies to the customer?', '5')
  await answerAddress(screen)
  await answerNationalId(screen)
  await answer(screen, 'Occupation, as a code or a title:', 'lighthouse keeper')
  await answerPassport(screen)
}

// The same data as a file.
export const kycFile = `customerType: INDIVIDUAL
email: zephyrine@example.com
firstName: Zephyrine
lastName: Quillfeather
kycData:
${indent(kycYaml.replaceAll(/^ *(legalMiddleName|streetLine2|employmentStatus|description):.*\n/gm, ''))}`

async function answerBusiness(screen: Screen): Promise<void> {
  await answer(screen, 'Legal name of the business:', 'Quill and Feather')
  await choose(screen, 'Legal form', '\u001b[B', 'C corporation')
  await answer(screen, 'Founded on:', '2019-01-02')
  await choose(screen, 'Country of registration', 'us', 'United States (US)')
  await answer(screen, 'What applies to the business?', '45')
  await answer(screen, 'Website:', 'https://example.com')
  await answer(screen, 'Other links or handles:', '@quill, @feather')
  await answerAddress(screen, 'Registered address')
  await answer(screen, 'Registration number:', '12-34567')
}

// A business with two owners who live at its address. The second one first tries too large a share.
export async function answerKyb(screen: Screen, enterTooMuch: () => Promise<void>): Promise<void> {
  await answerBusiness(screen)
  await answer(screen, 'How many owners, directors and signers?', '2')
  await waitForText(screen, 'Person 1 of 2, identity')
  await answerIdentity(screen, 'Zephyrine', 'Quillfeather')
  // Controls the business, and may sign for it.
  await answer(screen, 'What applies to this person?', '45')
  await answer(screen, 'Share of the business in per cent:', '60.5')
  await answer(screen, 'Home address as that of the business: 77 Marmalade Row, Fernhollow?', 'y')
  await answerNationalId(screen)
  await answerPassport(screen)
  await waitForText(screen, 'Person 2 of 2, identity')
  await answerIdentity(screen, 'Amaryllis', 'Quillfeather')
  // May sign, and has no national ID.
  await answer(screen, 'What applies to this person?', '58')
  await enterTooMuch()
  await answer(screen, 'Home address as that of the business', 'y')
  await answerPassport(screen)
  await answer(screen, 'Kind of business document')
  await answer(screen, 'Image of the document:', 'articles.pdf')
}
