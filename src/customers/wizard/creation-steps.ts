// The steps that create a customer: who it is, and optionally its verification data.
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {type Answers, type Step, isQuestion, listSteps} from '../../cli/wizard/steps.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {customerCreate} from '../../contract/customers.ts'
import {readCode} from '../../contract/loose.ts'
import {findLabels} from '../../contract/labels.ts'
import {createFields} from '../../forms/fields.ts'
import {dataFields} from '../../forms/verification.ts'
import {askSelect} from '../../cli/prompts/ask.ts'
import {toQuestion} from '../../cli/wizard/questions.ts'
import {
  buildKybParts,
  type Detail,
  buildWholeKycSteps,
  changeQuestions,
  toSuggestion,
  withChecklist,
} from './whole-submission.ts'

export type CustomerType = (typeof customerTypes)[number]

export const findCustomerType = (type: unknown): CustomerType | undefined =>
  customerTypes.find((each) => each === readCode(type))

const typeLabels: Record<CustomerType, string> = {INDIVIDUAL: 'A person', BUSINESS: 'A business'}

const typeQuestion = findLabels(customerCreate)['customerType']?.label ?? ''

const typeChoices = customerTypes.map((value) => ({name: typeLabels[value], value}))

// Asked where the service does not say it.
export const askCustomerType = (): Promise<CustomerType> => askSelect(typeQuestion, typeChoices)

const customerHeading = 'Customer'
const addCustomerHeading = (step: Step): Step => ({...step, heading: customerHeading})

const enterNowQuestion = 'Enter the verification data now? If not, the customer fills in a form'

function buildVerificationSteps(answers: Answers, type: CustomerType): Step[] {
  const key = dataFields[type]
  const isPresent = getValue(answers.body, key) !== undefined
  const fork: Step = {
    fork: key,
    heading: customerHeading,
    label: enterNowQuestion,
    suggestion: true,
    isPresent,
  }
  if (!(answers.forks[key] ?? isPresent)) return [fork]
  return [fork, ...buildWholeSteps(answers, type).map(nameCustomer)]
}

// The names in the data name the customer as well, so that they are asked for once.
const statedNames: Readonly<Record<string, string>> = {
  'kycData.legalFirstName': 'firstName',
  'kycData.legalLastName': 'lastName',
  'kybData.businessInfo.legalBusinessName': 'businessName',
}

function nameCustomer(step: Step): Step {
  const name = isQuestion(step) ? statedNames[step.path] : undefined
  if (!isQuestion(step) || name === undefined) return step
  const afterAnswer = (body: Body, before: Body) => {
    const isStated = before[name] !== undefined && before[name] !== getValue(before, step.path)
    return isStated ? body : withValue(body, name, getValue(body, step.path))
  }
  return {...step, afterAnswer}
}

export function buildCreationSteps(answers: Answers): Step[] {
  const questions = createFields(customerCreate, '').map(toQuestion)
  const pickQuestions = (...paths: string[]) => questions.filter(({path}) => paths.includes(path))
  const type = findCustomerType(answers.body['customerType']) ?? 'INDIVIDUAL'
  const key = dataFields[type]
  const nameQuestions = type === 'BUSINESS' ? pickQuestions('businessName') : pickQuestions('firstName', 'lastName')
  const isNamedByData = answers.forks[key] ?? getValue(answers.body, key) !== undefined
  const customerSteps = pickQuestions('customerType', 'email').map((question) =>
    question.path === 'customerType' ? {...question, choices: typeChoices} : question,
  )
  return [
    ...customerSteps.map(addCustomerHeading),
    ...buildVerificationSteps(answers, type),
    ...(isNamedByData ? [] : nameQuestions.map(addCustomerHeading)),
  ]
}

// The steps of a whole KYB submission.
const businessDetails: readonly Detail[] = [
  {name: 'conducts money services', fact: 'conductsMoneyServices'},
  {name: 'operates in prohibited countries', fact: 'operatesInProhibitedCountries'},
  {name: 'has high-risk activities', fields: ['highRiskActivities', 'highRiskActivitiesExplanation']},
  {name: 'is a DAO', fact: 'businessInfo.isDao'},
  {name: 'has a website', fields: ['businessInfo.website']},
  {name: 'has other links or handles', fields: ['businessInfo.otherLinks']},
  {name: 'does business under another name', fields: ['businessInfo.dbaName']},
  {name: 'operates at another address', adds: 'businessOperatingAddress'},
  {
    name: 'gives an industry code, or describes what it does',
    fields: ['businessInfo.businessIndustries', 'businessInfo.businessDescription'],
  },
  {name: 'has a second address line', fields: /^business\w+Address\.streetLine2$/},
  {
    name: 'states where its money comes from and what the account is for',
    fields: ['sourceOfFunds', 'sourceOfFundsDescription', 'accountPurpose', 'accountPurposeOther'],
  },
  {name: 'states its volume and revenue', fields: ['expectedMonthlyVolumeUsd', 'estimatedAnnualRevenueUsd']},
  {name: 'describes how it screens for compliance', fields: ['complianceScreeningDescription']},
  {name: 'has more than one document', adds: 'businessDocuments[1]'},
  {name: 'has no document at hand (verification needs one)', omits: 'businessDocuments[0]'},
  {name: 'has notes on a document', fields: /^businessDocuments\[\d+\]\.description$/},
]

function buildWholeKybSteps(answers: Answers, path = 'kybData'): Step[] {
  const whole = {
    path,
    label: 'What applies to the business?',
    details: businessDetails,
    after: 'businessInfo.legalBusinessName',
  }
  const steps = changeQuestions(listSteps(buildKybParts(path), answers), path, {
    // A business is registered at an address in the country of its registration.
    'businessRegisteredAddress.countryCode': toSuggestion(
      getValue(answers.body, `${path}.businessInfo.registrationCountry`),
    ),
  })
  return withChecklist(steps, answers, whole)
}

export const buildWholeSteps = (answers: Answers, type: CustomerType): Step[] =>
  type === 'BUSINESS' ? buildWholeKybSteps(answers) : buildWholeKycSteps(answers)
