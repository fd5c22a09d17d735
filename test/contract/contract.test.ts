// Compares the contract with the interface: counts, groups, names, and what a request may contain.
import {describe, expect, it} from 'vitest'
import {customerCreate, customerPatch} from '../../src/contract/customers.ts'
import {
  cryptoMethods,
  customerStatuses,
  fiatMethods,
  kycFieldsRequiredByFlow,
  patchableStatuses,
} from '../../src/contract/vocabulary.ts'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {serviceErrors} from '../../src/contract/service-errors.ts'
import {issueCodes} from '../../src/contract/issue-codes.ts'
import {findProblems} from '../../src/contract/problems.ts'
import {ruleCreate} from '../../src/contract/rules.ts'
import {transaction, transactionStatuses} from '../../src/contract/transactions.ts'

const uuid = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'

describe('the contract', () => {
  it('has every endpoint of the interface', () => {
    expect(endpointEntries.map(({endpoint}) => `${endpoint.method} ${endpoint.path}`).toSorted()).toEqual([
      'DELETE /automation-rules/{ruleId}',
      'GET /automation-rules',
      'GET /automation-rules/{ruleId}',
      'GET /customers',
      'GET /customers/{customerId}',
      'GET /payment-accounts',
      'GET /transactions',
      'PATCH /customers/{customerId}',
      'POST /automation-rules',
      'POST /customers',
      'POST /quotes',
      'POST /transactions',
      'PUT /automation-rules/{ruleId}',
    ])
  })

  it('has every status and method', () => {
    expect(customerStatuses).toHaveLength(6)
    expect(patchableStatuses).toEqual(['CREATED', 'NEEDS_ADDITIONAL_INFORMATION'])
    expect(transactionStatuses).toHaveLength(7)
    expect([...fiatMethods, ...cryptoMethods]).toHaveLength(11)
  })

  it('lists what verification requires of a person', () => {
    expect(kycFieldsRequiredByFlow).toEqual([
      'legalFirstName',
      'legalLastName',
      'phoneNumber',
      'dateOfBirth',
      'address',
      'nationality',
    ])
  })

  it('has the 23 fields of fiat transfer instructions', () => {
    const {transferInstructions} = transaction.shape
    expect(Object.keys(transferInstructions.unwrap().shape)).toHaveLength(23)
  })

  it('marks the error codes that the interface does not name', () => {
    const named = serviceErrors.filter(({assumed}) => !assumed).map(({statusCode, error}) => `${statusCode} ${error}`)
    expect(named).toEqual(['400 PATCH_NOT_ALLOWED', '400 BAD_REQUEST', '401 UNAUTHORIZED'])
  })
})

describe('the issue codes', () => {
  it('are all sixty, in their five groups', () => {
    const counts = Object.groupBy(issueCodes, ({group}) => group)
    expect(Object.fromEntries(Object.entries(counts).map(([group, entries]) => [group, entries.length]))).toEqual({
      DOCUMENT: 17,
      ADDRESS: 11,
      CORRECT: 2,
      REVIEW: 24,
      SUPPORT: 6,
    })
    expect(new Set(issueCodes.map(({code}) => code)).size).toBe(60)
  })

  it('have the resolver of their group', () => {
    for (const {group, resolver} of issueCodes) {
      const expected = {REVIEW: 'CUSTOMER_THEN_SUPPORT', SUPPORT: 'SUPPORT'}[group as string] ?? 'CUSTOMER'
      expect(resolver).toBe(expected)
    }
  })

  it('name only fields that exist in a person’s data', () => {
    const person = customerPatch.shape.kycData.unwrap().shape
    const [document, address] = [person.documents.unwrap().element.shape, person.address.unwrap().shape]
    const known = [
      ...Object.keys(person),
      ...Object.keys(document).map((field) => `documents.${field}`),
      ...Object.keys(address).map((field) => `address.${field}`),
    ]
    for (const {code, fields} of issueCodes) for (const field of fields) expect(known, code).toContain(field)
  })
})

describe('a request', () => {
  it('lists every problem at once, each with its path and its kind', () => {
    const problems = findProblems(customerCreate, {
      customerType: 'PERSON',
      firstName: 7,
      nickname: 'Ada',
      kycData: {
        title: 'Dr',
        phoneNumber: '555',
        dateOfBirth: '01/02/1990',
        nationalIdType: 'SSN',
        address: {streetLine1: 'abc', countryCode: 'usa'},
      },
    })
    expect(problems.map(({path, kind}) => [path, kind])).toEqual([
      ['customerType', 'value'],
      ['email', 'missing'],
      ['firstName', 'type'],
      ['kycData.phoneNumber', 'format'],
      ['kycData.dateOfBirth', 'format'],
      ['kycData.address.countryCode', 'format'],
      ['kycData.address.streetLine1', 'range'],
      ['kycData.title', 'removedField'],
      ['kycData.nationalIdNumber', 'condition'],
      ['kycData.nationalIdIssuingCountry', 'condition'],
      ['nickname', 'unknownField'],
    ])
  })

  it('requires the three national ID fields together', () => {
    const problems = findProblems(customerPatch, {kycData: {nationalIdType: 'SSN'}})
    expect(problems.map(({path}) => path)).toEqual(['kycData.nationalIdNumber', 'kycData.nationalIdIssuingCountry'])
  })

  it('accepts any value where the interface lists only examples', () => {
    expect(
      findProblems(customerPatch, {kycData: {employmentStatus: 'ON_SABBATICAL', sourceOfFunds: 'LOTTERY'}}),
    ).toEqual([])
  })

  it('accepts any subset, also inside an address', () => {
    expect(findProblems(customerPatch, {kycData: {address: {city: 'Porto'}}})).toEqual([])
    expect(findProblems(customerPatch, {})).toEqual([])
  })

  it('limits a percentage to 0 to 100', () => {
    const rule = (value: string) => ({
      name: 'Sweep',
      customerId: uuid,
      transactionTemplate: {
        source: {sourcePaymentAccountId: 'a', sourcePaymentMethod: 'BASE', sourceCurrency: 'USDC'},
        destination: {destinationPaymentAccountId: 'b', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
        amount: {type: 'PCT', value},
      },
      trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-5'},
    })
    for (const value of ['0', '100', '100.00', '99.99999999999999999999']) {
      expect(findProblems(ruleCreate, rule(value))).toEqual([])
    }
    for (const value of ['100.01', '101', '100.00000000000000000001']) {
      expect(findProblems(ruleCreate, rule(value)).map(({path}) => path)).toEqual(['transactionTemplate.amount.value'])
    }
  })

  it('accepts only a URL as the website of a business', () => {
    const patch = (website: string) => ({kybData: {businessInfo: {website}}})
    expect(findProblems(customerPatch, patch('https://example.com/shop'))).toEqual([])
    for (const website of ['example', 'javascript:alert(1)', 'http://']) {
      expect(findProblems(customerPatch, patch(website))).toEqual([
        {path: 'kybData.businessInfo.website', kind: 'format', message: 'must be an http or https URL'},
      ])
    }
  })
})
