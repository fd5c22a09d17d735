// Customers and their verification: what a review finds, what magic values choose, and from which status each move is possible.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {
  type CustomerStatus,
  customerStatuses,
  customerTypes,
  statusesWithIssues,
} from '../../src/contract/vocabulary.ts'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import type {Outcome} from '../../src/sandbox/service/customers/outcomes.ts'
import {deactivationHours, manualReviewDays, reviewSeconds} from '../../src/sandbox/service/customers/verification.ts'
import {seed} from '../support/seed.ts'
import {documentImage} from '../features/values/images.ts'
import {
  call,
  callExpectingError,
  completeKyb,
  completeKyc,
  createCustomer,
  dayMs,
  dumpTables,
  hourMs,
  listAllCustomers,
  openShared,
  openTemporary,
  passport,
  patchCustomer,
  readCustomer,
  temporaryFile,
} from './open.ts'

const reviewMs = reviewSeconds * 1_000
const {sandbox: shared} = openShared()

const kinds = {
  INDIVIDUAL: {field: 'kycData', complete: completeKyc},
  BUSINESS: {field: 'kybData', complete: completeKyb},
} as const

type CustomerType = keyof typeof kinds

const createAs = (sandbox: Sandbox, customerType: CustomerType, data?: object) =>
  createCustomer(sandbox, {customerType, ...(data && {[kinds[customerType].field]: data})})

const without = (value: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))

// Submits data at the creation, and waits for the review.
async function submit(customerType: CustomerType, data: object, sandbox = shared) {
  const {customerId} = await createAs(sandbox, customerType, data)
  sandbox.clock.advance(reviewMs)
  return readCustomer(sandbox, customerId)
}

const listCodes = ({verificationIssues = []}: {verificationIssues?: {code: string}[] | undefined}) =>
  verificationIssues.map(({code}) => code)

const withNationalId = (nationalIdNumber: string, nationalIdType = 'SSN') => ({
  ...completeKyc,
  nationalIdType,
  nationalIdNumber,
  nationalIdIssuingCountry: 'US',
})
const withDocument = (...documents: object[]) => ({...completeKyc, documents})
const nationalId = {...passport, subtype: 'NATIONAL_ID', backIdImage: documentImage('jpeg')}
const bill = {type: 'PROOF_OF_ADDRESS', issuanceDate: '2026-08-15', proofOfAddressImage: documentImage('pdf')}
const inTheUs = (stateRegionProvince: string) => ({
  ...completeKyc,
  address: {...completeKyc.address, countryCode: 'US', postalCode: '62701', stateRegionProvince},
})

// The data of a person and the issue codes of its review. The clock is frozen at 2026-11-15.
type Row = [what: string, data: object, ...codes: string[]]
const persons: Row[] = [
  ['everything that the flow requires and one passport', completeKyc],
  ...['legalFirstName', 'legalLastName'].map((name): Row => [name, without(completeKyc, name), 'MISSING_NAME']),
  ...['phoneNumber', 'dateOfBirth', 'address', 'nationality'].map((name): Row => [
    `all but ${name}`,
    without(completeKyc, name),
    'INVALID_PARAMETERS',
  ]),
  ['no documents', without(completeKyc, 'documents'), 'NO_GOVERNMENT_ID'],
  ['an empty list of documents', withDocument(), 'NO_GOVERNMENT_ID'],
  ['a proof of address alone', withDocument(bill), 'NO_GOVERNMENT_ID'],
  ['a document without a type', withDocument(passport, without(passport, 'type')), 'INVALID_PARAMETERS'],
  ['a national ID with both sides', withDocument(nationalId)],
  ['a national ID without its back', withDocument(without(nationalId, 'backIdImage')), 'DOCUMENT_MISSING_BACK'],
  ...[
    ['frontIdImage', 'DOCUMENT_MISSING_FRONT'],
    ['documentIdNumber', 'MISSING_DOCUMENT_NUMBER'],
    ['issuanceDate', 'MISSING_ISSUE_DATE'],
    ['expirationDate', 'MISSING_EXPIRY_DATE'],
    ['countryCode', 'MISSING_ID_DETAILS'],
    ['subtype', 'MISSING_ID_DETAILS'],
  ].map(([field = '', code = '']): Row => [`an ID without its ${field}`, withDocument(without(passport, field)), code]),
  ['an ID that expired yesterday', withDocument({...passport, expirationDate: '2026-11-14'}), 'DOCUMENT_EXPIRED'],
  ['an ID that expires today', withDocument({...passport, expirationDate: '2026-11-15'})],
  ['an ID of another country', withDocument({...passport, countryCode: 'SE'}), 'ID_COUNTRY_MISMATCH'],
  [
    'an ID of the country that issued the national ID',
    {...withNationalId('123-45-6789'), documents: [{...passport, countryCode: 'US'}]},
  ],
  ['an ID of an unknown kind', withDocument({...passport, subtype: 'LIBRARY_CARD'}), 'UNRECOGNIZED_DOCUMENT'],
  [
    'an ID that expired before it was issued',
    withDocument({...passport, issuanceDate: '2026-11-01', expirationDate: '2026-10-01'}),
    'DOCUMENT_EXPIRED',
    'INCONSISTENT_INFORMATION',
  ],
  ['a bill of three months ago', withDocument(passport, bill)],
  [
    'a bill older than three months',
    withDocument(passport, {...bill, issuanceDate: '2026-08-14'}),
    'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY',
  ],
  ['a bill without a date', withDocument(passport, without(bill, 'issuanceDate')), 'MISSING_ISSUE_DATE'],
  ['a bill without an image', withDocument(passport, without(bill, 'proofOfAddressImage')), 'DOCUMENT_NOT_FOUND'],
  ...['123-45-6789', '123456789'].map((number): Row => ['a social security number', withNationalId(number)]),
  ['a type in small letters', withNationalId('123456789', 'ssn')],
  ...['12-345-6789', '000-12-3456', '666-12-3456', '900-12-3456', '123-00-4567', '123-45-0000', '123-456789'].map(
    (number): Row => [number, withNationalId(number), 'DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER'],
  ),
  ['another national ID of any form', withNationalId('whatever', 'TIN')],
  ['a birthday that makes eighteen today', {...completeKyc, dateOfBirth: '2008-11-15'}],
  ['a person who turns eighteen tomorrow', {...completeKyc, dateOfBirth: '2008-11-16'}, 'INCONSISTENT_INFORMATION'],
  ['a state that is not of the country', inTheUs('ZZ'), 'DATABASE_CHECK_FAILED_ON_SUBDIVISION'],
  ['a state of the country', inTheUs('IL')],
  ['no postal code', {...completeKyc, address: without(completeKyc.address, 'postalCode')}],
]

const [robin = {}] = completeKyb.associatedPersons
const [charter = {}] = completeKyb.businessDocuments
const withPersons = (...associatedPersons: object[]) => ({...completeKyb, associatedPersons})
const withShares = (...shares: number[]) =>
  withPersons(...shares.map((ownershipPercentage) => ({...robin, ownershipPercentage})))

const businesses: Row[] = [
  ['everything', completeKyb],
  ['no legal name', {...completeKyb, businessInfo: {dbaName: 'Books'}}, 'INVALID_PARAMETERS'],
  ['no registered address', without(completeKyb, 'businessRegisteredAddress'), 'INVALID_PARAMETERS'],
  ['no associated person', withPersons(), 'INVALID_PARAMETERS'],
  ['no document', without(completeKyb, 'businessDocuments'), 'DOCUMENT_NOT_FOUND'],
  ['a document without an image', {...completeKyb, businessDocuments: [{type: 'X'}]}, 'DOCUMENT_NOT_FOUND'],
  ['two documents', {...completeKyb, businessDocuments: [charter, charter]}],
  ['shares of 100 percent in all, with fractions', withShares(33.3, 33.3, 33.4)],
  ['shares of more than 100 percent', withShares(60, 40.5), 'INCONSISTENT_DETAILS'],
  [
    'a state that is not of the country',
    {...completeKyb, businessOperatingAddress: {countryCode: 'CA', stateRegionProvince: 'TX'}},
    'DATABASE_CHECK_FAILED_ON_SUBDIVISION',
  ],
]

describe('a review', () => {
  const statusFor = (codes: readonly string[]) => (codes.length === 0 ? 'ACTIVE' : 'NEEDS_ADDITIONAL_INFORMATION')

  it.each(persons)('reports the issues of %s, also of an associated person', async (_, data, ...codes) => {
    // An empty object is not a submission, so there is always one field.
    const individual = await submit('INDIVIDUAL', {sourceOfFunds: 'SALARY', ...data})
    expect([individual.customerStatus, listCodes(individual)]).toEqual([statusFor(codes), codes])
    const associated = await submit('BUSINESS', withPersons(robin, data))
    expect([associated.customerStatus, listCodes(associated)]).toEqual([statusFor(codes), codes])
    for (const {message} of associated.verificationIssues ?? []) expect(message).toContain('associatedPersons[1]')
  })

  it.each(businesses)('reports the issues of a business with %s', async (_, data, ...codes) => {
    const business = await submit('BUSINESS', data)
    expect([business.customerStatus, listCodes(business)]).toEqual([statusFor(codes), codes])
  })

  it('lists missing fields in one issue, and names each document by its path', async () => {
    const {verificationIssues = []} = await submit('INDIVIDUAL', {
      ...without(completeKyc, 'phoneNumber', 'nationality'),
      address: {city: 'Ålesund'},
      documents: [passport, without(passport, 'frontIdImage', 'issuanceDate')],
    })
    expect(verificationIssues.map(({code, message}) => `${code} ${message}`)).toEqual([
      'INVALID_PARAMETERS Missing: phoneNumber, address.countryCode, address.streetLine1, nationality. Provide them.',
      'DOCUMENT_MISSING_FRONT documents[1]: The front of the document was not supplied. Upload clear, valid documents.',
      'MISSING_ISSUE_DATE documents[1]: The date of issue is missing. Upload clear, valid documents.',
    ])
  })

  it('uses the virtual clock: a document that is valid today expires later', async () => {
    const sandbox = openTemporary()
    const data = withDocument({...passport, expirationDate: '2026-11-20'})
    expect(listCodes(await submit('INDIVIDUAL', data, sandbox))).toEqual([])
    sandbox.clock.advance(6 * dayMs)
    expect(listCodes(await submit('INDIVIDUAL', data, sandbox))).toEqual(['DOCUMENT_EXPIRED'])
  })

  it('starts after the reply to a creation, and is decided when it is due and not before', async () => {
    const sandbox = openTemporary({formsUrl: 'http://127.0.0.1:4242/'})
    const created = await createAs(sandbox, 'INDIVIDUAL', completeKyc)
    expect(created).toMatchObject({
      customerStatus: 'CREATED',
      updatedAt: '2026-11-15T12:00:00Z',
      organizationId: sandbox.status().organizations[0]?.organizationId,
      verificationLink: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:4242\/verify\/form_[0-9a-f]{24}\.[0-9a-z]+\.[0-9a-f]{16}$/,
      ),
    })
    const now = (query = '') => call(sandbox, 'GET', `/customers/${created.customerId}${query}`)
    const under = {customerStatus: 'UNDER_REVIEW', verificationIssues: []}
    expect((await now('?includePaymentMethods=true')).body).toMatchObject({...under, availablePaymentMethods: []})
    sandbox.clock.advance(reviewMs - 1)
    expect((await now()).body).toMatchObject(under)
    sandbox.clock.advance(60_000)
    const {body} = await now('?includePaymentMethods=true')
    expect(body).toMatchObject({customerStatus: 'ACTIVE', updatedAt: '2026-11-15T12:00:05Z'})
    expect(body).toMatchObject({availablePaymentMethods: expect.arrayContaining(['SEPA', 'BASE'])})
    for (const query of ['', '?includePaymentMethods=false'])
      expect((await now(query)).body).not.toHaveProperty('availablePaymentMethods')
  })

  it('sees a correction merged with earlier data at every depth, while a list replaces the earlier list', async () => {
    const sandbox = openTemporary()
    const {address, documents, ...others} = completeKyc
    const {city, ...street} = address
    const {customerId, verificationIssues = []} = await submit(
      'INDIVIDUAL',
      {...others, address: street, documents: [bill]},
      sandbox,
    )
    expect(verificationIssues).toMatchObject([
      {code: 'INVALID_PARAMETERS', message: 'Missing: address.city. Provide them.'},
      {code: 'NO_GOVERNMENT_ID'},
    ])
    const again = await patchCustomer(sandbox, customerId, {kycData: {address: {city}, documents}})
    expect([again.customerStatus, listCodes(again)]).toEqual(['UNDER_REVIEW', listCodes({verificationIssues})])
    sandbox.clock.advance(reviewMs)
    const active = await readCustomer(sandbox, customerId)
    expect(active).toMatchObject({customerStatus: 'ACTIVE', name: 'Ines Vardø'})
    expect(active).not.toHaveProperty('verificationIssues')
  })

  it('takes a postal code with the country of an earlier or a later submission', async () => {
    const sandbox = openTemporary()
    const patch = async (customerId: string, address: object) => {
      const reply = await call(sandbox, 'PATCH', `/customers/${customerId}`, {kycData: {address}})
      sandbox.clock.advance(reviewMs)
      return (reply.body as {message?: string}).message ?? listCodes(await readCustomer(sandbox, customerId))
    }
    const norwegian = await submit('INDIVIDUAL', {...completeKyc, documents: []}, sandbox)
    const wrong = 'kycData.address.postalCode is not a postal code of Norway'
    expect(await patch(norwegian.customerId, {postalCode: 'SW1A 1AA'})).toBe(wrong)
    expect(await patch(norwegian.customerId, {postalCode: 'SW1A 1AA', countryCode: 'GB'})).not.toBe(wrong)
    const homeless = await submit('INDIVIDUAL', {...completeKyc, address: {postalCode: '6002'}}, sandbox)
    const {streetLine1, city} = completeKyc.address
    const codes = await patch(homeless.customerId, {streetLine1, city, countryCode: 'GB'})
    expect(codes).toEqual(['DATABASE_CHECK_FAILED_ON_POSTAL_CODE'])
    // State and postal code go with the country that they belong to.
    const american = await submit('INDIVIDUAL', without(inTheUs('IL'), 'phoneNumber'), sandbox)
    const moved = {kycData: {phoneNumber: '+4799999999', address: {countryCode: 'NO'}}}
    await patchCustomer(sandbox, american.customerId, moved)
    sandbox.clock.advance(reviewMs)
    expect((await readCustomer(sandbox, american.customerId)).customerStatus).toBe('ACTIVE')
  })
})

type Move = Outcome | 'submit' | 'review'

const ofReview = {
  approved: 'ACTIVE',
  'needs-information': 'NEEDS_ADDITIONAL_INFORMATION',
  rejected: 'REJECTED',
  'manual-review': 'UNDER_REVIEW',
} as const

// Where each move leads. What is not in the table is refused, and changes nothing.
const moves: Readonly<Record<CustomerStatus, Partial<Record<Move, CustomerStatus>>>> = {
  CREATED: {...ofReview, submit: 'UNDER_REVIEW'},
  UNDER_REVIEW: {...ofReview, review: 'ACTIVE'},
  NEEDS_ADDITIONAL_INFORMATION: {...ofReview, submit: 'UNDER_REVIEW'},
  ACTIVE: {deactivated: 'DEACTIVATED'},
  REJECTED: {},
  DEACTIVATED: {},
}
const allMoves = [
  'submit',
  'review',
  'approved',
  'needs-information',
  'rejected',
  'deactivated',
  'manual-review',
] as const

async function makeMove(
  sandbox: Sandbox,
  {customerId, customerType}: {customerId: string; customerType: CustomerType},
  move: Move,
) {
  if (move === 'review') return sandbox.clock.advance(manualReviewDays * dayMs)
  if (move === 'submit') {
    const {field, complete} = kinds[customerType]
    const reply = await call(sandbox, 'PATCH', `/customers/${customerId}`, {[field]: complete})
    return reply.status === 200 || expect(reply).toMatchObject({status: 400, body: {error: 'PATCH_NOT_ALLOWED'}})
  }
  try {
    return sandbox.verification.force(customerId, {outcome: move})
  } catch (error) {
    return expect(error).toBeInstanceOf(ControlError)
  }
}

describe('the status of a customer', () => {
  it('follows its table from every status, in any order, and shows issues where the interface does', async () => {
    const steps = fc.array(fc.constantFrom(...allMoves), {minLength: 1, maxLength: 6})
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...customerStatuses),
        fc.constantFrom(...customerTypes),
        steps,
        async (from, type, sequence) => {
          const sandbox = openTemporary()
          const all = await listAllCustomers(sandbox)
          const start = all.find((each) => each.customerStatus === from && each.customerType === type)
          let before = start ?? expect.fail(`no ${type} is ${from}`)
          for (const move of sequence) {
            const to = moves[before.customerStatus][move]
            await makeMove(sandbox, before, move)
            const after = await readCustomer(sandbox, before.customerId)
            expect([before.customerStatus, move, after.customerStatus]).toEqual([
              before.customerStatus,
              move,
              to ?? before.customerStatus,
            ])
            if (to === undefined && move !== 'review') expect(after).toEqual(before)
            expect(after.verificationIssues !== undefined).toBe(statusesWithIssues.includes(after.customerStatus))
            before = after
          }
        },
      ),
      {seed, numRuns: 80},
    )
  })

  it('is moved by a forced outcome with the issues that it names, which replaces the queued decision', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createAs(sandbox, 'INDIVIDUAL', completeKyc)
    const force = (forced: {outcome: Outcome; codes?: string[]; message?: string}) =>
      sandbox.verification.force(customerId, forced)
    for (const outcome of ['approved', 'manual-review', 'deactivated'] as const)
      for (const more of [{codes: ['AML_MATCH']}, {message: 'Hello'}])
        expect(() => force({outcome, ...more})).toThrow('has no issues')
    expect(() => force({outcome: 'rejected', codes: ['NONSENSE']})).toThrow('no issue code "NONSENSE"')
    expect(
      force({outcome: 'needs-information', codes: ['doc_quality_poor', 'AML_MATCH'], message: 'No.'}),
    ).toMatchObject({
      verificationIssues: [
        {code: 'DOC_QUALITY_POOR', message: 'No.', timestamp: '2026-11-15T12:00:00Z'},
        {code: 'AML_MATCH', message: 'No.'},
      ],
    })
    sandbox.clock.advance(reviewMs)
    expect((await readCustomer(sandbox, customerId)).customerStatus).toBe('NEEDS_ADDITIONAL_INFORMATION')
    expect(force({outcome: 'rejected'}).verificationIssues).toMatchObject([{code: 'VERIFICATION_ISSUE'}])
  })
})

describe('a magic value', () => {
  it.each(customerTypes)(
    'raises exactly its issue code for %s, and a correction without it is approved',
    async (type) => {
      const sandbox = openTemporary()
      const {field, complete} = kinds[type]
      const values = sandbox.verification.magic().filter(({code}) => code !== undefined)
      const ids = await Promise.all(values.map(async () => (await createAs(sandbox, type)).customerId))
      for (const [index, {value}] of values.entries())
        await patchCustomer(sandbox, ids[index] ?? '', {[field]: {...complete, accountPurposeOther: value}})
      sandbox.clock.advance(reviewMs)
      for (const [index, {code}] of values.entries()) {
        const customer = await readCustomer(sandbox, ids[index] ?? '')
        expect([customer.customerStatus, listCodes(customer)]).toEqual(['NEEDS_ADDITIONAL_INFORMATION', [code]])
        await patchCustomer(sandbox, customer.customerId, {[field]: {accountPurpose: 'PERSONAL_USE'}})
      }
      sandbox.clock.advance(reviewMs)
      for (const id of ids) expect((await readCustomer(sandbox, id)).customerStatus).toBe('ACTIVE')
    },
  )

  // What was written, and the statuses after a review, an hour more, and three days.
  it.each([
    ['MAGIC_APPROVE', 'ACTIVE ACTIVE ACTIVE', []],
    ['MAGIC_REJECT', 'REJECTED REJECTED REJECTED', ['VERIFICATION_ISSUE']],
    ['MAGIC_DEACTIVATE', 'ACTIVE DEACTIVATED DEACTIVATED', []],
    ['MAGIC_MANUAL_REVIEW', 'UNDER_REVIEW UNDER_REVIEW ACTIVE', []],
    ['please MAGIC_APPROVE, thank you', 'ACTIVE ACTIVE ACTIVE', []],
    ['MAGIC_MANUAL_REVIEW MAGIC_REJECT', 'UNDER_REVIEW UNDER_REVIEW REJECTED', ['VERIFICATION_ISSUE']],
    ['MAGIC_DOC_QUALITY_POOR MAGIC_AML_MATCH', 'NEEDS NEEDS NEEDS', ['DOC_QUALITY_POOR', 'AML_MATCH']],
    ['MAGIC_AML_MATCH,MAGIC_AML_MATCH', 'NEEDS NEEDS NEEDS', ['AML_MATCH']],
    ['MAGIC_APPROVE MAGIC_AML_MATCH', 'NEEDS NEEDS NEEDS', ['AML_MATCH']],
    ['MAGIC_AML_MATCH MAGIC_DEACTIVATE MAGIC_APPROVE', 'ACTIVE DEACTIVATED DEACTIVATED', []],
    ['MAGIC_DEACTIVATE MAGIC_AML_MATCH MAGIC_REJECT', 'REJECTED REJECTED REJECTED', ['AML_MATCH']],
  ])('%j leads to %s, also where data is missing', async (accountPurposeOther, statuses, codes) => {
    for (const type of customerTypes) {
      const sandbox = openTemporary()
      const {customerId} = await submit(type, {accountPurposeOther}, sandbox)
      const seen = [await readCustomer(sandbox, customerId)]
      for (const waitMs of [deactivationHours * hourMs, manualReviewDays * dayMs - deactivationHours * hourMs]) {
        sandbox.clock.advance(waitMs)
        seen.push(await readCustomer(sandbox, customerId))
      }
      expect(seen.map(({customerStatus}) => customerStatus.replace('_ADDITIONAL_INFORMATION', '')).join(' ')).toBe(
        statuses,
      )
      expect(listCodes(seen.at(-1) ?? {})).toEqual(codes)
    }
  })

  const magic = 'MAGIC_SCREEN_DETECTED'
  it.each([
    ['legalMiddleName', 'INDIVIDUAL', {...completeKyc, legalMiddleName: magic}],
    ['address.streetLine2', 'INDIVIDUAL', {...completeKyc, address: {...completeKyc.address, streetLine2: magic}}],
    ['documents[].description', 'INDIVIDUAL', withDocument({...passport, description: magic})],
    [
      'businessDocuments[].description',
      'BUSINESS',
      {...completeKyb, businessDocuments: [{...charter, description: magic}]},
    ],
    ['associatedPersons[].legalMiddleName', 'BUSINESS', withPersons({...robin, legalMiddleName: magic})],
  ] as const)('may be in %s', async (_, type, data) => {
    expect(listCodes(await submit(type, data))).toEqual(['SCREEN_DETECTED'])
  })

  it('is not stored, neither in the data nor in the name, and is none in another field', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const active = await submit('INDIVIDUAL', {...completeKyc, legalMiddleName: 'Rose MAGIC_APPROVE'}, sandbox)
    expect(active).toMatchObject({customerStatus: 'ACTIVE', name: 'Ines Rose Vardø'})
    expect(dumpTables(file)).not.toContain('MAGIC_')
    expect((await submit('INDIVIDUAL', {...completeKyc, legalLastName: 'MAGIC_REJECT'}, sandbox)).customerStatus).toBe(
      'ACTIVE',
    )
    expect((await callExpectingError(sandbox, 'PATCH', `/customers/${active.customerId}`, {kycData: {}})).error).toBe(
      'PATCH_NOT_ALLOWED',
    )
  })
})
