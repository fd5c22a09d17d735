// The search in the choices of a list prompt: the exact code first, then the start of a name, the start of a word, any part. What is for
// others is always last.
import {expect, it} from 'vitest'
import {filterChoices} from '../../src/cli/wizard/choices.ts'

const names = ['Australia (AU)', 'Russia (RU)', 'United States (US)', 'Côte d’Ivoire (CI)', 'South Sudan (SS)']
const listed = names.map((name) => ({name, value: name.slice(-3, -1)}))
const choices = [...listed, {name: 'other (type it)', value: 'other', isForOthers: true}]

it.each(['us: US AU RU other', 's: SS US AU RU other', 'cote: CI other', 'zz: other'])('finds %s', (line) => {
  const [term = '', found] = line.split(': ')
  expect(filterChoices(choices, term).map(({value}) => value)).toEqual(found?.split(' ').filter(Boolean))
})
