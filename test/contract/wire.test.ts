// The contract as plain data judges as zod does, and tells drift from breach.
import {describe, expect, it} from 'vitest'
import {endpoints} from '../../src/contract/endpoints.ts'
import {findShapeProblems} from '../../src/contract/shape.ts'
import {definitions, wire} from '../../src/contract/wire.frozen.ts'
import {customer} from '../support/service.ts'

const reply = wire['customers']?.['list']?.reply ?? {}
const judge = (more: Record<string, unknown>) => findShapeProblems({customers: [customer(1, more)]}, reply, definitions)

describe('the plain contract', () => {
  it('survives the freezing of the build unchanged', () => {
    expect(JSON.parse(JSON.stringify({wire, definitions}))).toEqual({wire, definitions})
  })

  it('accepts what zod accepts', () => {
    expect(judge({})).toEqual([])
    expect(endpoints.customers.list.reply.safeParse({customers: [customer(1)]}).success).toBe(true)
  })

  it('calls new fields and values unknown, not wrong', () => {
    expect(judge({tier: 'GOLD', customerStatus: 'ON_HOLD'}).map(({path, kind}) => [path, kind])).toEqual([
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
  ])('finds the breach in %j', (more, path, kind) => {
    expect(judge(more)).toMatchObject([{path, kind}])
  })

  it('takes null for absent', () => {
    expect(judge({verificationLink: null, verificationIssues: null})).toEqual([])
  })
})
