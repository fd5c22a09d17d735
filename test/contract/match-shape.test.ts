// matchesShape gives the same result as findShapeProblems.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type Shape, findShapeProblems, matchesShape} from '../../src/contract/shape.ts'
import {definitions, wire} from '../../src/contract/wire.frozen.ts'
import {customer} from '../support/service.ts'

const breaksShape = (value: unknown, shape: Shape) =>
  findShapeProblems(value, shape, definitions).some(({kind}) => kind === 'missing' || kind === 'wrong')

const replies = Object.values(wire)
  .flatMap((verbs) => Object.values(verbs))
  .map(({name, reply}) => [name, reply] as const)

const validReplies = {
  'customers.list': {customers: [customer(1), customer(2, {riskTier: 3, customerStatus: 'ON_HOLD', name: null})]},
  'customers.get': customer(1, {verificationIssues: [{code: 'A', message: 'B', timestamp: '2026-11-01T12:00:00Z'}]}),
}

// Objects with known field names and arbitrary values.
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    {maxDepth: 4},
    fc.constantFrom<unknown>(null, undefined, '', 'x', '2026-11-01T12:00:00Z', 3, -1.5, true),
    fc.uuid(),
    fc.array(tie('value'), {maxLength: 3}),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      'customers',
      'customerId',
      'updatedAt',
      'fees',
      'svcFee',
      'label',
      'source',
      'id',
      'nextPageToken',
      'x',
    ),
    tie('value'),
    {maxKeys: 6},
  ),
}))

describe('matchesShape', () => {
  it.each(Object.entries(validReplies))(
    'agrees with findShapeProblems on a valid %s, and on one with a changed field',
    (name, value) => {
      const shape = new Map(replies).get(name) as Shape
      expect(matchesShape(value, shape, definitions)).toBe(!breaksShape(value, shape))
      const text = JSON.stringify(value)
      for (const [from, to] of [
        ['"ACTIVE"', '3'],
        ['2026-11-01T12:00:00Z', 'soon'],
        ['"customerId"', '"otherId"'],
        ['00000000-', ''],
        ['"name"', '"names"'],
        ['[', '['],
      ] as const) {
        const changed: unknown = JSON.parse(text.replace(from, to))
        expect(matchesShape(changed, shape, definitions), `${from} as ${to}`).toBe(!breaksShape(changed, shape))
      }
    },
  )

  it.each(replies)('agrees with findShapeProblems on arbitrary replies to %s', (_, shape) => {
    fc.assert(
      fc.property(anything.object, (value) => {
        expect(matchesShape(value, shape, definitions)).toBe(!breaksShape(value, shape))
      }),
      {numRuns: 100},
    )
  })
})
