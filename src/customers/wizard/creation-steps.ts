// The steps that create a customer: who it is, and optionally its verification data.
import {customerCreate} from '../../contract/customers.ts'
import {customerTypes} from '../../contract/customer-statuses.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Step, listSteps} from '../../cli/wizard/steps.ts'
import {buildQuestions} from './build-questions.ts'
import {buildKybParts} from './business-parts.ts'
import {buildKycParts} from './person-parts.ts'

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

const submitNowQuestion = 'Submit the data for verification now? It is locked once it is sent'

function buildVerificationSteps(answers: Answers, key: 'kycData' | 'kybData'): Step[] {
  const isPresent = getValue(answers.body, key) !== undefined
  const parts = key === 'kycData' ? buildKycParts() : buildKybParts()
  return [
    {fork: key, label: submitNowQuestion, suggestion: true, isPresent},
    ...((answers.forks[key] ?? isPresent) ? listSteps(parts, answers) : []),
  ]
}

export function buildCreationSteps(answers: Answers): Step[] {
  const {customerType, email, firstName, lastName, businessName} = buildQuestions(customerCreate, '', customerFields)
  const type = getValue(answers.body, 'customerType')
  const nameQuestions = type === 'BUSINESS' ? [businessName] : [firstName, lastName]
  return [
    {...customerType, choices: typeChoices},
    email,
    ...nameQuestions,
    ...buildVerificationSteps(answers, type === 'BUSINESS' ? 'kybData' : 'kycData'),
  ]
}
