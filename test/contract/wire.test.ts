// The plain contract gives the same results as zod, and tells unknown fields from wrong ones.
import {describe, expect, it} from 'vitest'
import {endpoints} from '../../src/contract/endpoints.ts'
import {findShapeProblems} from '../../src/contract/shape.ts'
import {definitions, wire} from '../../src/contract/wire.frozen.ts'
import {customer} from '../support/service.ts'

const reply = wire['customers']?.['list']?.reply ?? {}
const validate = (more: Record<string, unknown>) =>
  findShapeProblems({customers: [customer(1, more)]}, reply, definitions)

describe('the plain contract', () => {
  it('is unchanged after it was frozen by the build', () => {
    expect(JSON.parse(JSON.stringify({wire, definitions}))).toEqual({wire, definitions})
  })

  it('accepts what zod accepts', () => {
    expect(validate({})).toEqual([])
    expect(endpoints.customers.list.reply.safeParse({customers: [customer(1)]}).success).toBe(true)
  })

  it('reports new fields and values as unknown, not as wrong', () => {
    expect(validate({tier: 'GOLD', customerStatus: 'ON_HOLD'}).map(({path, kind}) => [path, kind])).toEqual([
      ['customers[0].customerStatus', 'unknown value'],
      ['customers[0].tier', 'unknown field'],
    ])
  })

  it.each([
    [{name: 5}, 'customers[0].name', 'wrong'],
    [{customerId: 'abc'}, 'customers[0].customerId', 'wrong'],
    [{updatedAt: 'yesterday'}, 'customers[0].updatedAt', 'wrong'],
    [{email: undefined}, 'customers[0].email', 'missing'],
    [
      {verificationIssues: [{code: 'API_ERROR', timestamp: '2026-11-01T12:00:00Z'}]},
      'customers[0].verificationIssues[0].message',
      'missing',
    ],
  ])('finds the problem in %j', (more, path, kind) => {
    expect(validate(more)).toMatchObject([{path, kind}])
  })

  it('treats null as absent', () => {
    expect(validate({verificationLink: null, verificationIssues: null})).toEqual([])
  })
})
