// The issues that a review reports for well-formed data: missing, expired or inconsistent.
import {afterAll, describe, expect, it} from 'vitest'
import {reviewSeconds} from '../../../../src/sandbox/service/customers/verification.ts'
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'
import {documentImage} from '../../../values/images.ts'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  noon,
  openTemporary,
  passport,
  patchCustomer,
  readCustomer,
} from '../../open.ts'

const reviewMs = reviewSeconds * 1_000

const without = (value: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))

// Shared by all tests, because reviews are independent. A test that advances the clock by days opens its own.
const shared = openSandbox({file: ':memory:', frozenAt: noon})
afterAll(() => shared.close())

async function submitAndReadIssues(body: object, sandbox = shared) {
  const customerType = 'kybData' in body ? 'BUSINESS' : 'INDIVIDUAL'
  const {customerId} = await createCustomer(sandbox, {customerType, email: 'someone@example.com', ...body})
  sandbox.clock.advance(reviewMs)
  const {customerStatus, verificationIssues = []} = await readCustomer(sandbox, customerId)
  expect(customerStatus).toBe(verificationIssues.length === 0 ? 'ACTIVE' : 'NEEDS_ADDITIONAL_INFORMATION')
  return verificationIssues
}

const submitAndReadCodes = async (body: object) => (await submitAndReadIssues(body)).map(({code}) => code)

const ssn = (nationalIdNumber: string, nationalIdType = 'SSN') => ({
  ...completeKyc,
  nationalIdType,
  nationalIdNumber,
  nationalIdIssuingCountry: 'US',
})
const withDocument = (...documents: object[]) => ({...completeKyc, documents})
const nationalId = {...passport, subtype: 'NATIONAL_ID', backIdImage: documentImage('jpeg')}
const bill = {type: 'PROOF_OF_ADDRESS', issuanceDate: '2026-08-15', proofOfAddressImage: documentImage('pdf')}
const withAddress = (address: object) => ({...completeKyc, address: {...completeKyc.address, ...address}})

// The data of a person and the issue codes of its review. The clock is frozen at 2026-11-15.
const persons: [what: string, data: object, codes: string[]][] = [
  ['everything that the flow requires and one passport', completeKyc, []],
  ['no first name', without(completeKyc, 'legalFirstName'), ['MISSING_NAME']],
  ['no last name', without(completeKyc, 'legalLastName'), ['MISSING_NAME']],
  ['no phone number', without(completeKyc, 'phoneNumber'), ['INVALID_PARAMETERS']],
  ['no date of birth', without(completeKyc, 'dateOfBirth'), ['INVALID_PARAMETERS']],
  ['no address', without(completeKyc, 'address'), ['INVALID_PARAMETERS']],
  ['no nationality', without(completeKyc, 'nationality'), ['INVALID_PARAMETERS']],
  ['no documents', without(completeKyc, 'documents'), ['NO_GOVERNMENT_ID']],
  ['an empty list of documents', withDocument(), ['NO_GOVERNMENT_ID']],
  ['a proof of address alone', withDocument(bill), ['NO_GOVERNMENT_ID']],
  ['a document without a type', withDocument(passport, without(passport, 'type')), ['INVALID_PARAMETERS']],
  ['an ID without its front', withDocument(without(passport, 'frontIdImage')), ['DOCUMENT_MISSING_FRONT']],
  ['a national ID with both sides', withDocument(nationalId), []],
  ['a national ID without its back', withDocument(without(nationalId, 'backIdImage')), ['DOCUMENT_MISSING_BACK']],
  ['an ID without its number', withDocument(without(passport, 'documentIdNumber')), ['MISSING_DOCUMENT_NUMBER']],
  ['an ID without its date of issue', withDocument(without(passport, 'issuanceDate')), ['MISSING_ISSUE_DATE']],
  ['an ID without its date of expiry', withDocument(without(passport, 'expirationDate')), ['MISSING_EXPIRY_DATE']],
  ['an ID without its country', withDocument(without(passport, 'countryCode')), ['MISSING_ID_DETAILS']],
  ['an ID without its subtype', withDocument(without(passport, 'subtype')), ['MISSING_ID_DETAILS']],
  ['an ID that expired yesterday', withDocument({...passport, expirationDate: '2026-11-14'}), ['DOCUMENT_EXPIRED']],
  ['an ID that expires today', withDocument({...passport, expirationDate: '2026-11-15'}), []],
  ['an ID of another country', withDocument({...passport, countryCode: 'SE'}), ['ID_COUNTRY_MISMATCH']],
  [
    'an ID of the country that issued the national ID',
    {...ssn('123-45-6789'), documents: [{...passport, countryCode: 'US'}]},
    [],
  ],
  ['an ID of an unknown kind', withDocument({...passport, subtype: 'LIBRARY_CARD'}), ['UNRECOGNIZED_DOCUMENT']],
  [
    'an ID that expired before it was issued',
    withDocument({...passport, issuanceDate: '2026-11-01', expirationDate: '2026-10-01'}),
    ['DOCUMENT_EXPIRED', 'INCONSISTENT_INFORMATION'],
  ],
  ['a bill of three months ago', withDocument(passport, bill), []],
  [
    'a bill older than three months',
    withDocument(passport, {...bill, issuanceDate: '2026-08-14'}),
    ['ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY'],
  ],
  ['a bill without a date', withDocument(passport, without(bill, 'issuanceDate')), ['MISSING_ISSUE_DATE']],
  ['a bill without an image', withDocument(passport, without(bill, 'proofOfAddressImage')), ['DOCUMENT_NOT_FOUND']],
  ['a social security number', ssn('123-45-6789'), []],
  ['one without hyphens, of a type in small letters', ssn('123456789', 'ssn'), []],
  ...['12-345-6789', '000-12-3456', '666-12-3456', '900-12-3456', '123-00-4567', '123-45-0000', '123-456789'].map(
    (number): [string, object, string[]] => [
      `the social security number ${number}`,
      ssn(number),
      ['DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER'],
    ],
  ),
  ['another national ID of any form', ssn('whatever', 'TIN'), []],
  ['a birthday that makes eighteen today', {...completeKyc, dateOfBirth: '2008-11-15'}, []],
  ['a person who turns eighteen tomorrow', {...completeKyc, dateOfBirth: '2008-11-16'}, ['INCONSISTENT_INFORMATION']],
  [
    'a state that is not of the country',
    withAddress({countryCode: 'US', postalCode: '62701', stateRegionProvince: 'ZZ'}),
    ['DATABASE_CHECK_FAILED_ON_SUBDIVISION'],
  ],
  ['a state of the country', withAddress({countryCode: 'US', postalCode: '62701', stateRegionProvince: 'IL'}), []],
  ['no postal code', {...completeKyc, address: without(completeKyc.address, 'postalCode')}, []],
]

describe('the review of an individual', () => {
  it.each(persons)('reports the issues of %s', async (_, kycData, codes) => {
    // An empty object is not a submission, so there is always one field.
    expect(await submitAndReadCodes({kycData: {sourceOfFunds: 'SALARY', ...kycData}})).toEqual(codes)
  })

  it('lists missing fields in one issue, and names each document by its path', async () => {
    const kycData = {
      ...without(completeKyc, 'phoneNumber', 'nationality'),
      address: {city: 'Ålesund'},
      documents: [passport, {type: 'GOVERNMENT_ID', subtype: 'PASSPORT', countryCode: 'NO', documentIdNumber: '1'}],
    }
    expect((await submitAndReadIssues({kycData})).map(({code, message}) => `${code} ${message}`)).toEqual([
      'INVALID_PARAMETERS Missing: phoneNumber, address.countryCode, address.streetLine1, nationality. Provide them.',
      'DOCUMENT_MISSING_FRONT documents[1]: The front of the document was not supplied. Upload clear, valid documents.',
      'MISSING_ISSUE_DATE documents[1]: The date of issue is missing. Upload clear, valid documents.',
      'MISSING_EXPIRY_DATE documents[1]: The date of expiry is missing. Upload clear, valid documents.',
    ])
  })

  it('uses the virtual clock: a document that is valid today expires later', async () => {
    const sandbox = openTemporary()
    const kycData = withDocument({...passport, expirationDate: '2026-11-20'})
    expect(await submitAndReadIssues({kycData}, sandbox)).toEqual([])
    sandbox.clock.advance(6 * 24 * 60 * 60 * 1_000)
    expect(await submitAndReadIssues({kycData}, sandbox)).toMatchObject([{code: 'DOCUMENT_EXPIRED'}])
  })

  it('drops state and postal code when the country of an address changes', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    const address = {countryCode: 'US', stateRegionProvince: 'IL', postalCode: '62701'}
    await patchCustomer(sandbox, customerId, {kycData: {...withAddress(address), phoneNumber: undefined}})
    sandbox.clock.advance(reviewMs)
    await patchCustomer(sandbox, customerId, {kycData: {phoneNumber: '+4799999999', address: {countryCode: 'NO'}}})
    sandbox.clock.advance(reviewMs)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('reports a postal code that does not belong to a country submitted later', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    await patchCustomer(sandbox, customerId, {kycData: {...completeKyc, address: {postalCode: '6002'}}})
    sandbox.clock.advance(reviewMs)
    const street = without(completeKyc.address, 'postalCode', 'countryCode')
    await patchCustomer(sandbox, customerId, {kycData: {address: {...street, countryCode: 'GB'}}})
    sandbox.clock.advance(reviewMs)
    expect((await readCustomer(sandbox, customerId)).verificationIssues).toMatchObject([
      {code: 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE', message: expect.stringContaining('address.postalCode') as string},
    ])
  })
})

const person = completeKyb.associatedPersons[0] as (typeof completeKyb.associatedPersons)[number]
const [charter] = completeKyb.businessDocuments as [object]
const withPersons = (...associatedPersons: object[]) => ({...completeKyb, associatedPersons})

describe('the review of a business', () => {
  it.each([
    ['everything', completeKyb, []],
    ['no legal name', {...completeKyb, businessInfo: {dbaName: 'Books'}}, ['INVALID_PARAMETERS']],
    ['no registered address', without(completeKyb, 'businessRegisteredAddress'), ['INVALID_PARAMETERS']],
    ['no associated person', withPersons(), ['INVALID_PARAMETERS']],
    ['no document', without(completeKyb, 'businessDocuments'), ['DOCUMENT_NOT_FOUND']],
    ['a document without an image', {...completeKyb, businessDocuments: [{type: 'X'}]}, ['DOCUMENT_NOT_FOUND']],
    ['two documents', {...completeKyb, businessDocuments: [charter, charter]}, []],
    [
      'shares of 100 percent in all, with fractions',
      withPersons(...[33.3, 33.3, 33.4].map((ownershipPercentage) => ({...person, ownershipPercentage}))),
      [],
    ],
    [
      'shares of more than 100 percent',
      withPersons({...person, ownershipPercentage: 60}, {...person, ownershipPercentage: 40.5}),
      ['INCONSISTENT_DETAILS'],
    ],
    [
      'a state that is not of the country',
      {...completeKyb, businessOperatingAddress: {countryCode: 'CA', stateRegionProvince: 'TX'}},
      ['DATABASE_CHECK_FAILED_ON_SUBDIVISION'],
    ],
  ] as [string, object, string[]][])('reports the issues of %s', async (_, kybData, codes) => {
    expect(await submitAndReadCodes({kybData})).toEqual(codes)
  })

  it.each(persons)('reviews an associated person like an individual: %s', async (_, data, codes) => {
    const issues = await submitAndReadIssues({kybData: withPersons(person, data)})
    expect(issues.map(({code}) => code)).toEqual(codes)
    for (const {message} of issues) expect(message).toContain('associatedPersons[1]')
  })
})
