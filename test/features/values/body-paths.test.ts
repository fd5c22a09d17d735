// Paths in a body: reading, setting and removing values without changing the original.
import {expect, it} from 'vitest'
import {getValue, withValue, withoutValue} from '../../../src/values/body-paths.ts'

it('A path in a body is set and removed in a copy, with what is above it, and reaches nothing inherited', () => {
  const before = {kycData: {address: {city: 'A'}}}
  expect(withValue(before, 'kycData.documents[1].type', 'X')).toEqual({
    kycData: {address: {city: 'A'}, documents: [undefined, {type: 'X'}]},
  })
  expect(before).toEqual({kycData: {address: {city: 'A'}}})
  expect(withoutValue({a: {b: {c: 1}}, d: 2}, 'a.b.c')).toEqual({d: 2})
  expect(withoutValue({list: [{a: 1}, {b: 2}]}, 'list[0].a')).toEqual({list: [{b: 2}]})
  expect(getValue({}, 'constructor.name')).toBeUndefined()
})
