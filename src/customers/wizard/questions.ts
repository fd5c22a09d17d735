// The questions about a customer: what earlier answers suggest, require and check beyond the fields of the form.
import {Big} from 'big.js'
import {limits} from '../../contract/vocabulary.ts'
import {labelsByCountry} from '../../contract/labels.ts'
import {type Field, findHomeCountry, getParentPath, isApplicable} from '../../forms/fields.ts'
import {toQuestion, wordDate} from '../../cli/wizard/questions.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {listStateChoices} from '../../values/countries.ts'
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {lookUp} from '../../values/records.ts'
import {needsBack} from '../../values/review-data.ts'
import {sumShares} from '../../values/shares.ts'
import {subtractMonths, toIsoDate} from '../../values/time.ts'
import {explainRefusal} from '../find-refusals.ts'
import {documentPrompt} from './ask-document.ts'

// The values around a question: of the whole body, and of the object that has its field.
interface Surroundings {
  body: Body
  // The path of the object.
  parent: string
  getBeside: (name: string) => unknown
  today: string
}

type Refine = (question: Question, around: Surroundings) => Question

const suggest = (question: Question, value: unknown): Question =>
  typeof value === 'string' ? {...question, suggestion: value} : question

const kycPath = 'kycData'

// Suggests the name that was given for the customer, since that on the ID is most likely the same.
const suggestStatedName =
  (name: string): Refine =>
  (question, {body, parent}) =>
    parent === kycPath ? suggest(question, body[name]) : question

const parseWithHomeCountry: Refine = (question, {getBeside}) => {
  const country = findHomeCountry(getBeside)
  return {...question, parse: (text) => normalizePhoneNumber(text, country)}
}

// The shares of all owners cannot exceed 100 per cent, so the hint says how much is left (docs/assumptions.md, C10).
const limitToRemainingShare: Refine = (question, {body, parent: path}) => {
  const list = path.replace(/\[\d+\]$/, '')
  const persons = getValue(body, list)
  const own = getValue(body, path)
  const held = sumShares((Array.isArray(persons) ? persons : []).filter((person) => person !== own))
  const left = new Big(limits.percentageMax).minus(held)
  if (held.eq(0)) return question
  return {
    ...question,
    hint: `from 0 to ${left.toFixed()}: the others hold ${held.toFixed()}`,
    check: (value) =>
      typeof value === 'number' && left.lt(value)
        ? `It is too much: the others hold ${held.toFixed()} of ${limits.percentageMax} per cent, so ${left.toFixed()} at most`
        : undefined,
  }
}

// Of a person and of a business.
const generalRefinements: Readonly<Record<string, Refine>> = {
  legalFirstName: suggestStatedName('firstName'),
  legalLastName: suggestStatedName('lastName'),
  phoneNumber: parseWithHomeCountry,
  ownershipPercentage: limitToRemainingShare,
  nationalIdIssuingCountry: (question, {getBeside}) => suggest(question, getBeside('nationality')),
  legalBusinessName: (question, {body}) => suggest(question, body['businessName']),
}

const getCountry = ({getBeside}: Surroundings) => {
  const country = getBeside('countryCode')
  return typeof country === 'string' ? country : ''
}

// Where an address most likely is, by what was said before.
function findLikelyCountry({body, parent}: Surroundings): unknown {
  const [, owner = ''] = /^(.*)\.\w+$/.exec(parent) ?? []
  if (parent.endsWith('.businessRegisteredAddress')) return getValue(body, `${owner}.businessInfo.registrationCountry`)
  if (parent.endsWith('.businessOperatingAddress'))
    return getValue(body, `${owner}.businessRegisteredAddress.countryCode`)
  return getValue(body, `${owner}.nationality`)
}

const addressRefinements: Readonly<Record<string, Refine>> = {
  countryCode: (question, around) => ({
    ...suggest(question, findLikelyCountry(around)),
    clears: [`${around.parent}.stateRegionProvince`, `${around.parent}.postalCode`],
  }),
  stateRegionProvince: (question, around) => {
    const states = listStateChoices(getCountry(around))
    return {
      ...question,
      label: lookUp(labelsByCountry.stateRegionProvince, getCountry(around)) ?? question.label,
      // Countries whose states have codes have choices instead.
      hint: undefined,
      // Countries with codes for their states require one of them.
      ...(states.length > 0 && {kind: 'one-of', choices: states, isRequired: true}),
    }
  },
  postalCode: (question, around) => ({
    ...question,
    label: lookUp(labelsByCountry.postalCode, getCountry(around)) ?? question.label,
  }),
}

// Dates that could be on a document, as examples for its questions.
const listExampleDates = (today: string) => ({
  bill: subtractMonths(today, 1),
  issued: subtractMonths(today, 24),
  expires: subtractMonths(today, -60),
})

const documentRefinements: Readonly<Record<string, Refine>> = {
  // The document that most people have.
  subtype: (question) => ({...question, suggestion: 'PASSPORT'}),
  // Most documents are issued by the holder's own country.
  countryCode: (question, {body, parent}) =>
    suggest(question, getValue(body, `${parent.replace(/\.documents\[\d+\]$/, '')}.nationality`)),
  issuanceDate: (question, {getBeside, today}) =>
    getBeside('type') === 'PROOF_OF_ADDRESS'
      ? {...question, ...wordDate(listExampleDates(today).bill)}
      : {...question, ...wordDate(listExampleDates(today).issued)},
  expirationDate: (question, {today}) => ({...question, ...wordDate(listExampleDates(today).expires)}),
  backIdImage: (question, {getBeside}) => ({...question, isRequired: needsBack(getBeside('subtype'))}),
}

function findRefinements(parent: string): Readonly<Record<string, Refine>> {
  if (/address$/i.test(parent)) return addressRefinements
  return /\.documents\[\d+\]$/.test(parent) ? documentRefinements : generalRefinements
}

// A wizard does not ask for the language of an address, nor for the back of a passport.
const isAsked = ({name}: Field, getBeside: (name: string) => unknown) =>
  name !== 'locale' && !(name === 'backIdImage' && getBeside('subtype') === 'PASSPORT')

// What verification is known to refuse is said where it is typed, not only in the review.
const warnOfRefusal = (question: Question, body: Body): Question => ({
  ...question,
  warn: (value) => question.warn?.(value) ?? explainRefusal(body, question.path, value),
})

// The questions for the fields that apply, after what was answered so far.
export function buildQuestions(fields: readonly Field[], body: Body, today = toIsoDate(Date.now())): Question[] {
  return fields.flatMap((field) => {
    const parent = getParentPath(field)
    const getBeside = (name: string) => getValue(body, `${parent}.${name}`)
    if (!isApplicable(field, getBeside) || !isAsked(field, getBeside)) return []
    const question = {...toQuestion(field), ...(field.kind === 'file' && documentPrompt)}
    const refined =
      lookUp(findRefinements(parent), field.name)?.(question, {body, parent, getBeside, today}) ?? question
    return [field.kind === 'file' ? refined : warnOfRefusal(refined, body)]
  })
}
