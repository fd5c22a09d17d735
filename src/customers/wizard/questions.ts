// The questions about a customer: what earlier answers suggest, require and check beyond the fields of the form.
import {Big} from 'big.js'
import {toQuestion, wordDate} from '../../cli/wizard/questions.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {limits} from '../../contract/vocabulary.ts'
import {type Field, findHomeCountry, getParentPath, isApplicable} from '../../forms/fields.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {listStateChoices} from '../../values/countries.ts'
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {lookUp, readText} from '../../values/records.ts'
import {needsBack, sumShares} from '../../values/review-data.ts'
import {explainRefusal} from '../check-body.ts'
import {documentPrompt} from './ask-document.ts'

// The values around a question.
interface Surroundings {
  body: Body
  // The path of the object that has its field.
  parent: string
  getBeside: (name: string) => unknown
  // Of the person to whom the object belongs, and of the owner before.
  getOwn: (name: string) => unknown
  getBefore: (name: string) => unknown
}

type Refine = (question: Question, around: Surroundings) => Partial<Question>

const suggest = (...values: readonly unknown[]): Partial<Question> => {
  const suggestion = values.find((value) => typeof value === 'string' && value !== '')
  return suggestion === undefined ? {} : {suggestion}
}

const kycPath = 'kycData'

// The shares of all owners cannot exceed 100 per cent, so the hint says how much is left (docs/assumptions.md, C10).
const limitToRemainingShare: Refine = (_, {body, parent: path}) => {
  const persons = getValue(body, path.replace(/\[\d+\]$/, ''))
  const own = getValue(body, path)
  const held = sumShares((Array.isArray(persons) ? persons : []).filter((person) => person !== own))
  const left = new Big(limits.percentageMax).minus(held)
  if (held.eq(0)) return {}
  return {
    hint: `from 0 to ${left.toFixed()}: the others hold ${held.toFixed()}`,
    check: (value) =>
      typeof value === 'number' && left.lt(value)
        ? `It is too much: the others hold ${held.toFixed()} of ${limits.percentageMax} per cent, so ${left.toFixed()} at most`
        : undefined,
  }
}

// The kind of national ID that is usual in a country.
const guessNationalIdKind = (country: unknown) => country && (country === 'US' ? 'SSN' : 'NATIONAL_ID')

const registered = 'kybData.businessRegisteredAddress'

// Of a person and of a business. The name that was given for the customer most likely is that on the ID.
const generalRefinements: Readonly<Record<string, Refine>> = {
  legalFirstName: (_, {body, parent}) => (parent === kycPath ? suggest(body['firstName']) : {}),
  legalLastName: (_, {body, parent}) => (parent === kycPath ? suggest(body['lastName']) : {}),
  legalBusinessName: (_, {body}) => suggest(body['businessName']),
  phoneNumber: (_, {getBeside}) => ({
    parse: (text) => normalizePhoneNumber(text, findHomeCountry(getBeside)),
  }),
  ownershipPercentage: limitToRemainingShare,
  nationality: (_, {body, getBefore}) =>
    suggest(
      getBefore('nationality'),
      getValue(body, 'kybData.businessInfo.registrationCountry'),
      getValue(body, `${registered}.countryCode`),
    ),
  nationalIdType: (_, {getBeside, getBefore}) =>
    suggest(getBefore('nationalIdType'), guessNationalIdKind(getBeside('nationality'))),
  nationalIdIssuingCountry: (_, {getBeside}) => suggest(getBeside('nationality')),
}

// Where an address most likely is, by what was said before.
const likelyCountries: Readonly<Record<string, string>> = {
  [registered]: 'kybData.businessInfo.registrationCountry',
  'kybData.businessOperatingAddress': `${registered}.countryCode`,
}

const addressRefinements: Readonly<Record<string, Refine>> = {
  countryCode: (_, {body, parent, getOwn}) => ({
    ...suggest(getValue(body, lookUp(likelyCountries, parent) ?? ''), getOwn('nationality')),
    clears: [`${parent}.stateRegionProvince`, `${parent}.postalCode`],
  }),
  stateRegionProvince: (_, {body, getBeside}) => {
    const country = readText(getBeside('countryCode'))
    const states = listStateChoices(country)
    const isAsRegistered = country === getValue(body, `${registered}.countryCode`)
    return {
      // Countries whose states have codes have choices instead, and require one of them.
      hint: undefined,
      ...(states.length > 0 && {kind: 'one-of', choices: states, isRequired: true}),
      ...(isAsRegistered && suggest(getValue(body, `${registered}.stateRegionProvince`))),
    }
  },
}

const documentRefinements: Readonly<Record<string, Refine>> = {
  // The document that most people have.
  subtype: () => suggest('PASSPORT'),
  // Most documents are issued by the holder's own country.
  countryCode: (_, {getOwn}) => suggest(getOwn('nationality'), getOwn('address.countryCode')),
  // A day to come, so that the example is an answer.
  expirationDate: () => wordDate('2040-04-23'),
  backIdImage: (_, {getBeside}) => ({isRequired: needsBack(getBeside('subtype'))}),
}

const documentPath = /\.documents\[\d+\]$/

function findRefinements(parent: string): Readonly<Record<string, Refine>> {
  if (/address$/i.test(parent)) return addressRefinements
  return documentPath.test(parent) ? documentRefinements : generalRefinements
}

function describeSurroundings(body: Body, parent: string): Surroundings {
  const own = parent.replace(documentPath, '').replace(/\.address$/, '')
  const [, list = '', index = '0'] = /^(.*)\[(\d+)\]$/.exec(own) ?? []
  return {
    body,
    parent,
    getBeside: (name) => getValue(body, `${parent}.${name}`),
    getOwn: (name) => getValue(body, `${own}.${name}`),
    getBefore: (name) => (index === '0' ? undefined : getValue(body, `${list}[${Number(index) - 1}].${name}`)),
  }
}

// A wizard does not ask for the language of an address, nor for the back of a passport.
const isAsked = ({name}: Field, {getBeside}: Surroundings) =>
  name !== 'locale' && !(name === 'backIdImage' && getBeside('subtype') === 'PASSPORT')

// The questions for the fields that apply, after what was answered so far. What verification is known to refuse is said where it is
// typed, not only in the review.
export function buildQuestions(fields: readonly Field[], body: Body): Question[] {
  return fields.flatMap((field) => {
    const around = describeSurroundings(body, getParentPath(field))
    if (!isApplicable(field, around.getBeside) || !isAsked(field, around)) return []
    const plain = toQuestion(field)
    const question = {...plain, ...lookUp(findRefinements(around.parent), field.name)?.(plain, around)}
    if (field.kind === 'file') return [{...question, ...documentPrompt(field.path)}]
    return [{...question, warn: (value) => question.warn?.(value) ?? explainRefusal(body, field.path, value)}]
  })
}
