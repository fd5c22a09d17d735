// The search in the choices of a list prompt.
import {describe, expect, it} from 'vitest'
import {filterChoices} from '../../../src/cli/wizard/choices.ts'

describe('the search in choices', () => {
  const choices = ['Australia (AU)', 'Russia (RU)', 'United States (US)', 'Côte d’Ivoire (CI)', 'South Sudan (SS)'].map(
    (name) => ({name, value: name.slice(-3, -1)}),
  )
  const found = (term: string) => filterChoices(choices, term).map(({value}) => value)

  it('lists an exact code before names that only contain it', () => {
    expect(found('us')).toEqual(['US', 'AU', 'RU'])
  })

  it('lists matches at the start of the name first, then at the start of a word, then anywhere', () => {
    expect(found('s')).toEqual(['SS', 'US', 'AU', 'RU'])
    expect(found('sudan')).toEqual(['SS'])
    expect(found('')).toHaveLength(choices.length)
    expect(found('zz')).toEqual([])
  })
})
