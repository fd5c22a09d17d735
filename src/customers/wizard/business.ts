// The questions about a business: what it is, where it sits, what it does, who is behind it, and its papers.
import {businessDocument, businessInfo, kybData} from '../../contract/verification-data.ts'
import {addressQuestions} from './address.ts'
import {type Asked, questionsOf} from './fields.ts'
import {oneAfterAnother} from './documents.ts'
import {associatedPersonParts} from './person.ts'
import {valueAt} from '../../cli/wizard/paths.ts'
import {type Answers, type Part, type Question, type Step, stepsOf} from '../../cli/wizard/questions.ts'

const information = {
  legalBusinessName: {label: 'Legal name of the business', isRequired: true},
  dbaName: {label: 'Name it does business as'},
  businessType: {label: 'Legal form'},
  businessIndustries: {label: 'Industry code'},
  businessDescription: {label: 'What the business does'},
  website: {label: 'Website'},
  otherLinks: {label: 'Other links or handles', hint: 'separated by commas'},
  formationDate: {label: 'Founded on'},
  registrationCountry: {label: 'Country of registration'},
  isDao: {label: 'Is it a DAO?'},
} as const satisfies Record<keyof (typeof businessInfo)['shape'], Asked>

const money = {
  businessRegistrationNumber: {label: 'Registration number'},
  sourceOfFunds: {label: 'Where the money comes from'},
  sourceOfFundsDescription: {label: 'Where the money comes from, in words'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose, in words'},
  expectedMonthlyVolumeUsd: {label: 'Volume expected in a month, in USD'},
  estimatedAnnualRevenueUsd: {label: 'Revenue in a year, in USD'},
} as const satisfies Record<string, Asked>

const conduct = {
  conductsMoneyServices: {label: 'Does the business conduct money services?'},
  conductsMoneyServicesDescription: {label: 'Which money services'},
  conductsMoneyServicesThroughSvc: {label: 'Does it conduct them through this service?'},
  operatesInProhibitedCountries: {label: 'Does it operate in prohibited countries?'},
  complianceScreeningDescription: {label: 'How it screens for compliance'},
  highRiskActivities: {
    label: 'High-risk activities',
    hint: 'codes separated by commas, such as ADULT_ENTERTAINMENT, FOREIGN_EXCHANGE_OR_BROKERAGE',
  },
  highRiskActivitiesExplanation: {label: 'High-risk activities, explained'},
} as const satisfies Record<string, Asked>

const paper = {
  type: {label: 'Kind of business document', isRequired: true},
  description: {label: 'Notes about the document'},
  documentImage: {
    label: 'Image of the document',
    hint: 'JPG, PNG or PDF, 100 KB to 10 MB, at least 200x200 pixels; Tab completes a path',
    isRequired: true,
  },
} as const satisfies Record<keyof (typeof businessDocument)['shape'], Asked>

const readList = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const asList = (question: Question): Question => ({...question, kind: 'text', read: readList})

// What is asked only after a yes: the description of something that is not done says nothing.
function conductQuestions({body}: Answers, path: string): Question[] {
  const questions = questionsOf(kybData, path, conduct)
  const conducts = valueAt(body, `${path}.conductsMoneyServices`) === true
  const isRisky = valueAt(body, `${path}.highRiskActivities`) !== undefined
  return [
    questions.conductsMoneyServices,
    ...(conducts ? [questions.conductsMoneyServicesDescription, questions.conductsMoneyServicesThroughSvc] : []),
    questions.operatesInProhibitedCountries,
    questions.complianceScreeningDescription,
    asList(questions.highRiskActivities),
    ...(isRisky ? [questions.highRiskActivitiesExplanation] : []),
  ]
}

function operatingAddressSteps({body, forks}: Answers, path: string): Step[] {
  const at = `${path}.businessOperatingAddress`
  const isSaid = valueAt(body, at) !== undefined
  return [
    {fork: at, label: 'Does it operate at another address?', isSaid},
    ...((forks[at] ?? isSaid)
      ? addressQuestions(body, at, {
          whose: 'Operating address',
          likely: valueAt(body, `${path}.businessRegisteredAddress.countryCode`),
        })
      : []),
  ]
}

function informationQuestions({body}: Answers, path: string): Question[] {
  const {legalBusinessName, otherLinks, ...others} = questionsOf(businessInfo, `${path}.businessInfo`, information)
  const stated = body['businessName']
  return [
    {...legalBusinessName, ...(typeof stated === 'string' && {offered: stated})},
    ...Object.values(others),
    asList(otherLinks),
  ]
}

function registeredAddressQuestions({body}: Answers, path: string): Question[] {
  const likely = valueAt(body, `${path}.businessInfo.registrationCountry`)
  return addressQuestions(body, `${path}.businessRegisteredAddress`, {whose: 'Registered address', likely})
}

export const kybParts = (path = 'kybData'): Part[] => [
  {
    name: 'businessInfo',
    label: 'What the business is',
    section: 'What the business is',
    steps: (answers) => informationQuestions(answers, path),
  },
  {
    name: 'businessRegisteredAddress',
    label: 'Registered address',
    section: 'Registered address',
    steps: (answers) => registeredAddressQuestions(answers, path),
  },
  {
    name: 'businessOperatingAddress',
    label: 'Operating address',
    section: 'Operating address',
    steps: (answers) => operatingAddressSteps(answers, path),
  },
  {
    name: 'money',
    fields: Object.keys(money),
    label: 'Registration number, money and purpose',
    section: 'Registration number, money and purpose',
    steps: () => Object.values(questionsOf(kybData, path, money)),
  },
  {
    name: 'conduct',
    fields: Object.keys(conduct),
    label: 'Money services and high-risk activities',
    section: 'Money services and high-risk activities',
    steps: (answers) => conductQuestions(answers, path),
  },
  {
    name: 'associatedPersons',
    label: 'The people behind it',
    section: 'The people behind it',
    steps: (answers) =>
      oneAfterAnother(
        answers,
        `${path}.associatedPersons`,
        {first: 'Add an owner, director or signer?', more: 'Add another person?', one: 'Person'},
        (each) => stepsOf(associatedPersonParts(each), answers),
      ),
  },
  {
    name: 'businessDocuments',
    label: 'Documents of the business',
    section: 'Documents of the business',
    steps: (answers) =>
      oneAfterAnother(
        answers,
        `${path}.businessDocuments`,
        {
          first: 'Add a document of the business?',
          more: 'Add another document of the business?',
          one: 'Business document',
        },
        (each) => Object.values(questionsOf(businessDocument, each, paper)),
      ),
  },
]
