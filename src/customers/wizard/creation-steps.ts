// The conversation in which a customer is made: who it is, and the data for its verification.
import {customerCreate, customerTypes} from '../../contract/customers.ts'
import {buildKybParts} from './business-parts.ts'
import {buildQuestions} from './build-questions.ts'
import {buildKycParts} from './person-parts.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Step, listSteps} from '../../cli/wizard/steps.ts'

const customerFields = {
  customerType: {label: 'A person or a business?', isRequired: true},
  email: {label: 'Email address', isRequired: true},
  firstName: {label: 'First name'},
  lastName: {label: 'Last name'},
  businessName: {label: 'Name of the business'},
} as const

const typeLabels: Record<(typeof customerTypes)[number], string> = {INDIVIDUAL: 'A person', BUSINESS: 'A business'}

export const typeChoices = customerTypes.map((value) => ({name: typeLabels[value], value}))

const submitNowQuestion = 'Submit the data for verification now? It is locked once it is sent'

function buildVerificationSteps(answers: Answers, key: 'kycData' | 'kybData'): Step[] {
  const isSaid = getValue(answers.body, key) !== undefined
  const parts = key === 'kycData' ? buildKycParts() : buildKybParts()
  return [
    {fork: key, label: submitNowQuestion, suggestion: true, isPresent: isSaid},
    ...((answers.forks[key] ?? isSaid) ? listSteps(parts, answers) : []),
  ]
}

export function buildCreationSteps(answers: Answers): Step[] {
  const {customerType, email, firstName, lastName, businessName} = buildQuestions(customerCreate, '', customerFields)
  const type = getValue(answers.body, 'customerType')
  const named = type === 'BUSINESS' ? [businessName] : [firstName, lastName]
  return [
    {...customerType, choices: typeChoices},
    email,
    ...named,
    ...buildVerificationSteps(answers, type === 'BUSINESS' ? 'kybData' : 'kycData'),
  ]
}
