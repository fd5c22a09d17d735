// The steps that create a customer: who it is, and optionally its verification data.
import {customerCreate} from '../../contract/customers.ts'
import {customerTypes} from '../../contract/customer-statuses.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {getValue, withValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Step, isQuestion} from '../../cli/wizard/steps.ts'
import {buildQuestions} from './build-questions.ts'
import {buildWholeKybSteps} from './whole-business.ts'
import {buildWholeKycSteps} from './whole-person.ts'

export const typeQuestion = 'A person or a business?'

const customerFields = {
  customerType: {label: typeQuestion, isRequired: true},
  email: {label: 'Email address', isRequired: true},
  firstName: {label: 'First name'},
  lastName: {label: 'Last name'},
  businessName: {label: 'Name of the business'},
} as const

const typeLabels: Record<(typeof customerTypes)[number], string> = {INDIVIDUAL: 'A person', BUSINESS: 'A business'}

export const typeChoices = customerTypes.map((value) => ({name: typeLabels[value], value}))

const customerHeading = 'Customer'
const addCustomerHeading = (step: Step): Step => ({...step, heading: customerHeading})

const submitNowQuestion = 'Submit the data for verification now? It is locked once it is sent'

function buildVerificationSteps(answers: Answers, key: 'kycData' | 'kybData'): Step[] {
  const isPresent = getValue(answers.body, key) !== undefined
  const fork: Step = {
    fork: key,
    heading: customerHeading,
    label: submitNowQuestion,
    suggestion: true,
    isPresent,
    isAlwaysAsked: true,
  }
  if (!(answers.forks[key] ?? isPresent)) return [fork]
  const steps = key === 'kycData' ? buildWholeKycSteps(answers) : buildWholeKybSteps(answers)
  return [fork, ...steps.map(nameCustomer)]
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
  const {customerType, email, firstName, lastName, businessName} = buildQuestions(customerCreate, '', customerFields)
  const type = getValue(answers.body, 'customerType')
  const key = type === 'BUSINESS' ? 'kybData' : 'kycData'
  const nameQuestions = type === 'BUSINESS' ? [businessName] : [firstName, lastName]
  const isNamedByData = answers.forks[key] ?? getValue(answers.body, key) !== undefined
  const customerSteps = [{...customerType, choices: typeChoices}, email]
  return [
    ...customerSteps.map(addCustomerHeading),
    ...buildVerificationSteps(answers, key),
    ...(isNamedByData ? [] : nameQuestions.map(addCustomerHeading)),
  ]
}
