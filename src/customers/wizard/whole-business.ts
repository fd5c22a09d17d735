// The steps of a whole KYB submission.
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Step, listSteps} from '../../cli/wizard/steps.ts'
import {buildKybParts} from './business-parts.ts'
import {type Detail, changeQuestions, toAssumption, withChecklist} from './whole-submission.ts'

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

export function buildWholeKybSteps(answers: Answers, path = 'kybData'): Step[] {
  const whole = {
    path,
    label: 'What applies to the business?',
    details: businessDetails,
    after: 'businessInfo.legalBusinessName',
  }
  const steps = changeQuestions(listSteps(buildKybParts(path), answers), path, {
    // A business is registered at an address in the country of its registration.
    'businessRegisteredAddress.countryCode': toAssumption(
      getValue(answers.body, `${path}.businessInfo.registrationCountry`),
    ),
  })
  return withChecklist(steps, answers, whole)
}
