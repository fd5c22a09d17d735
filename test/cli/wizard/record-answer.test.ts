// What follows from an answer: a copied value follows its source.
import {expect, it} from 'vitest'
import {recordAnswer} from '../../../src/cli/wizard/run-wizard.ts'
import {type Answers, type Question, type Step, getCopyFork} from '../../../src/cli/wizard/steps.ts'

const toQuestion = (path: string): Question => ({path, label: path, kind: 'text', isRequired: true})
const office = toQuestion('office.postalCode')
const home = toQuestion('home.postalCode')
const steps: Step[] = [
  office,
  {copy: 'home', label: 'Home', otherLabel: 'Another', sources: [{name: 'Office', path: 'office'}]},
  home,
]
const wizard = {steps: () => steps, validate: () => []}

it('a copied address follows the address it was copied from, until it is changed itself', async () => {
  const address = {postalCode: '1000'}
  const start: Answers = {body: {office: address, home: address}, forks: {[getCopyFork('home')]: true}}
  const corrected = await recordAnswer(office, '8001', start, wizard)
  expect(corrected.body).toEqual({office: {postalCode: '8001'}, home: {postalCode: '8001'}})
  const own = await recordAnswer(home, '3000', corrected, wizard)
  expect(own.body).toEqual({office: {postalCode: '8001'}, home: {postalCode: '3000'}})
  expect((await recordAnswer(office, '1000', own, wizard)).body).toMatchObject({home: {postalCode: '3000'}})
  const another = await recordAnswer(office, '8001', {...start, forks: {}}, wizard)
  expect(another.body).toMatchObject({home: {postalCode: '1000'}})
})
