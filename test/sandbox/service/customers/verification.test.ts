// Verification in the sandbox: which submissions are accepted in which status, and their outcomes.
import {describe, expect, it} from 'vitest'
import {
  type CustomerStatus,
  customerStatuses,
  patchableStatuses,
  statusesWithIssues,
} from '../../../../src/contract/vocabulary.ts'
import type {Sandbox} from '../../../../src/sandbox/sandbox.ts'
import {reviewSeconds} from '../../../../src/sandbox/service/customers/verification.ts'
import {documentImage} from '../../../values/images.ts'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  listAllCustomers,
  openTemporary,
  patchCustomer,
  readCustomer,
  callExpectingError,
} from '../../open.ts'

const newIndividual = (sandbox: Sandbox) =>
  createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'ines@example.com'})
const newBusiness = (sandbox: Sandbox) =>
  createCustomer(sandbox, {customerType: 'BUSINESS', email: 'books@example.com'})
const decide = (sandbox: Sandbox) => sandbox.clock.advance(reviewSeconds * 1_000)

describe('a submission', () => {
  it('starts a review, which is decided when it is due and not before', async () => {
    const sandbox = openTemporary()
    const {customerId} = await newIndividual(sandbox)
    expect(await patchCustomer(sandbox, customerId, {kycData: completeKyc})).toMatchObject({
      customerStatus: 'UNDER_REVIEW',
    })
    sandbox.clock.advance(reviewSeconds * 1_000 - 1)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'UNDER_REVIEW'})
    sandbox.clock.advance(60_000)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({
      customerStatus: 'ACTIVE',
      name: 'Ines Vardø',
      updatedAt: '2026-11-15T12:00:05Z',
    })
  })

  it('with missing fields leads to issues that name them', async () => {
    const sandbox = openTemporary()
    const {customerId} = await newIndividual(sandbox)
    await patchCustomer(sandbox, customerId, {kycData: {nationality: 'NO', address: {city: 'Ålesund'}}})
    decide(sandbox)
    const {customerStatus, verificationIssues = []} = await readCustomer(sandbox, customerId)
    expect(customerStatus).toBe('NEEDS_ADDITIONAL_INFORMATION')
    expect(verificationIssues.map(({code}) => code)).toEqual(['MISSING_NAME', 'INVALID_PARAMETERS', 'NO_GOVERNMENT_ID'])
    expect(verificationIssues[1]).toEqual({
      code: 'INVALID_PARAMETERS',
      message: 'Missing: phoneNumber, dateOfBirth, address.countryCode, address.streetLine1. Provide them.',
      timestamp: '2026-11-15T12:00:05Z',
    })
  })

  it('is merged with earlier ones at every depth, while a list replaces the earlier list', async () => {
    const sandbox = openTemporary()
    const {customerId} = await newIndividual(sandbox)
    const {address, documents, ...others} = completeKyc
    const {city, ...street} = address
    const bill = {type: 'PROOF_OF_ADDRESS', issuanceDate: '2026-10-01', proofOfAddressImage: documentImage('pdf')}
    await patchCustomer(sandbox, customerId, {kycData: {...others, address: street, documents: [bill]}})
    decide(sandbox)
    expect((await readCustomer(sandbox, customerId)).verificationIssues).toMatchObject([
      {code: 'INVALID_PARAMETERS', message: 'Missing: address.city. Provide them.'},
      {code: 'NO_GOVERNMENT_ID'},
    ])
    const again = await patchCustomer(sandbox, customerId, {kycData: {address: {city}, documents}})
    expect(again).toMatchObject({customerStatus: 'UNDER_REVIEW'})
    expect(again.verificationIssues).toHaveLength(2)
    decide(sandbox)
    const active = await readCustomer(sandbox, customerId)
    expect(active.customerStatus).toBe('ACTIVE')
    expect(active).not.toHaveProperty('verificationIssues')
  })

  it.each([{}, {kycData: {}}, {kycData: {address: {}}}])('without content is rejected: %j', async (body) => {
    const sandbox = openTemporary()
    const {customerId} = await newIndividual(sandbox)
    const {error, message} = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, body)
    expect(error).toBe('BAD_REQUEST')
    expect(message).toContain('kycData')
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'CREATED'})
  })

  it('of the wrong kind is rejected, naming the field', async () => {
    const sandbox = openTemporary()
    const path = `/customers/${(await newBusiness(sandbox)).customerId}`
    expect(await callExpectingError(sandbox, 'PATCH', path, {kycData: completeKyc})).toMatchObject({
      error: 'BAD_REQUEST',
      message: 'kycData is for individuals: a business submits kybData',
    })
  })

  it('made at creation is under review immediately, so that another is rejected', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {
      customerType: 'INDIVIDUAL',
      email: 'a@example.com',
      kycData: {nationality: 'NO'},
    })
    const rejection = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, {kycData: completeKyc})
    expect(rejection).toMatchObject({error: 'PATCH_NOT_ALLOWED'})
    decide(sandbox)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})
  })
})

describe('the status', () => {
  const bodies = {INDIVIDUAL: {kycData: completeKyc}, BUSINESS: {kybData: completeKyb}}

  it.each(customerStatuses)(
    '%s accepts or rejects a submission as the interface says',
    async (status: CustomerStatus) => {
      const sandbox = openTemporary()
      const inStatus = (await listAllCustomers(sandbox)).filter(({customerStatus}) => customerStatus === status)
      expect(inStatus.length).toBeGreaterThan(0)
      for (const {customerId, customerType} of inStatus) {
        if (patchableStatuses.includes(status)) {
          expect(await patchCustomer(sandbox, customerId, bodies[customerType])).toMatchObject({
            customerStatus: 'UNDER_REVIEW',
          })
          decide(sandbox)
          expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'ACTIVE'})
        } else {
          const rejection = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, bodies[customerType])
          expect(rejection).toMatchObject({error: 'PATCH_NOT_ALLOWED', statusCode: 400})
          expect(rejection.message).toContain(status)
        }
      }
    },
  )

  it('decides whether issues are shown', async () => {
    for (const {customerStatus, verificationIssues} of await listAllCustomers(openTemporary())) {
      expect(verificationIssues !== undefined).toBe(statusesWithIssues.includes(customerStatus))
    }
  })
})
