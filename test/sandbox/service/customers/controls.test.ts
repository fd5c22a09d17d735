// Forced outcomes of verification: from which statuses each is possible, and from which not.
import {describe, expect, it} from 'vitest'
import {customer} from '../../../../src/contract/customers.ts'
import {type CustomerStatus, customerStatuses} from '../../../../src/contract/vocabulary.ts'
import {ControlError} from '../../../../src/sandbox/operations/control-error.ts'
import type {Outcome} from '../../../../src/sandbox/service/customers/outcomes.ts'
import {reviewSeconds} from '../../../../src/sandbox/service/customers/verification.ts'
import {completeKyc, createCustomer, listAllCustomers, openTemporary, patchCustomer, readCustomer} from '../../open.ts'

const reviewMs = reviewSeconds * 1_000

const reviewable: readonly CustomerStatus[] = ['CREATED', 'UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION']

// Every outcome, with the statuses from which it can be forced and the resulting status.
const outcomes: Record<Outcome, {from: readonly CustomerStatus[]; to: CustomerStatus}> = {
  approved: {from: reviewable, to: 'ACTIVE'},
  'needs-information': {from: reviewable, to: 'NEEDS_ADDITIONAL_INFORMATION'},
  rejected: {from: reviewable, to: 'REJECTED'},
  deactivated: {from: ['ACTIVE'], to: 'DEACTIVATED'},
  'manual-review': {from: reviewable, to: 'UNDER_REVIEW'},
}

const cases = (Object.keys(outcomes) as Outcome[]).flatMap((outcome) =>
  customerStatuses.map((status) => ({outcome, status, possible: outcomes[outcome].from.includes(status)})),
)

describe('a forced outcome', () => {
  it.each(cases)(
    '$outcome of a customer who is $status is possible: $possible',
    async ({outcome, status, possible}) => {
      const sandbox = openTemporary()
      const inStatus = (await listAllCustomers(sandbox)).filter(({customerStatus}) => customerStatus === status)
      expect(inStatus.length).toBeGreaterThan(0)
      for (const {customerId} of inStatus) {
        if (possible) {
          const forced = sandbox.verification.force(customerId, {outcome})
          expect(customer.parse(forced)).toMatchObject({customerId, customerStatus: outcomes[outcome].to})
          expect(await readCustomer(sandbox, customerId)).toEqual(forced)
        } else {
          expect(() => sandbox.verification.force(customerId, {outcome})).toThrow(ControlError)
          expect(() => sandbox.verification.force(customerId, {outcome})).toThrow(
            `The customer is ${status} and cannot be`,
          )
          expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: status})
        }
      }
    },
  )

  it('replaces the queued decision', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    await patchCustomer(sandbox, customerId, {kycData: completeKyc})
    sandbox.verification.force(customerId, {outcome: 'needs-information', codes: ['doc_quality_poor', 'AML_MATCH']})
    sandbox.clock.advance(reviewMs)
    expect((await readCustomer(sandbox, customerId)).verificationIssues).toMatchObject([
      {code: 'DOC_QUALITY_POOR', timestamp: '2026-11-15T12:00:00Z'},
      {code: 'AML_MATCH'},
    ])
    await patchCustomer(sandbox, customerId, {kycData: {sourceOfFunds: 'SALARY'}})
    sandbox.clock.advance(reviewMs)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('has the given message, else the meaning of the code, else a general issue', async () => {
    const sandbox = openTemporary()
    const rejected = async (forced: {codes?: string[]; message?: string}) => {
      const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
      const {verificationIssues} = sandbox.verification.force(customerId, {outcome: 'rejected', ...forced})
      return verificationIssues?.map(({code, message}) => `${code} ${message}`)
    }
    expect(await rejected({codes: ['AML_MATCH'], message: 'No.'})).toEqual(['AML_MATCH No.'])
    expect(await rejected({codes: ['AML_MATCH']})).toEqual([
      'AML_MATCH The name matched an anti-money-laundering list. Review the submission or contact support.',
    ])
    expect(await rejected({})).toEqual([expect.stringMatching(/^VERIFICATION_ISSUE /)])
  })

  it('is rejected with an unknown issue code, and with codes for an outcome without issues', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    const forcing = (forced: {outcome: Outcome; codes?: string[]; message?: string}) => () =>
      sandbox.verification.force(customerId, forced)
    expect(forcing({outcome: 'rejected', codes: ['AML_MATCH', 'NONSENSE']})).toThrow('no issue code "NONSENSE"')
    for (const outcome of ['approved', 'manual-review', 'deactivated'] as const) {
      expect(forcing({outcome, codes: ['AML_MATCH']})).toThrow('has no issues')
      expect(forcing({outcome, message: 'Hello'})).toThrow('has no issues')
    }
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'CREATED'})
  })
})
