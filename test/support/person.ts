// An invented person with invented documents, as files in a folder.
import fs from 'node:fs'
import path from 'node:path'
import {jpeg} from '../features/values/images.ts'

const kilobyte = 1024

// All personal data: none of it may appear where data is masked.
export const personalData = [
  'zephyrine',
  'Zephyrine',
  'Amaryllis',
  'Quillfeather',
  '5551234567',
  '1987-06-05',
  'Marmalade Row',
  'Attic Door',
  'Fernhollow',
  '02139',
  '900-12-3456',
  'X0090817',
  '2021-03-04',
  '2031-03-03',
  'lighthouse',
  'seashells',
]

// The phone number, the postal code and the dates are unquoted, as people write YAML.
export const kycYaml = `legalFirstName: Zephyrine
legalMiddleName: Amaryllis
legalLastName: Quillfeather
phoneNumber: +15551234567
dateOfBirth: 1987-06-05
nationality: US
address:
  countryCode: US
  streetLine1: 77 Marmalade Row
  streetLine2: Attic Door
  city: Fernhollow
  stateRegionProvince: MA
  postalCode: 02139
nationalIdIssuingCountry: US
nationalIdType: NATIONAL_ID
nationalIdNumber: 900-12-3456
employmentStatus: EMPLOYED
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
    description: with seashells
`

export const indent = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

// Writes the data and the image of a passport into the folder.
export function writePerson(folder: string): {file: string; passport: Buffer} {
  fs.mkdirSync(folder, {recursive: true})
  const passport = jpeg({bytes: 120 * kilobyte})
  fs.writeFileSync(path.join(folder, 'passport.jpg'), passport)
  const file = path.join(folder, 'kyc.yaml')
  fs.writeFileSync(file, `kycData:\n${indent(kycYaml)}`)
  return {file, passport}
}
