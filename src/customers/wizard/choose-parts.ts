// Decides which parts of a submission to correct: by the codes of the issues, or by asking the user.
import {readCode} from '../../contract/loose.ts'
import {customerTypes} from '../../contract/customer-statuses.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {askMultiSelect} from '../../cli/wizard/multi-select.ts'
import {askStandalone} from '../../cli/wizard/run-wizard.ts'
import {askSelect} from '../../cli/wizard/select-prompts.ts'
import type {Part} from '../../cli/wizard/steps.ts'
import {typeChoices, typeQuestion} from './creation-steps.ts'
import {type Issue, isForSupport, joinCodes} from './issues.ts'
import {
  businessSubmission,
  findPartsByFields,
  findPartsInDraft,
  findPartsInMessage,
  getFirstName,
  mergeParts,
  personSubmission,
} from './submission-parts.ts'

function chooseParts(question: string, parts: readonly Part[], preselected: readonly Part[]): Promise<Part[]> {
  const choices = parts.map((part) => ({name: part.label, value: part}))
  return askStandalone(() => askMultiSelect(question, choices, preselected, {allowsNone: true}))
}

// Asks the user only about issues whose code is unknown or names no fields.
async function choosePersonParts(issues: readonly Issue[], draft: Body): Promise<Part[]> {
  const certain = findPartsByFields(
    personSubmission,
    issues.flatMap(({entry}) => entry?.fields ?? []),
  )
  const inDraft = findPartsInDraft(personSubmission, draft)
  const openIssues = issues.filter(({entry}) => !entry || entry.fields.length === 0)
  if (openIssues.length === 0 && issues.length > 0) return mergeParts(personSubmission, certain, inDraft)
  const others = personSubmission.parts.filter((part) => !certain.includes(part))
  const named = openIssues.flatMap(({message}) => findPartsInMessage(personSubmission, message))
  const question =
    issues.length === 0 ? 'What should be corrected?' : `What should be corrected for ${joinCodes(openIssues)}?`
  return mergeParts(personSubmission, certain, await chooseParts(question, others, [...named, ...inDraft]))
}

const peoplePartName = 'associatedPersons'
const peopleParts = businessSubmission.parts.filter(({name}) => name === peoplePartName)
const otherBusinessParts = businessSubmission.parts.filter(({name}) => name !== peoplePartName)

// The fields of a code are those of a person. If the issue is about the business, these are the matching parts.
const businessPartsByPersonField: Readonly<Record<string, readonly string[]>> = {
  address: ['businessRegisteredAddress'],
  legalFirstName: ['businessInfo'],
  legalLastName: ['businessInfo'],
  nationalIdNumber: ['money'],
}

function guessBusinessParts({entry, message}: Issue): Part[] {
  const named = findPartsInMessage(businessSubmission, message).filter(({name}) => name !== peoplePartName)
  if (named.length > 0) return named
  const fields = entry?.fields ?? []
  const names = new Set(fields.flatMap((field) => businessPartsByPersonField[getFirstName(field)] ?? []))
  return businessSubmission.parts.filter(({name}) => names.has(name))
}

type Subject = 'business' | 'people' | 'both' | 'nobody'

const subjectChoices: ReadonlyArray<{name: string; value: Subject; short: string}> = [
  {name: 'The people behind the business', value: 'people', short: 'the people'},
  {name: 'The business itself', value: 'business', short: 'the business'},
  {name: 'Both', value: 'both', short: 'both'},
  {name: 'Neither: correct nothing for it', value: 'nobody', short: 'neither'},
]

// The fields of a code are those of a person, so people are the default unless the message names a field of the business.
function guessSubject({message}: Issue): Subject {
  const names = findPartsInMessage(businessSubmission, message).map(({name}) => name)
  const hasPeople = names.includes(peoplePartName)
  const hasBusiness = names.some((name) => name !== peoplePartName)
  if (!hasBusiness) return 'people'
  return hasPeople ? 'both' : 'business'
}

const askSubject = (issue: Issue) =>
  askStandalone(() => askSelect(`What does ${issue.code} concern?`, subjectChoices, guessSubject(issue)))

// An issue of a business names neither a person nor a field of the business, so the user says what each one concerns.
async function chooseBusinessParts(issues: readonly Issue[], draft: Body): Promise<Part[]> {
  const inDraft = findPartsInDraft(businessSubmission, draft)
  if (issues.length === 0) {
    return chooseParts('What should be corrected?', businessSubmission.parts, inDraft)
  }
  const people = inDraft.filter((part) => peopleParts.includes(part))
  const businessIssues: Issue[] = []
  for (const issue of issues) {
    const subject = await askSubject(issue)
    if (subject === 'people' || subject === 'both') people.push(...peopleParts)
    if (subject === 'business' || subject === 'both') businessIssues.push(issue)
  }
  if (businessIssues.length === 0) return mergeParts(businessSubmission, people, inDraft)
  const question = `What should be corrected in the business for ${joinCodes(businessIssues)}?`
  const preselected = [...businessIssues.flatMap(guessBusinessParts), ...inDraft]
  const chosen = await chooseParts(question, otherBusinessParts, preselected)
  return mergeParts(businessSubmission, people, chosen)
}

// Returns the parts to correct, in the order of the submission. There are none if only support can help or if the user
// chose none.
export async function choosePartsToCorrect(
  customerType: unknown,
  issues: readonly Issue[],
  draft: Body,
): Promise<Part[]> {
  const correctable = issues.filter((issue) => !isForSupport(issue))
  // If the service reports no issue at all, the user may know what to correct.
  if (correctable.length === 0 && issues.length > 0) return []
  const type =
    customerTypes.find((each) => each === readCode(customerType)) ??
    (await askStandalone(() => askSelect(typeQuestion, typeChoices)))
  return type === 'BUSINESS' ? chooseBusinessParts(correctable, draft) : choosePersonParts(correctable, draft)
}
