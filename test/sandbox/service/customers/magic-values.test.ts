// Magic values: each causes its outcome, for the submission that contains it only.
import {describe, expect, it} from 'vitest'
import {customerTypes} from '../../../../src/contract/vocabulary.ts'
import {issueCodes} from '../../../../src/contract/issue-codes.ts'
import {
  deactivationHours,
  manualReviewDays,
  reviewSeconds,
} from '../../../../src/sandbox/service/customers/verification.ts'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  dumpTables,
  openTemporary,
  passport,
  patchCustomer,
  readCustomer,
  callExpectingError,
  temporaryFile,
} from '../../open.ts'

const hourMs = 60 * 60 * 1_000
const reviewMs = reviewSeconds * 1_000

const kinds = {
  INDIVIDUAL: {field: 'kycData', complete: completeKyc},
  BUSINESS: {field: 'kybData', complete: completeKyb},
} as const

// A customer of the type in a sandbox, with helpers to submit data and wait.
async function createCustomerOfType(customerType: keyof typeof kinds, sandbox = openTemporary()) {
  const {field, complete} = kinds[customerType]
  const {customerId} = await createCustomer(sandbox, {customerType, email: 'someone@example.com'})
  return {
    sandbox,
    customerId,
    submit: (accountPurposeOther: string) =>
      patchCustomer(sandbox, customerId, {[field]: {...complete, accountPurposeOther}}),
    correct: () => patchCustomer(sandbox, customerId, {[field]: {accountPurpose: 'PERSONAL_USE'}}),
    now: () => readCustomer(sandbox, customerId),
  }
}

const listCodes = ({verificationIssues = []}: {verificationIssues?: {code: string}[] | undefined}) =>
  verificationIssues.map(({code}) => code)

describe('the list of magic values', () => {
  it('has one for every issue code and for every final outcome', () => {
    const values = openTemporary()
      .verification.magic()
      .filter((value) => value.of === 'verification')
    expect(values.flatMap(({code}) => code ?? []).toSorted()).toEqual(issueCodes.map(({code}) => code).toSorted())
    expect(issueCodes).toHaveLength(60)
    expect(values.filter(({code}) => code === undefined).map(({value}) => value)).toEqual([
      'MAGIC_REJECT',
      'MAGIC_DEACTIVATE',
      'MAGIC_APPROVE',
      'MAGIC_MANUAL_REVIEW',
    ])
    expect(new Set(values.map(({value}) => value)).size).toBe(64)
    for (const {precedence, field} of values)
      expect([typeof precedence, field]).toEqual(['number', 'accountPurposeOther'])
  })
})

describe.each(customerTypes)('a magic value in the data of a customer of type %s', (customerType) => {
  it('raises exactly its issue code, and the next correction without it is approved', async () => {
    const sandbox = openTemporary()
    const values = sandbox.verification.magic().filter(({code}) => code !== undefined)
    const customers = await Promise.all(
      values.map(async ({code, value}) => ({code, value, ...(await createCustomerOfType(customerType, sandbox))})),
    )
    for (const {value, submit} of customers) expect(await submit(value)).toMatchObject({customerStatus: 'UNDER_REVIEW'})
    sandbox.clock.advance(reviewMs)
    for (const {code, now, correct} of customers) {
      const customer = await now()
      expect([customer.customerStatus, listCodes(customer)]).toEqual(['NEEDS_ADDITIONAL_INFORMATION', [code]])
      await correct()
    }
    sandbox.clock.advance(reviewMs)
    for (const {now} of customers) expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('approves incomplete data', async () => {
    const {sandbox, customerId, now} = await createCustomerOfType(customerType)
    await patchCustomer(sandbox, customerId, {[kinds[customerType].field]: {accountPurposeOther: 'MAGIC_APPROVE'}})
    sandbox.clock.advance(reviewMs)
    expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('rejects with an issue, and the rejection is final', async () => {
    const {sandbox, submit, now} = await createCustomerOfType(customerType)
    const {customerId} = await submit('MAGIC_REJECT')
    sandbox.clock.advance(reviewMs)
    const rejected = await now()
    expect([rejected.customerStatus, listCodes(rejected)]).toEqual(['REJECTED', ['VERIFICATION_ISSUE']])
    const body = {[kinds[customerType].field]: kinds[customerType].complete}
    expect(await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, body)).toMatchObject({
      error: 'PATCH_NOT_ALLOWED',
    })
  })

  it('makes the customer ACTIVE, and DEACTIVATED later', async () => {
    const {sandbox, submit, now} = await createCustomerOfType(customerType)
    await submit('MAGIC_DEACTIVATE')
    sandbox.clock.advance(reviewMs)
    expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
    sandbox.clock.advance(deactivationHours * hourMs - 1)
    expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
    sandbox.clock.advance(1)
    const gone = await now()
    expect(gone).toMatchObject({customerStatus: 'DEACTIVATED', updatedAt: '2026-11-15T13:00:05Z'})
    expect(gone).not.toHaveProperty('verificationIssues')
  })

  it('keeps the customer UNDER_REVIEW for days and then approves', async () => {
    const {sandbox, submit, now} = await createCustomerOfType(customerType)
    await submit('MAGIC_MANUAL_REVIEW')
    sandbox.clock.advance(manualReviewDays * 24 * hourMs - 1)
    expect(await now()).toMatchObject({customerStatus: 'UNDER_REVIEW'})
    sandbox.clock.advance(1)
    expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
  })
})

describe('several magic values', () => {
  it.each([
    ['MAGIC_DOC_QUALITY_POOR MAGIC_AML_MATCH', 'NEEDS_ADDITIONAL_INFORMATION', ['DOC_QUALITY_POOR', 'AML_MATCH']],
    ['MAGIC_AML_MATCH,MAGIC_AML_MATCH', 'NEEDS_ADDITIONAL_INFORMATION', ['AML_MATCH']],
    ['MAGIC_APPROVE MAGIC_AML_MATCH', 'NEEDS_ADDITIONAL_INFORMATION', ['AML_MATCH']],
    ['MAGIC_AML_MATCH MAGIC_DEACTIVATE MAGIC_APPROVE', 'ACTIVE', []],
    ['MAGIC_DEACTIVATE MAGIC_AML_MATCH MAGIC_REJECT', 'REJECTED', ['AML_MATCH']],
    ['please MAGIC_APPROVE, thank you', 'ACTIVE', []],
  ])('%j lead to %s', async (text, status, codes) => {
    const {sandbox, submit, now} = await createCustomerOfType('INDIVIDUAL')
    await submit(text)
    sandbox.clock.advance(reviewMs)
    const customer = await now()
    expect([customer.customerStatus, listCodes(customer)]).toEqual([status, codes])
  })

  it('give a manual review the outcome of another value', async () => {
    const {sandbox, submit, now} = await createCustomerOfType('INDIVIDUAL')
    await submit('MAGIC_MANUAL_REVIEW MAGIC_FRAUD_WARNING')
    sandbox.clock.advance(reviewMs)
    expect(await now()).toMatchObject({customerStatus: 'UNDER_REVIEW', verificationIssues: []})
    sandbox.clock.advance(manualReviewDays * 24 * hourMs)
    expect(listCodes(await now())).toEqual(['FRAUD_WARNING'])
  })
})

describe('the field of a magic value', () => {
  const magic = 'MAGIC_SCREEN_DETECTED'
  it.each([
    ['legalMiddleName', 'INDIVIDUAL', {...completeKyc, legalMiddleName: magic}],
    ['address.streetLine2', 'INDIVIDUAL', {...completeKyc, address: {...completeKyc.address, streetLine2: magic}}],
    ['documents[].description', 'INDIVIDUAL', {...completeKyc, documents: [{...passport, description: magic}]}],
    [
      'businessDocuments[].description',
      'BUSINESS',
      {...completeKyb, businessDocuments: [{...completeKyb.businessDocuments[0], description: magic}]},
    ],
    [
      'associatedPersons[].legalMiddleName',
      'BUSINESS',
      {...completeKyb, associatedPersons: [{...completeKyb.associatedPersons[0], legalMiddleName: magic}]},
    ],
  ] as const)('may be %s, also at the creation', async (_, customerType, data) => {
    const sandbox = openTemporary()
    const body = {customerType, email: 'someone@example.com', [kinds[customerType].field]: data}
    const {customerId} = await createCustomer(sandbox, body)
    sandbox.clock.advance(reviewMs)
    expect(listCodes(await readCustomer(sandbox, customerId))).toEqual(['SCREEN_DETECTED'])
  })

  it('does not store the value, neither in the data nor in the name', async () => {
    const file = temporaryFile()
    const {sandbox, customerId, now} = await createCustomerOfType('INDIVIDUAL', openTemporary({file}))
    await patchCustomer(sandbox, customerId, {kycData: {...completeKyc, legalMiddleName: 'Rose MAGIC_APPROVE'}})
    sandbox.clock.advance(reviewMs)
    expect(await now()).toMatchObject({customerStatus: 'ACTIVE', name: 'Ines Rose Vardø'})
    expect(dumpTables(file)).not.toContain('MAGIC_')
  })

  it('is not a field whose text matters', async () => {
    const {sandbox, customerId, now} = await createCustomerOfType('INDIVIDUAL')
    await patchCustomer(sandbox, customerId, {kycData: {...completeKyc, legalLastName: 'MAGIC_REJECT'}})
    sandbox.clock.advance(reviewMs)
    expect(await now()).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('is named when a value is misspelt', async () => {
    const {sandbox, customerId} = await createCustomerOfType('INDIVIDUAL')
    const body = {kycData: {accountPurposeOther: 'MAGIC_DOC_QUALITY_POR', dateOfBirth: '2090-01-01'}}
    const {error, message} = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, body)
    expect(error).toBe('BAD_REQUEST')
    expect(message).toContain('kycData.accountPurposeOther contains MAGIC_DOC_QUALITY_POR, which is not a magic value')
    expect(message).toContain('kycData.dateOfBirth is in the future')
  })
})
