// Places in a body: what is read, set and taken out, and that the body from before stays as it was.
import {describe, expect, it} from 'vitest'
import {getValue, withValue, withoutValue} from '../../../src/cli/wizard/body-paths.ts'
import {filterChoices} from '../../../src/cli/wizard/prompts.ts'

describe('a place in a body', () => {
  it('is made with everything on the way to it', () => {
    expect(withValue({}, 'kycData.documents[1].type', 'X')).toEqual({kycData: {documents: [undefined, {type: 'X'}]}})
  })

  it('is set in a copy', () => {
    const before = {kycData: {address: {city: 'A'}}}
    expect(withValue(before, 'kycData.address.city', 'B')).toEqual({kycData: {address: {city: 'B'}}})
    expect(before).toEqual({kycData: {address: {city: 'A'}}})
  })

  it('is taken out with what is empty by it; in a list, the next moves up', () => {
    expect(withoutValue({a: {b: {c: 1}}, d: 2}, 'a.b.c')).toEqual({d: 2})
    expect(withoutValue({list: [{a: 1}, {b: 2}]}, 'list[0]')).toEqual({list: [{b: 2}]})
    expect(withoutValue({list: [{a: 1}]}, 'list[0].a')).toEqual({})
    expect(withoutValue({a: 1}, 'b.c')).toEqual({a: 1})
  })

  it('that is inherited by every object is none', () => {
    expect(getValue({}, 'constructor.name')).toBeUndefined()
  })
})

describe('a choice that is searched for', () => {
  const choices = ['Australia (AU)', 'Russia (RU)', 'United States (US)', 'Côte d’Ivoire (CI)', 'South Sudan (SS)'].map(
    (name) => ({name, value: name.slice(-3, -1)}),
  )
  const found = (term: string) => filterChoices(choices, term).map(({value}) => value)

  it('is found by its code before anything that only contains it', () => {
    expect(found('us')).toEqual(['US', 'AU', 'RU'])
  })

  it('is found by the beginning of its name, then of a word, then anywhere', () => {
    expect(found('s')).toEqual(['SS', 'US', 'AU', 'RU'])
    expect(found('sudan')).toEqual(['SS'])
    expect(found('')).toHaveLength(choices.length)
    expect(found('zz')).toEqual([])
  })
})
