// svc customers fix by issue code: the sandbox raises it, and it is corrected. What is asked of data that nobody typed stands in
// fix.test.ts, as does what only support can resolve; to which part each field belongs, in customers/wizard/questions.test.ts.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {issueCodes} from '../../src/contract/issue-codes.ts'
import {dataUri, png} from '../features/values/images.ts'
import {type Answer, answerByTable, keys} from '../support/wizard-keys.ts'
import {type Home, createHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const france = {term: 'France', shown: 'France'}
const kilobyte = 1024
const image = png({bytes: 101 * kilobyte})

const document = {
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'FR',
  documentIdNumber: '12AB34567',
  issuanceDate: '2022-05-06',
  expirationDate: '2032-05-05',
  frontIdImage: dataUri(image, 'image/png'),
}

// Valid data, so that only the magic value raises an issue.
const kycData = {
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  phoneNumber: '+15551234567',
  dateOfBirth: '1990-04-23',
  nationality: 'FR',
  isIntermediary: false,
  address: {countryCode: 'FR', streetLine1: '1 rue des Lilas', city: 'Lyon', postalCode: '69001'},
  documents: [document],
}

// In place of what is filled in.
const retype = (text: string) => keys.clear + text

// The answer to each question, by its label.
const answers: Readonly<Record<string, Answer>> = {
  'First name, as on the ID': retype('Ada'),
  'Middle name': '',
  'Last name, as on the ID': retype('Example'),
  'Date of birth': retype('1990-04-23'),
  Country: france,
  'Street and number': retype('2 rue des Lilas'),
  'Flat, floor or building': '',
  City: retype('Lyon'),
  'State, region or province': '',
  'Postal code': retype('69002'),
  'Kind of national ID': {term: 'TIN', shown: 'TIN'},
  'Number of the national ID': '30 01 234 567 890',
  'Country that issued the national ID': france,
  'How many documents?': '',
  'Kind of document': '',
  'Which document': '',
  'Country that issued it': france,
  'Number on the document': retype('34CD56789'),
  'Issued on': retype('2023-05-06'),
  'Valid until': retype('2033-05-05'),
  'Image of the front': retype('./front.png'),
  'Notes about the document': '',
  'What now?': '',
}

// The questions for a field, in the order in which they are asked.
const questionsByField: ReadonlyArray<[field: RegExp, first: string, last?: string]> = [
  [/^legalFirstName$/, 'First name, as on the ID'],
  [/^legalMiddleName$/, 'Middle name'],
  [/^legalLastName$/, 'Last name, as on the ID'],
  [/^dateOfBirth$/, 'Date of birth'],
  [/^nationalId/, 'Kind of national ID', 'Country that issued the national ID'],
]

// Those of the table above, from the first to the last.
function listQuestions(first: string, last = first): string[] {
  const all = Object.keys(answers)
  return all.slice(all.indexOf(first), all.indexOf(last) + 1)
}

// One sandbox for all codes.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
const home: Home = {folder, env: {...createHome(folder).env, SVC_PROFILE: 'sandbox'}}

beforeAll(() => fs.writeFileSync(path.join(folder, 'front.png'), image))
afterAll(() => fs.rmSync(folder, {recursive: true, force: true}))

const finishReviews = () => run(home, ['sandbox', 'clock', 'advance', '1m'])

type Customer = Record<string, unknown> & {verificationIssues?: Array<{code: string}>}

const readCustomer = async (id: string) => json((await run(home, ['customers', 'get', id, '--json'])).out) as Customer

// Creates a customer whose data, which a person typed in part, raises the issue.
async function createCustomerWithIssue(code: string): Promise<string> {
  const data = {...kycData, accountPurposeOther: `MAGIC_${code}`}
  fs.writeFileSync(path.join(folder, 'kyc.json'), JSON.stringify({kycData: data}))
  const args = ['customers', 'create', '--type', 'INDIVIDUAL', '-f', 'kyc.json', '--allow-duplicates']
  const screen = onTerminal(home, args)
  await answerByTable(screen, {...answers, 'Email address': 'ada@example.com'})
  await finishReviews()
  return /^ID +(\S+)/m.exec(screen.text())?.[1] ?? ''
}

async function fixIssue(code: string) {
  const id = await createCustomerWithIssue(code)
  const raised = (await readCustomer(id)).verificationIssues?.map((issue) => issue.code)
  const screen = onTerminal(home, ['customers', 'fix', id])
  const {asked, code: exitCode} = await answerByTable(screen, answers)
  await finishReviews()
  const {customerStatus: status} = await readCustomer(id)
  return {text: screen.text(), outcome: {raised, asked, exitCode, status}}
}

// What is asked of a person whose passport and other data are known: the fields of the code alone, and a whole document only where the
// images that it names are those of another kind.
const documentQuestions: Readonly<Record<string, string>> = {
  type: 'Kind of document',
  subtype: 'Which document',
  countryCode: 'Country that issued it',
  documentIdNumber: 'Number on the document',
  issuanceDate: 'Issued on',
  expirationDate: 'Valid until',
  frontIdImage: 'Image of the front',
}

const addressQuestions: Readonly<Record<string, string>> = {
  countryCode: 'Country',
  streetLine1: 'Street and number',
  streetLine2: 'Flat, floor or building',
  city: 'City',
  stateRegionProvince: 'State, region or province',
  postalCode: 'Postal code',
}

function expectedOfKnown(fields: readonly string[]): readonly string[] {
  const images = fields.filter((field) => field.endsWith('Image'))
  const isAnotherDocument = images.length > 0 && !images.includes('documents.frontIdImage')
  const [documents, addresses] = ['documents', 'address'].map((part) =>
    fields.flatMap((field) => (field.startsWith(`${part}.`) ? [field.slice(part.length + 1)] : [])),
  )
  const pick = (table: Readonly<Record<string, string>>, names: readonly string[] = []) =>
    Object.entries(table).flatMap(([name, question]) => (names.includes(name) ? [question] : []))
  return [
    ...questionsByField.flatMap(([field, ...ends]) =>
      fields.some((each) => field.test(each)) ? listQuestions(...ends) : [],
    ),
    ...pick(addressQuestions, addresses),
    ...(isAnotherDocument ? ['How many documents?'] : []),
    ...pick(documentQuestions, documents),
    ...(isAnotherDocument ? listQuestions('Kind of document', 'Notes about the document') : []),
    'What now?',
  ]
}

const known = [
  ...Map.groupBy(
    issueCodes.filter(({resolver, fields}) => resolver !== 'SUPPORT' && fields.length > 0),
    ({fields}) => expectedOfKnown(fields).join(),
  ).values(),
].flatMap(([first]) => first ?? [])

describe('svc customers fix, of what was typed before', () => {
  it.each(known)('asks for nothing but the fields of $code', async ({code, fields}) => {
    const {text, outcome} = await fixIssue(code)
    const expected = {raised: [code], asked: expectedOfKnown(fields), exitCode: 0, status: 'ACTIVE'}
    expect(outcome, text).toEqual(expected)
  })
})
