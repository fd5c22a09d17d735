// The search in the choices of a list prompt: the exact code first, then the start of a name, the start of a word, any part.
import {expect, it} from 'vitest'
import {filterChoices} from '../../../src/cli/wizard/choices.ts'

const names = ['Australia (AU)', 'Russia (RU)', 'United States (US)', 'Côte d’Ivoire (CI)', 'South Sudan (SS)']
const choices = names.map((name) => ({name, value: name.slice(-3, -1)}))

it.each(['us: US AU RU', 's: SS US AU RU', 'cote: CI', 'zz: '])('finds %s', (line) => {
  const [term = '', found] = line.split(': ')
  expect(filterChoices(choices, term).map(({value}) => value)).toEqual(found?.split(' ').filter(Boolean))
})
