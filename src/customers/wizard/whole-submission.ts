// The steps of a whole submission. One checklist asks which of the rarer questions apply, so that the others are not asked
// at all, and what earlier answers already say is suggested.
import {isDeepStrictEqual} from 'node:util'
import {type Body, getValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {
  type Answers,
  type Checklist,
  type ChecklistItem,
  type Copy,
  type Question,
  type Part,
  type Step,
  getCopyFork,
  getStepKey,
  isFork,
  isQuestion,
  listSteps,
} from '../../cli/wizard/steps.ts'
import {createKybNodes} from '../../forms/verification.ts'
import {buildKycParts, buildParts, buildPersonParts} from './parts.ts'

// What may apply to a person or a business. The paths are relative to its data.
export interface Detail {
  name: string
  // A yes/no field.
  fact?: string
  // Questions that are asked only if it applies: fields, or what their paths begin or end with.
  fields?: readonly string[] | RegExp
  // An optional part or item that is added if it applies.
  adds?: string
  // A part that is asked for unless it applies.
  omits?: string
}

interface Whole {
  // The path of the data.
  path: string
  label: string
  details: readonly Detail[]
  // The field whose question the checklist follows.
  after: string
}

const getChecklistKey = ({path}: Whole) => `${path}.checklist`

const toRelative = ({path}: Whole, step: Question) => step.path.slice(path.length + 1)

function isOfDetail({fields = []}: Detail, field: string): boolean {
  return fields instanceof RegExp ? fields.test(field) : fields.includes(field)
}

function toItem(detail: Detail, whole: Whole, steps: readonly Step[], body: Body): ChecklistItem {
  const {name, fact, adds, omits} = detail
  const {path} = whole
  if (fact !== undefined) return {name, fact: `${path}.${fact}`}
  if (omits !== undefined) return {name, fork: `${path}.${omits}`, isNegated: true}
  if (adds !== undefined)
    return {name, fork: `${path}.${adds}`, isPresent: getValue(body, `${path}.${adds}`) !== undefined}
  const isPresent = steps.some(
    (step) =>
      isQuestion(step) && isOfDetail(detail, toRelative(whole, step)) && getValue(body, step.path) !== undefined,
  )
  return {name, fork: `${path}.${name}`, isPresent}
}

const isWanted = ({fork = '', isPresent = false}: Pick<ChecklistItem, 'fork' | 'isPresent'>, {forks}: Answers) =>
  forks[fork] ?? isPresent

// Inserts the checklist, and leaves out the questions that do not apply.
export function withChecklist(steps: readonly Step[], answers: Answers, whole: Whole): Step[] {
  const {label, details, after, path} = whole
  const items = details.map((detail) => toItem(detail, whole, steps, answers.body))
  const isHidden = (step: Question) => {
    const field = toRelative(whole, step)
    return details.some(
      (detail, index) => detail.fact === field || (isOfDetail(detail, field) && !isWanted(items[index] ?? {}, answers)),
    )
  }
  const key = getChecklistKey(whole)
  const settledForks = new Set(items.flatMap(({fork}) => (answers.forks[key] ? (fork ?? []) : [])))
  const at = steps.findIndex((step) => getStepKey(step) === `${path}.${after}`)
  const checklist: Checklist = {checklist: key, label, items, heading: steps[at]?.heading}
  return steps.flatMap((step, index) => {
    const kept = isQuestion(step) && isHidden(step) ? [] : [settle(step, settledForks)]
    return index === at ? [...kept, checklist] : kept
  })
}

const settle = (step: Step, settledForks: ReadonlySet<string>): Step =>
  isFork(step) && settledForks.has(step.fork) ? {...step, isSettled: true} : step

// Changes the questions at some paths, relative to a path.
export function changeQuestions(
  steps: readonly Step[],
  path: string,
  changes: Readonly<Record<string, Pick<Question, 'suggestion'> | undefined>>,
): Step[] {
  return steps.map((step) => {
    if (!isQuestion(step) || !step.path.startsWith(`${path}.`)) return step
    return {...step, ...changes[step.path.slice(path.length + 1)]}
  })
}

export const toSuggestion = (value: unknown): Pick<Question, 'suggestion'> =>
  typeof value === 'string' && value !== '' ? {suggestion: value} : {}

const kindsByCountry: Readonly<Record<string, string>> = {US: 'SSN'}

// The kind of national ID that is usual in a country.
const guessNationalIdKind = (country: unknown) => kindsByCountry[String(country)] ?? 'NATIONAL_ID'

// The steps of a whole person: an individual, or an owner, director or signer of a business.
const personDetails: readonly Detail[] = [
  {name: 'has a middle name', fields: ['legalMiddleName']},
  {name: 'has a second address line, such as a flat or floor', fields: ['address.streetLine2']},
]

const documentDetails: readonly Detail[] = [
  {name: 'has another document, such as a proof of address', adds: 'documents[1]'},
  {name: 'has no national ID or tax number', omits: 'nationalId'},
  {name: 'has no document at hand (verification needs one)', omits: 'documents[0]'},
]

const notesPattern = /^documents\[\d+\]\.description$/

const customerDetails: readonly Detail[] = [
  {name: 'acts on behalf of others', fact: 'isIntermediary'},
  ...personDetails,
  {name: 'states an occupation', fields: ['employmentStatus', 'mostRecentOccupation']},
  {
    name: 'states where the money comes from and what the account is for',
    fields: ['sourceOfFunds', 'accountPurpose', 'accountPurposeOther'],
  },
  {name: 'states the payments expected in a month', fields: ['expectedMonthlyPaymentsUsd']},
  ...documentDetails,
  {name: 'has notes on a document', fields: notesPattern},
]

const ownerDetails: readonly Detail[] = [
  {name: 'controls the business', fact: 'isControlPerson'},
  {name: 'may sign for the business', fact: 'isSigner'},
  {name: 'is a director', fact: 'isDirector'},
  ...personDetails,
  ...documentDetails,
  {
    name: 'gives a title, an email address or notes on a document',
    fields: /^(title|email|documents\[\d+\]\.description)$/,
  },
]

// What the nationality says about the national ID and the first document.
function suggestByNationality(steps: readonly Step[], body: Body, path: string, kind?: unknown): Step[] {
  const nationality = getValue(body, `${path}.nationality`)
  return changeQuestions(steps, path, {
    nationalIdType: toSuggestion(kind ?? guessNationalIdKind(nationality)),
    nationalIdIssuingCountry: toSuggestion(nationality),
    'documents[0].type': toSuggestion('GOVERNMENT_ID'),
    'documents[0].countryCode': toSuggestion(nationality),
  })
}

export function buildWholeKycSteps(answers: Answers, path = 'kycData'): Step[] {
  const whole = {path, label: 'What applies to the customer?', details: customerDetails, after: 'phoneNumber'}
  const steps = listSteps(buildKycParts(path), answers)
  return withChecklist(suggestByNationality(steps, answers.body, path), answers, whole)
}

const splitItemPath = (path: string) => {
  const [, list = '', index = '0'] = /^(.*)\[(\d+)\]$/.exec(path) ?? []
  return {list, index: Number(index)}
}

const describeAddress = (address: unknown) =>
  ['streetLine1', 'city'].map((field) => toText(getValue(address, field))).join(', ')

// The addresses that were given before: of the business, and of earlier owners that live elsewhere.
function listAddresses(body: Body, path: string): Copy['sources'] {
  const {list, index} = splitItemPath(path)
  const earlier = Array.from({length: index}, (_, at) => ({
    label: `of person ${at + 1}`,
    path: `${list}[${at}].address`,
  }))
  const all = [{label: 'of the business', path: 'kybData.businessRegisteredAddress'}, ...earlier]
  const isNew = ({path: own}: {path: string}, at: number) =>
    getValue(body, `${own}.streetLine1`) !== undefined &&
    all.findIndex((each) => isDeepStrictEqual(getValue(body, each.path), getValue(body, own))) === at
  return all
    .filter(isNew)
    .map(({label, path: own}) => ({name: `The one ${label}: ${describeAddress(getValue(body, own))}`, path: own}))
}

// Offers the addresses before the questions about a new one. The address of the owner before is the likely one, if that is
// a copy, too.
function withAddressCopy(steps: readonly Step[], {body, forks}: Answers, path: string): Step[] {
  const sources = listAddresses(body, path)
  const target = `${path}.address`
  const at = steps.findIndex((step) => getStepKey(step) === `${target}.countryCode`)
  const heading = steps[at]?.heading
  if (sources.length === 0 || at === -1) return [...steps]
  const {list, index} = splitItemPath(path)
  const before = `${list}[${index - 1}].address`
  const likely = sources.find((each) => isDeepStrictEqual(getValue(body, each.path), getValue(body, before)))
  const isCopied = forks[getCopyFork(target)] === true
  const copy: Copy = {
    copy: target,
    label: 'Home address',
    heading,
    otherLabel: 'Another address',
    sources,
    ...(forks[getCopyFork(before)] === true && {suggestion: likely?.path}),
  }
  const settled = steps.map((step) =>
    isCopied && isQuestion(step) && step.path.startsWith(`${target}.`) ? {...step, isSettled: true} : step,
  )
  return [...settled.slice(0, at), copy, ...settled.slice(at)]
}

// An owner is likely to have what the owner before has, or what the business has.
function buildOwnerSteps(answers: Answers, path: string): Step[] {
  const {body} = answers
  const {list, index} = splitItemPath(path)
  const getBefore = (field: string) => getValue(body, `${list}[${index - 1}].${field}`)
  const getOfBusiness = (field: string) => getValue(body, `kybData.${field}`)
  const getRegistered = (field: string) => getOfBusiness(`businessRegisteredAddress.${field}`)
  const isSameCountry = getValue(body, `${path}.address.countryCode`) === getRegistered('countryCode')
  const steps = listSteps(buildPersonParts(path), answers)
  const suggested = changeQuestions(suggestByNationality(steps, body, path, getBefore('nationalIdType')), path, {
    nationality: toSuggestion(
      getBefore('nationality') ?? getOfBusiness('businessInfo.registrationCountry') ?? getRegistered('countryCode'),
    ),
    ...(isSameCountry && {'address.stateRegionProvince': toSuggestion(getRegistered('stateRegionProvince'))}),
  })
  const whole = {path, label: 'What applies to this person?', details: ownerDetails, after: 'ownershipPercentage'}
  return withAddressCopy(withChecklist(suggested, answers, whole), answers, path)
}

export const buildKybParts = (path = 'kybData'): Part[] =>
  buildParts(createKybNodes(path), {associatedPersons: buildOwnerSteps})
