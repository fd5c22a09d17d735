// The parts of a KYB submission: the business, its addresses, its funds and conduct, its people and its documents.
import {businessDocument, businessInfo, kybData} from '../../contract/verification-data.ts'
import {buildAddressQuestions} from './address-questions.ts'
import {type FieldPrompt, buildQuestions} from './build-questions.ts'
import {imageHint} from './document-questions.ts'
import {buildCountedListSteps, buildListSteps} from './list-steps.ts'
import {buildOwnerSteps} from './whole-submission.ts'
import {getValue} from '../../values/body-paths.ts'
import type {Answers, Part, Question, Step} from '../../cli/wizard/steps.ts'

const informationFields = {
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
} as const satisfies Record<keyof (typeof businessInfo)['shape'], FieldPrompt>

const moneyFields = {
  businessRegistrationNumber: {label: 'Registration number', isMasked: true},
  sourceOfFunds: {label: 'Where the money comes from'},
  sourceOfFundsDescription: {label: 'Where the money comes from, in words'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose, in words'},
  expectedMonthlyVolumeUsd: {label: 'Volume expected in a month, in USD'},
  estimatedAnnualRevenueUsd: {label: 'Revenue in a year, in USD'},
} as const satisfies Record<string, FieldPrompt>

const conductFields = {
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
} as const satisfies Record<string, FieldPrompt>

const documentFields = {
  type: {label: 'Kind of business document', isRequired: true},
  description: {label: 'Notes about the document'},
  documentImage: {
    label: 'Image of the document',
    hint: imageHint,
    isRequired: true,
  },
} as const satisfies Record<keyof (typeof businessDocument)['shape'], FieldPrompt>

const parseList = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const toListQuestion = (question: Question): Question => ({...question, kind: 'text', parse: parseList})

// A description is asked only after the answer that calls for it.
function buildConductQuestions({body}: Answers, path: string): Question[] {
  const questions = buildQuestions(kybData, path, conductFields)
  const conducts = getValue(body, `${path}.conductsMoneyServices`) === true
  const hasHighRisk = getValue(body, `${path}.highRiskActivities`) !== undefined
  return [
    questions.conductsMoneyServices,
    ...(conducts ? [questions.conductsMoneyServicesDescription, questions.conductsMoneyServicesThroughSvc] : []),
    questions.operatesInProhibitedCountries,
    questions.complianceScreeningDescription,
    toListQuestion(questions.highRiskActivities),
    ...(hasHighRisk ? [questions.highRiskActivitiesExplanation] : []),
  ]
}

function buildOperatingAddressSteps({body, forks}: Answers, path: string): Step[] {
  const addressPath = `${path}.businessOperatingAddress`
  const isPresent = getValue(body, addressPath) !== undefined
  return [
    {fork: addressPath, label: 'Does it operate at another address?', isPresent},
    ...((forks[addressPath] ?? isPresent)
      ? buildAddressQuestions(body, addressPath, {
          prefix: 'Operating address',
          likelyCountry: getValue(body, `${path}.businessRegisteredAddress.countryCode`),
        })
      : []),
  ]
}

function buildInformationQuestions({body}: Answers, path: string): Question[] {
  const {legalBusinessName, otherLinks, ...others} = buildQuestions(
    businessInfo,
    `${path}.businessInfo`,
    informationFields,
  )
  const {businessName} = body
  return [
    {...legalBusinessName, ...(typeof businessName === 'string' && {suggestion: businessName})},
    ...Object.values(others),
    toListQuestion(otherLinks),
  ]
}

function buildRegisteredAddressQuestions({body}: Answers, path: string): Question[] {
  const likelyCountry = getValue(body, `${path}.businessInfo.registrationCountry`)
  return buildAddressQuestions(body, `${path}.businessRegisteredAddress`, {prefix: 'Registered address', likelyCountry})
}

export const buildKybParts = (path = 'kybData'): Part[] => [
  {
    name: 'businessInfo',
    label: 'Business information',
    section: 'Business information',
    steps: (answers) => buildInformationQuestions(answers, path),
  },
  {
    name: 'businessRegisteredAddress',
    label: 'Registered address',
    section: 'Registered address',
    steps: (answers) => buildRegisteredAddressQuestions(answers, path),
  },
  {
    name: 'businessOperatingAddress',
    label: 'Operating address',
    section: 'Operating address',
    steps: (answers) => buildOperatingAddressSteps(answers, path),
  },
  {
    name: 'money',
    fields: Object.keys(moneyFields),
    label: 'Registration number, money and purpose',
    section: 'Registration number, money and purpose',
    steps: () => Object.values(buildQuestions(kybData, path, moneyFields)),
  },
  {
    name: 'conduct',
    fields: Object.keys(conductFields),
    label: 'Money services and high-risk activities',
    section: 'Money services and high-risk activities',
    steps: (answers) => buildConductQuestions(answers, path),
  },
  {
    name: 'associatedPersons',
    label: 'People behind the business',
    section: 'People behind the business',
    steps: (answers) =>
      buildCountedListSteps(
        answers,
        `${path}.associatedPersons`,
        {
          count: 'How many owners, directors and signers?',
          first: 'Add an owner, director or signer?',
          next: 'Add another person?',
          item: 'Owner',
        },
        (personPath) => buildOwnerSteps(answers, personPath),
      ),
  },
  {
    name: 'businessDocuments',
    label: 'Documents of the business',
    section: 'Documents of the business',
    steps: (answers) =>
      buildListSteps(
        answers,
        `${path}.businessDocuments`,
        {
          first: 'Add a document of the business?',
          next: 'Add another document of the business?',
          item: 'Business document',
        },
        (documentPath) => Object.values(buildQuestions(businessDocument, documentPath, documentFields)),
      ),
  },
]
