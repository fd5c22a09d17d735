// Turns the fields of a form into questions: the kind of a field decides how it is asked, and earlier answers what is suggested,
// required and checked.
import {Big} from 'big.js'
import {limits} from '../../contract/vocabulary.ts'
import {date} from '../../contract/scalars.ts'
import {type Field, imageRule, isApplicable} from '../../forms/fields.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {countryChoices, listStateChoices} from '../../values/countries.ts'
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {lookUp} from '../../values/records.ts'
import {subtractMonths, toIsoDate} from '../../values/time.ts'
import {documentPrompt} from './ask-document.ts'

// How a question for a date says what to write, with a date that could be its answer.
const wordDate = (example: string): Pick<Question, 'hint' | 'explainText'> => ({
  hint: `year-month-day, such as ${example}`,
  explainText: (label, typed) => explainDate(label, typed, example),
})

const parseList = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const toChoices = (values: readonly string[] = []) => values.map((value) => ({name: value, value}))

type QuestionKind = Omit<Question, 'path' | 'label' | 'isRequired'>

const describeList = (values: readonly string[] = []) =>
  values.length === 0 ? 'separated by commas' : `codes separated by commas, such as ${values.join(', ')}`

function getQuestionKind({kind, values, lengthMin}: Field): QuestionKind {
  switch (kind) {
    case 'yes-no':
      return {kind: 'yes-no'}
    case 'country':
      return {kind: 'one-of', choices: countryChoices, hasNoDefault: true}
    case 'one-of':
    case 'coded':
      return {kind: 'one-of', choices: toChoices(values), allowsOther: kind === 'coded'}
    case 'several-coded':
    case 'lines':
      return {kind: 'text', parse: parseList, hint: describeList(values)}
    case 'file':
      return {kind: 'text', isFile: true, hint: `${imageRule}; Tab completes a path`, ...documentPrompt}
    case 'date':
      return {kind: 'text', ...wordDate(exampleDate), parse: parseDate}
    case 'number':
      return {
        kind: 'text',
        parse: parseNumber,
        explainText: explainNumber,
        hint: `from ${limits.percentageMin} to ${limits.percentageMax}`,
      }
    case 'phone':
      return {kind: 'text', hint: 'with its country code, such as +1 555 123 4567'}
    default:
      return {kind: 'text', ...(lengthMin !== undefined && {hint: `at least ${lengthMin} characters`})}
  }
}

export function toQuestion(field: Field): Question {
  const {path, label, hint, isRequired, isHidden, isMasked} = field
  const kind = getQuestionKind(field)
  const advice = kind.kind === 'text' && hint !== undefined ? hint.charAt(0).toLowerCase() + hint.slice(1) : undefined
  return {...kind, path, label, hint: kind.hint ?? advice, isRequired, isHidden, isMasked}
}

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

// A number without a country code is read as one of the country of residence, or else of the nationality.
const parseWithHomeCountry: Refine = (question, {getBeside}) => {
  const country = getBeside('address.countryCode') ?? getBeside('nationality')
  return {...question, parse: (text) => normalizePhoneNumber(text, typeof country === 'string' ? country : undefined)}
}

// The shares of all owners cannot exceed 100 per cent, so the hint says how much is left (docs/assumptions.md, C10).
const limitToRemainingShare: Refine = (question, {body, parent: path}) => {
  const list = path.replace(/\[\d+\]$/, '')
  const persons = getValue(body, list)
  const own = getValue(body, path)
  const held = (Array.isArray(persons) ? (persons as Array<Body | undefined>) : [])
    .filter((person) => person !== own)
    .map((person) => person?.['ownershipPercentage'])
    .filter((share) => typeof share === 'number')
    .reduce((sum, share) => sum.plus(share), new Big(0))
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

const requireWhole: Refine = (question) => ({...question, isRequired: true})

// Of a person and of a business. The three fields of a national ID are given together.
const generalRefinements: Readonly<Record<string, Refine>> = {
  legalFirstName: suggestStatedName('firstName'),
  legalLastName: suggestStatedName('lastName'),
  phoneNumber: parseWithHomeCountry,
  ownershipPercentage: limitToRemainingShare,
  nationalIdType: requireWhole,
  nationalIdNumber: requireWhole,
  nationalIdIssuingCountry: (question, {getBeside}) => ({
    ...suggest(question, getBeside('nationality')),
    isRequired: true,
  }),
  legalBusinessName: (question, {body}) => suggest(question, body['businessName']),
}

// What stateRegionProvince is called in each country.
const stateLabels: Readonly<Record<string, string>> = {
  AE: 'Emirate',
  AR: 'Province',
  AU: 'State or territory',
  CA: 'Province or territory',
  CN: 'Province',
  EG: 'Governorate',
  ES: 'Province',
  GB: 'County',
  IE: 'County',
  IN: 'State or union territory',
  IT: 'Province',
  JP: 'Prefecture',
  US: 'State',
}

const postalLabels: Readonly<Record<string, string>> = {
  AU: 'Postcode',
  BR: 'CEP',
  CH: 'Postcode',
  DE: 'Postcode',
  GB: 'Postcode',
  IE: 'Eircode',
  IN: 'PIN code',
  IT: 'CAP',
  NL: 'Postcode',
  NZ: 'Postcode',
  PH: 'ZIP code',
  US: 'ZIP code',
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
    isRequired: true,
    clears: [`${around.parent}.stateRegionProvince`, `${around.parent}.postalCode`],
  }),
  streetLine1: requireWhole,
  city: requireWhole,
  stateRegionProvince: (question, around) => {
    const states = listStateChoices(getCountry(around))
    return {
      ...question,
      label: lookUp(stateLabels, getCountry(around)) ?? question.label,
      // Countries with codes for their states require one of them.
      ...(states.length > 0 && {kind: 'one-of', choices: states, isRequired: true}),
    }
  },
  postalCode: (question, around) => ({
    ...question,
    label: lookUp(postalLabels, getCountry(around)) ?? question.label,
  }),
}

// Cards need an image of their back; for other documents it is optional (docs/assumptions.md, C14).
const cardPattern = /NATIONAL_ID|LICEN[CS]E|PERMIT|CARD/i

const checkStillValid = (today: string, issued: unknown) => (value: unknown) => {
  if (typeof value !== 'string') return undefined
  if (value < today) return 'It has expired: only a valid document is accepted, so use a newer one'
  return typeof issued === 'string' && value <= issued
    ? `It is not after the day of issue, ${issued}: check both`
    : undefined
}

const checkRecent = (today: string) => (value: unknown) =>
  typeof value === 'string' && value < subtractMonths(today, limits.proofOfAddressAgeMonthsMax)
    ? `It is older than ${limits.proofOfAddressAgeMonthsMax} months: take a newer bill, statement or letter`
    : undefined

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
      ? {...question, ...wordDate(listExampleDates(today).bill), check: checkRecent(today)}
      : {...question, ...wordDate(listExampleDates(today).issued)},
  expirationDate: (question, {getBeside, today}) => ({
    ...question,
    ...wordDate(listExampleDates(today).expires),
    check: checkStillValid(today, getBeside('issuanceDate')),
  }),
  backIdImage: (question, {getBeside}) => ({...question, isRequired: cardPattern.test(String(getBeside('subtype')))}),
}

// A document of the business needs its kind, which the contract leaves open.
const businessDocumentRefinements: Readonly<Record<string, Refine>> = {type: requireWhole}

function findRefinements(parent: string): Readonly<Record<string, Refine>> {
  if (/address$/i.test(parent)) return addressRefinements
  if (/\.documents\[\d+\]$/.test(parent)) return documentRefinements
  return /\.businessDocuments\[\d+\]$/.test(parent) ? businessDocumentRefinements : generalRefinements
}

// A wizard does not ask for the language of an address, nor for the back of a passport.
const isAsked = ({name}: Field, getBeside: (name: string) => unknown) =>
  name !== 'locale' && !(name === 'backIdImage' && getBeside('subtype') === 'PASSPORT')

// The questions for the fields that apply, after what was answered so far.
export function buildQuestions(fields: readonly Field[], body: Body, today = toIsoDate(Date.now())): Question[] {
  return fields.flatMap((field) => {
    const parent = field.path.slice(0, -field.name.length - 1)
    const getBeside = (name: string) => getValue(body, `${parent}.${name}`)
    if (!isApplicable(field, getBeside) || !isAsked(field, getBeside)) return []
    const question = toQuestion(field)
    return [lookUp(findRefinements(parent), field.name)?.(question, {body, parent, getBeside, today}) ?? question]
  })
}

const monthNames = new Intl.DateTimeFormat('en', {month: 'long', timeZone: 'UTC'})

const pad = (text: string) => text.padStart(2, '0')

const isDate = (text: string) => date.safeParse(text).success

// Accepts 1990.4.23, 1990/04/23 and 19900423. Only the order with the year first is unambiguous.
export const parseDate = (text: string) =>
  text
    .replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
    .replace(/^(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})$/, (_, year: string, month: string, day: string) =>
      [year, pad(month), pad(day)].join('-'),
    )

// The dates that may be meant by one with the year last.
function listReadings(text: string): string[] {
  const [, first, second, year] = /^(\d{1,2})[-./ ](\d{1,2})[-./ ](\d{4})$/.exec(text) ?? []
  if (first === undefined || second === undefined || year === undefined) return []
  const readings = [`${year}-${pad(second)}-${pad(first)}`, `${year}-${pad(first)}-${pad(second)}`]
  return [...new Set(readings.filter(isDate))]
}

// A day that no month has, such as 30 February. Undefined if the text has another fault.
function describeMissingDay(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (Number(month) < 1 || Number(month) > 12) return `there is no month ${Number(month)}`
  return `${monthNames.format(new Date(Date.UTC(2000, Number(month) - 1)))} ${year} has no day ${Number(day)}`
}

// A day long ago, such as that of a birth.
const exampleDate = '1990-04-23'

// The example must be an answer to the question: a day to come for the end of a document.
export function explainDate(label: string, typed: string, example = exampleDate): string | undefined {
  const text = parseDate(typed)
  if (isDate(text)) return undefined
  const missing = describeMissingDay(text)
  if (missing !== undefined) return `${label} is not a date: ${missing}`
  const readings = listReadings(text)
  return readings.length > 0
    ? `${label} is written with the year first: ${readings.join(' or ')}`
    : `${label} is a date: write year, month and day, such as ${example}`
}

// Accepts a percentage with its sign. A comma may separate thousands, so it is not taken for the decimal point.
export const parseNumber = (text: string) => {
  const plain = text.replace(/\s*%$/, '')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

export function explainNumber(label: string, typed: string): string | undefined {
  if (typeof parseNumber(typed) === 'number') return undefined
  const [, whole, decimals] = /^(\d+),(\d+)%?$/.exec(typed) ?? []
  return whole === undefined
    ? `${label} is a number: write digits, such as 25 or 33.3`
    : `${label} is written with a decimal point: ${whole}.${decimals}`
}
