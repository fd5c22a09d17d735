// The steps of a whole person: an individual, or an owner, director or signer of a business.
import {isDeepStrictEqual} from 'node:util'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {
  type Answers,
  type Copy,
  type Step,
  getCopyFork,
  getStepKey,
  isQuestion,
  listSteps,
} from '../../cli/wizard/steps.ts'
import {buildAssociatedPersonParts, buildKycParts} from './person-parts.ts'
import {
  type Detail,
  changeQuestions,
  guessNationalIdKind,
  toAssumption,
  toSuggestion,
  withChecklist,
} from './whole-submission.ts'

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

// Nine at most, so that one digit selects each: an owner is asked about for every owner.
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
    nationalIdIssuingCountry: toAssumption(nationality),
    'documents[0].type': toAssumption('GOVERNMENT_ID'),
    'documents[0].countryCode': toAssumption(nationality),
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
  ['streetLine1', 'city'].map((field) => toText((address as Body | undefined)?.[field])).join(', ')

// The addresses that were given before: of the business, and of earlier owners that live elsewhere.
function listAddresses(body: Body, path: string): Copy['sources'] {
  const {list, index} = splitItemPath(path)
  const earlier = Array.from({length: index}, (_, at) => ({
    label: `of owner ${at + 1}`,
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
export function buildOwnerSteps(answers: Answers, path: string): Step[] {
  const {body} = answers
  const {list, index} = splitItemPath(path)
  const getBefore = (field: string) => getValue(body, `${list}[${index - 1}].${field}`)
  const getOfBusiness = (field: string) => getValue(body, `kybData.${field}`)
  const registered = getOfBusiness('businessRegisteredAddress') as Body | undefined
  const isSameCountry = getValue(body, `${path}.address.countryCode`) === registered?.['countryCode']
  const steps = listSteps(buildAssociatedPersonParts(path), answers)
  const suggested = changeQuestions(suggestByNationality(steps, body, path, getBefore('nationalIdType')), path, {
    nationality: toSuggestion(
      getBefore('nationality') ?? getOfBusiness('businessInfo.registrationCountry') ?? registered?.['countryCode'],
    ),
    ...(isSameCountry && {'address.stateRegionProvince': toSuggestion(registered?.['stateRegionProvince'])}),
  })
  const whole = {path, label: 'What applies to this person?', details: ownerDetails, after: 'ownershipPercentage'}
  return withAddressCopy(withChecklist(suggested, answers, whole), answers, path)
}
