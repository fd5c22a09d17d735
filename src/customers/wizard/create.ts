// The conversation in which a customer is made: who it is, and the data for its verification.
import {customerCreate, customerTypes} from '../../contract/customers.ts'
import {kybParts} from './business.ts'
import {questionsOf} from './fields.ts'
import {kycParts} from './person.ts'
import {valueAt} from '../../cli/wizard/paths.ts'
import {type Answers, type Step, stepsOf} from '../../cli/wizard/questions.ts'

const asked = {
  customerType: {label: 'A person or a business?', isRequired: true},
  email: {label: 'Email address', isRequired: true},
  firstName: {label: 'First name'},
  lastName: {label: 'Last name'},
  businessName: {label: 'Name of the business'},
} as const

const typeNames: Record<(typeof customerTypes)[number], string> = {INDIVIDUAL: 'A person', BUSINESS: 'A business'}

export const typeChoices = customerTypes.map((value) => ({name: typeNames[value], value}))

const verificationNow = 'Submit the data for verification now? It is locked once it is sent'

function verificationSteps(answers: Answers, key: 'kycData' | 'kybData'): Step[] {
  const isSaid = valueAt(answers.body, key) !== undefined
  const parts = key === 'kycData' ? kycParts() : kybParts()
  return [
    {fork: key, label: verificationNow, offered: true, isSaid},
    ...((answers.forks[key] ?? isSaid) ? stepsOf(parts, answers) : []),
  ]
}

export function creationSteps(answers: Answers): Step[] {
  const {customerType, email, firstName, lastName, businessName} = questionsOf(customerCreate, '', asked)
  const type = valueAt(answers.body, 'customerType')
  const named = type === 'BUSINESS' ? [businessName] : [firstName, lastName]
  return [
    {...customerType, choices: typeChoices},
    email,
    ...named,
    ...verificationSteps(answers, type === 'BUSINESS' ? 'kybData' : 'kycData'),
  ]
}
