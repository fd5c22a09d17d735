// Creating and reading customers in the sandbox.
import {describe, expect, it} from 'vitest'
import {
  completeKyb,
  completeKyc,
  createCustomer,
  callForCustomer,
  openTemporary,
  readCustomer,
  callExpectingError,
} from '../../open.ts'

const individual = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}
const business = {customerType: 'BUSINESS', email: 'books@example.com'}

describe('creating a customer', () => {
  it('returns CREATED, a link to the form, and the time of the virtual clock', async () => {
    const sandbox = openTemporary({formsUrl: 'http://127.0.0.1:4242/'})
    const customer = await createCustomer(sandbox, {...individual, firstName: 'Ines', lastName: 'Vardø'})
    expect(customer).toMatchObject({
      customerStatus: 'CREATED',
      name: 'Ines Vardø',
      updatedAt: '2026-11-15T12:00:00Z',
      organizationId: sandbox.status().organizations[0]?.organizationId,
    })
    expect(customer.verificationLink).toMatch(
      /^http:\/\/127\.0\.0\.1:4242\/verify\/form_[0-9a-f]{24}\.[0-9a-z]+\.[0-9a-f]{16}$/,
    )
    expect(customer).not.toHaveProperty('verificationIssues')
    expect(await readCustomer(sandbox, customer.customerId)).toEqual(customer)
  })

  it.each([
    ['first and last name', {...individual, firstName: 'Ada', lastName: 'Brandtner'}, 'Ada Brandtner'],
    ['the first name alone', {...individual, firstName: 'Ada'}, 'Ada'],
    ['the business name', {...business, businessName: 'Copper & Co'}, 'Copper & Co'],
    ['KYC data', {...individual, kycData: {legalFirstName: 'Ines', legalLastName: 'Vardø'}}, 'Ines Vardø'],
    ['KYB data', {...business, kybData: completeKyb}, 'Driftwood Books Ltd'],
    ['the email when there is nothing else', individual, 'ines@example.com'],
  ])('takes the name from %s', async (_, body, name) => {
    expect((await createCustomer(openTemporary(), body)).name).toBe(name)
  })

  it('with verification data returns CREATED, and the review starts right after', async () => {
    const sandbox = openTemporary()
    const {customerId, customerStatus} = await createCustomer(sandbox, {...individual, kycData: completeKyc})
    expect(customerStatus).toBe('CREATED')
    expect(await readCustomer(sandbox, customerId)).toMatchObject({
      customerStatus: 'UNDER_REVIEW',
      verificationIssues: [],
    })
    sandbox.clock.advance(60_000)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })
})

describe('reading a customer', () => {
  it('works at both paths, with the id in upper or lower case', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    expect(await callForCustomer(sandbox, 'GET', `/customers/${customer.customerId}`)).toEqual(customer)
    expect(await callForCustomer(sandbox, 'GET', `/customer/${customer.customerId}`)).toEqual(customer)
    expect(await callForCustomer(sandbox, 'GET', `/customer/${customer.customerId.toUpperCase()}`)).toEqual(customer)
  })

  it('adds payment methods only on request, and only for an ACTIVE customer', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {...individual, kycData: completeKyc})
    const methods = async (query: string) =>
      (await callForCustomer(sandbox, 'GET', `/customers/${customerId}${query}`)).availablePaymentMethods
    expect(await methods('?includePaymentMethods=true')).toEqual([])
    sandbox.clock.advance(60_000)
    expect(await methods('?includePaymentMethods=true')).toEqual(expect.arrayContaining(['SEPA', 'BASE']))
    expect(await methods('?includePaymentMethods=false')).toBeUndefined()
    expect(await methods('')).toBeUndefined()
    const {message} = await callExpectingError(sandbox, 'GET', `/customers/${customerId}?includePaymentMethods=yes`)
    expect(message).toContain('includePaymentMethods')
  })
})
