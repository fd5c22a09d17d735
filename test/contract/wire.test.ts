// The plain contract gives the same results as zod, and tells unknown fields from wrong ones.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {endpointEntries, endpoints} from '../../src/contract/endpoints.ts'
import {check} from '../../src/contract/shape.ts'
import {findProblems} from '../../src/contract/problems.ts'
import {definitions, wire} from '../../src/contract/wire.frozen.ts'
import {customer} from '../support/service.ts'

const reply = wire['customers']?.['list']?.reply ?? {}
const validate = (more: Record<string, unknown>) => check({customers: [customer(1, more)]}, reply, {definitions})

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

describe('parameters, queries and headers', () => {
  const parts = endpointEntries.flatMap(({name, endpoint}) =>
    (['params', 'query', 'headers'] as const).flatMap((part) => {
      const [topic = '', verb = ''] = name.split('.')
      const shape = wire[topic]?.[verb]?.[part]
      return endpoint[part] && shape ? [{name, part, schema: endpoint[part], shape}] : []
    }),
  )
  const value = fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    fc.string(),
    fc.integer({min: -2, max: 120}),
    fc.boolean(),
    fc.double(),
    fc.constantFrom('', '0', ' ', undefined),
  )

  // The sandbox therefore needs no schema for most requests without a body.
  it.each(parts)('match their shape if they match the schema, and not otherwise: $part of $name', ({schema, shape}) => {
    const fields = fc.record(Object.fromEntries(Object.keys(schema.shape).map((field) => [field, value])), {
      requiredKeys: [],
    })
    fc.assert(
      fc.property(fields, (made) => {
        const given = {...made}
        const problems = check(given, shape, {definitions, strict: true})
        expect(problems.length === 0).toBe(findProblems(schema, given).length === 0)
      }),
      {numRuns: 500},
    )
  })
})
