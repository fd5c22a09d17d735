// The four tasks whose keystrokes are counted, with the answers of an invented person and an invented business. The answers
// name questions of earlier versions as well, so that two versions can be compared.
import fs from 'node:fs'
import path from 'node:path'
import {jpeg, pdf, png} from '../../test/values/images.ts'
import type {Answers} from './typist.ts'

const kilobyte = 1024

export interface Task {
  name: string
  args: readonly string[]
  answers: Answers
  // Makes what the task starts from, and returns further arguments.
  prepare?: (run: (args: readonly string[], input?: string) => string) => string[]
}

export function writeDocuments(folder: string): void {
  fs.writeFileSync(path.join(folder, 'passport.jpg'), jpeg({bytes: 120 * kilobyte}))
  fs.writeFileSync(path.join(folder, 'articles.pdf'), pdf({bytes: 120 * kilobyte}))
  fs.writeFileSync(path.join(folder, 'id.png'), png({bytes: 120 * kilobyte}))
}

const enter = {enter: true} as const
const country = {choose: 'United States (US)', term: 'us'}
const state = {choose: 'Massachusetts (MA)', term: 'ma'}

const identity: Answers = {
  'First name, as on the ID': [{text: 'Zephyrine'}, {text: 'Amaryllis'}],
  'Middle name': enter,
  'Last name, as on the ID': {text: 'Quillfeather'},
  'Date of birth': [{text: '1987-06-05'}, {text: '1989-08-07'}],
  Nationality: country,
  'Phone number': [{text: '+1 555 123 4567'}, {text: '+1 555 123 4568'}],
}

const nationalId: Answers = {
  'Add a national ID or tax number?': {yes: true},
  'Kind of national ID': {choose: 'NATIONAL_ID'},
  'Number of the national ID': [{text: '900-12-3456'}, {text: '900-12-3457'}],
  'Country that issued the national ID': country,
}

const passport: Answers = {
  'Add a document?': {yes: true},
  'Kind of document': {choose: 'GOVERNMENT_ID'},
  'Which document': {choose: 'PASSPORT'},
  'Country that issued it': country,
  'Number on the document': [{text: 'X0090817'}, {text: 'X0090818'}],
  'Issued on': {text: '2021-03-04'},
  'Valid until': {text: '2031-03-03'},
  'Image of the front': {text: 'passport.jpg'},
  'Notes about the document': enter,
  'Add another document?': {yes: false},
}

const send: Answers = {'What now?': enter}

const individual: Answers = {
  'What applies to the customer?': {select: ['states an occupation']},
  'A person or a business?': {choose: 'A person'},
  'Email address': {text: 'zephyrine@example.com'},
  'First name': enter,
  'Last name': enter,
  'Enter the verification data now?': {yes: true},
  ...identity,
  Country: country,
  'Street and number': {text: '77 Marmalade Row'},
  'Flat, floor or building': enter,
  City: {text: 'Fernhollow'},
  State: state,
  'ZIP code': {text: '02139'},
  ...nationalId,
  Employment: enter,
  'Occupation, as a code or a title': {text: 'lighthouse keeper'},
  'Where the money comes from': enter,
  'What the account is for': enter,
  'Another purpose, in words': enter,
  'Payments expected in a month, in USD': enter,
  'Acting on behalf of others?': {yes: false},
  ...passport,
  ...send,
}

// The business is run from the home of its two owners.
const business: Answers = {
  'What applies to the business?': {select: ['has a website', 'has other links or handles']},
  'How many owners, directors and signers?': {text: '2'},
  'What applies to this person?': {select: ['controls the business', 'may sign for the business']},
  'Home address': {choose: 'The one of the business'},
  'A person or a business?': {choose: 'A business'},
  'Email address': [{text: 'quill@example.com'}, enter, enter],
  'Name of the business': {text: 'Quill and Feather'},
  'Enter the verification data now?': {yes: true},
  'Legal name of the business': {text: 'Quill and Feather'},
  'Name it does business as': enter,
  'Legal form': {choose: 'C_CORPORATION'},
  'Industry code': enter,
  'What the business does': enter,
  Website: {text: 'https://example.com'},
  'Founded on': {text: '2019-01-02'},
  'Country of registration': country,
  'Is it a DAO?': {yes: false},
  'Other links or handles': {text: '@quill, @feather'},
  'Registered address: country': country,
  'Registered address: street and number': {text: '77 Marmalade Row'},
  'Registered address: flat, floor or building': enter,
  'Registered address: city': {text: 'Fernhollow'},
  'Registered address: state': state,
  'Registered address: zip code': {text: '02139'},
  'Does it operate at another address?': {yes: false},
  'Registration number': {text: '12-34567'},
  'Where the money comes from': enter,
  'What the account is for': enter,
  'Another purpose, in words': enter,
  'Volume expected in a month, in USD': enter,
  'Revenue in a year, in USD': enter,
  'Does the business conduct money services?': {yes: false},
  'Does it operate in prohibited countries?': {yes: false},
  'How it screens for compliance': enter,
  'High-risk activities': enter,
  'Add an owner, director or signer?': {yes: true},
  ...identity,
  'Title in the business': enter,
  'Share of the business in per cent': [{text: '60.5'}, {text: '39.5'}],
  'Does this person control the business?': {yes: true},
  'May this person sign for the business?': {yes: true},
  'Is this person a director?': {yes: false},
  Country: country,
  'Street and number': {text: '77 Marmalade Row'},
  'Flat, floor or building': enter,
  City: {text: 'Fernhollow'},
  State: state,
  'ZIP code': {text: '02139'},
  ...nationalId,
  ...passport,
  'Add another person?': [{yes: true}, {yes: false}],
  'Add a document of the business?': {yes: true},
  'Kind of business document': {choose: 'ARTICLES_OF_INCORPORATION'},
  'Image of the document': {text: 'articles.pdf'},
  'Add another business document?': {yes: false},
  ...send,
}

const withoutId = {
  customerType: 'INDIVIDUAL',
  email: 'ada@example.com',
  kycData: {
    legalFirstName: 'Ada',
    legalLastName: 'Example',
    phoneNumber: '+15551234567',
    dateOfBirth: '1990-04-23',
    nationality: 'US',
    address: {countryCode: 'US', streetLine1: '1 Lilac Row', city: 'Boston', postalCode: '02139'},
  },
}

const correction: Answers = {
  ...passport,
  ...send,
  'Sent. Wait for the outcome?': {yes: false},
}

const payment: Answers = {
  'Which customer?': {choose: 'Zoë Ångström', term: 'ngs'},
  'From which payment account?': enter,
  'Currency that leaves': {choose: 'USDC', term: 'usdc'},
  'Method by which it leaves': enter,
  'To which payment account?': {choose: 'SEPA', term: 'sepa'},
  'Amount to pay': {text: '250.00'},
  'Add a developer fee?': {yes: false},
  'Developer fee': enter,
  'Guarantee the received amount?': {yes: false},
  'Key of this payment': {text: 'invoice-2041'},
  'Pay this, as': {yes: true},
}

export const tasks: readonly Task[] = [
  {name: 'individual KYC', args: ['customers', 'create'], answers: individual},
  {name: 'business with two owners', args: ['customers', 'create'], answers: business},
  {
    name: 'correct a refused document',
    args: ['customers', 'fix'],
    answers: correction,
    prepare: (run) => {
      const {customerId} = JSON.parse(
        run(['customers', 'create', '-p', 'sandbox', '-f', '-', '--json'], JSON.stringify(withoutId)),
      ) as {customerId: string}
      run(['sandbox', 'clock', 'advance', '1m'])
      return [customerId]
    },
  },
  {name: 'pay an invoice', args: ['pay'], answers: payment},
]
