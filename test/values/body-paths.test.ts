// Paths in a body: reading, setting and removing values without changing the original.
import {describe, expect, it} from 'vitest'
import {getValue, withValue, withoutValue} from '../../src/values/body-paths.ts'

describe('a path in a body', () => {
  it('is created together with the objects and lists above it', () => {
    expect(withValue({}, 'kycData.documents[1].type', 'X')).toEqual({kycData: {documents: [undefined, {type: 'X'}]}})
  })

  it('is set in a copy of the body', () => {
    const before = {kycData: {address: {city: 'A'}}}
    expect(withValue(before, 'kycData.address.city', 'B')).toEqual({kycData: {address: {city: 'B'}}})
    expect(before).toEqual({kycData: {address: {city: 'A'}}})
  })

  it('is removed together with containers that become empty; in a list, the next item moves up', () => {
    expect(withoutValue({a: {b: {c: 1}}, d: 2}, 'a.b.c')).toEqual({d: 2})
    expect(withoutValue({list: [{a: 1}, {b: 2}]}, 'list[0]')).toEqual({list: [{b: 2}]})
    expect(withoutValue({list: [{a: 1}]}, 'list[0].a')).toEqual({})
    expect(withoutValue({a: 1}, 'b.c')).toEqual({a: 1})
  })

  it('does not reach inherited properties', () => {
    expect(getValue({}, 'constructor.name')).toBeUndefined()
  })
})
