// The steps that correct some parts of a submission.
import {type Answers, type Part, type Step, isFork, listSteps} from '../../cli/wizard/steps.ts'

// A part that is corrected exists, so its first fork is not asked.
const impliedForks = new Set([
  'kycData.nationalId',
  'kycData.documents[0]',
  'kybData.businessOperatingAddress',
  'kybData.associatedPersons[0]',
  'kybData.businessDocuments[0]',
])

export const buildCorrectionSteps =
  (parts: readonly Part[]) =>
  ({body, forks}: Answers): Step[] => {
    const implied = Object.fromEntries([...impliedForks].map((fork) => [fork, true]))
    const steps = listSteps(parts, {body, forks: {...forks, ...implied}})
    return steps.filter((step) => !isFork(step) || !impliedForks.has(step.fork))
  }

// Parts that are sent as a whole, because the contract does not say how partial data is merged (docs/assumptions.md, C15).
const wholePartNotices: Readonly<Record<string, string>> = {
  address: 'The address is sent as a whole: enter all of it, including what was correct.',
  nationalId: 'The national ID is sent as a whole: its kind, number and country.',
  documents: 'The documents are sent as one list that replaces the earlier one: enter all of them again.',
  businessInfo: 'The business information is sent as a whole: enter all of it, including what was correct.',
  businessRegisteredAddress: 'The registered address is sent as a whole: enter all of it, including what was correct.',
  businessOperatingAddress: 'The operating address is sent as a whole: enter all of it, including what was correct.',
  associatedPersons:
    'Issues do not name a person, and the people behind a business are sent as one list that replaces the earlier one: enter all of them again, including those without an issue.',
  businessDocuments:
    'The documents of the business are sent as one list that replaces the earlier one: enter all of them again.',
}

export const listWholePartNotices = (parts: readonly Part[]): string[] =>
  parts.flatMap(({name}) => wholePartNotices[name] ?? [])
