// The verification of the sandbox: which submissions are taken in which state, and what comes of them.
import {describe, expect, it} from 'vitest'
import {
  type CustomerStatus,
  customerStatuses,
  patchableStatuses,
  statusesWithIssues,
} from '../../../src/contract/customers.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {reviewSeconds} from '../../../src/sandbox/customers/verification.ts'
import {documentImage} from '../../validation/images.ts'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  listAllCustomers,
  openTemporary,
  patchCustomer,
  readCustomer,
  callExpectingError,
} from '../open.ts'

const newIndividual = (sandbox: Sandbox) =>
  createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'ines@example.com'})
const newBusiness = (sandbox: Sandbox) =>
  createCustomer(sandbox, {customerType: 'BUSINESS', email: 'books@example.com'})
const decide = (sandbox: Sandbox) => sandbox.clock.advance(reviewSeconds * 1_000)

describe('a submission', () => {
  it('puts the customer under review, and the outcome comes at its time and not before', async () => {
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

  it('of which something is missing comes back with issues that name it', async () => {
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

  it('is joined with the earlier ones at every depth, while a list replaces the earlier list', async () => {
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

  it('of a business needs its legal name, its registered address, one associated person and one document', async () => {
    const sandbox = openTemporary()
    const {customerId} = await newBusiness(sandbox)
    await patchCustomer(sandbox, customerId, {kybData: {businessRegistrationNumber: '123'}})
    decide(sandbox)
    expect((await readCustomer(sandbox, customerId)).verificationIssues).toMatchObject([
      {
        code: 'INVALID_PARAMETERS',
        message: 'Missing: businessInfo.legalBusinessName, businessRegisteredAddress, associatedPersons. Provide them.',
      },
      {code: 'DOCUMENT_NOT_FOUND'},
    ])
    await patchCustomer(sandbox, customerId, {kybData: completeKyb})
    decide(sandbox)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({
      customerStatus: 'ACTIVE',
      name: 'Driftwood Books Ltd',
    })
  })

  it.each([{}, {kycData: {}}, {kycData: {address: {}}}])('of nothing is refused: %j', async (body) => {
    const sandbox = openTemporary()
    const {customerId} = await newIndividual(sandbox)
    const {error, message} = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, body)
    expect(error).toBe('BAD_REQUEST')
    expect(message).toContain('kycData')
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'CREATED'})
  })

  it('of the wrong kind is refused, naming the field', async () => {
    const sandbox = openTemporary()
    const path = `/customers/${(await newBusiness(sandbox)).customerId}`
    expect(await callExpectingError(sandbox, 'PATCH', path, {kycData: completeKyc})).toMatchObject({
      error: 'BAD_REQUEST',
      message: 'kycData is for individuals: a business submits kybData',
    })
  })

  it('that came with the creation is under review at once, so that another is refused', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {
      customerType: 'INDIVIDUAL',
      email: 'a@example.com',
      kycData: {nationality: 'NO'},
    })
    const refused = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, {kycData: completeKyc})
    expect(refused).toMatchObject({error: 'PATCH_NOT_ALLOWED'})
    decide(sandbox)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})
  })
})

describe('the status', () => {
  const bodies = {INDIVIDUAL: {kycData: completeKyc}, BUSINESS: {kybData: completeKyb}}

  it.each(customerStatuses)(
    '%s takes a submission or refuses it, as the interface says',
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
          const refused = await callExpectingError(sandbox, 'PATCH', `/customers/${customerId}`, bodies[customerType])
          expect(refused).toMatchObject({error: 'PATCH_NOT_ALLOWED', statusCode: 400})
          expect(refused.message).toContain(status)
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
