// Decides which parts of a submission to correct: by the codes of the issues, or by asking the user.
import type {z} from 'zod'
import {type Body, getValue, withoutValue} from '../../values/body-paths.ts'
import {askMultiSelect, askSelect} from '../../cli/wizard/prompts.ts'
import {askStandalone} from '../../cli/wizard/run-wizard.ts'
import type {Part} from '../../cli/wizard/steps.ts'
import {address, associatedPerson, businessDocument, businessInfo, document} from '../../contract/customers.ts'
import {buildKybParts} from './whole-submission.ts'
import {type CustomerType, askCustomerType, findCustomerType} from './creation-steps.ts'
import {type Issue, isForSupport, joinCodes} from './issues.ts'
import {buildKycParts} from './parts.ts'

// The parts of a KYC and of a KYB submission, and the search for them by field, in a message and in a draft.
interface Submission {
  key: 'kycData' | 'kybData'
  parts: Part[]
  // The objects inside a part, by its name. Their fields belong to the part as well.
  nestedObjects: Readonly<Record<string, ReadonlyArray<z.ZodObject>>>
}

export const personSubmission: Submission = {
  key: 'kycData',
  parts: buildKycParts(),
  nestedObjects: {address: [address], documents: [document]},
}

export const businessSubmission: Submission = {
  key: 'kybData',
  parts: buildKybParts(),
  nestedObjects: {
    businessInfo: [businessInfo],
    businessRegisteredAddress: [address],
    associatedPersons: [associatedPerson, document],
    businessDocuments: [businessDocument],
  },
}

export const submissions: Readonly<Record<CustomerType, Submission>> = {
  INDIVIDUAL: personSubmission,
  BUSINESS: businessSubmission,
}

const hasField = (part: Part, field: string) => part.name === field || part.fields?.includes(field)

const getFirstName = (path: string) => path.split('.', 1)[0] ?? ''

// A field such as address.city belongs to the part of its first name.
export const findPartsByFields = ({parts}: Submission, fields: readonly string[]) =>
  parts.filter((part) => fields.some((field) => hasField(part, getFirstName(field))))

const pathPattern = /[A-Za-z][A-Za-z\d]*(?:\[\d+\])?(?:\.[A-Za-z][A-Za-z\d]*(?:\[\d+\])?)*/g
const splitNames = (path: string) => path.match(/[A-Za-z][A-Za-z\d]*/g) ?? []

// A camel-case word such as postalCode is a field; "city" or "type" may be an ordinary word of the sentence.
const isFieldName = (name: string) => /[a-z][A-Z]/.test(name)

function findPartsByName({parts, nestedObjects}: Submission, name: string): Part[] {
  const direct = parts.filter((part) => hasField(part, name))
  if (direct.length > 0 || !isFieldName(name)) return direct
  return parts.filter((part) => nestedObjects[part.name]?.some(({shape}) => Object.hasOwn(shape, name)))
}

// Finds the parts whose fields a message names: phoneNumber, address.city, documents[0].expirationDate.
export function findPartsInMessage(submission: Submission, message: string): Part[] {
  const found = (message.match(pathPattern) ?? []).map(
    (path) =>
      splitNames(path)
        .map((name) => findPartsByName(submission, name))
        .find((parts) => parts.length > 0) ?? [],
  )
  return mergeParts(submission, ...found)
}

// Returns each part once, in the order of the submission.
function mergeParts({parts}: Submission, ...lists: ReadonlyArray<readonly Part[]>): Part[] {
  const names = new Set(lists.flat().map(({name}) => name))
  return parts.filter(({name}) => names.has(name))
}

const listFields = ({name, fields = []}: Part) => [name, ...fields]

// Finds the parts that a draft has a value for.
const findPartsInDraft = ({key, parts}: Submission, draft: Body): Part[] =>
  parts.filter((part) => listFields(part).some((field) => getValue(draft, `${key}.${field}`) !== undefined))

// Removes everything but these parts from a draft, because only what the review shows may be sent.
export function pruneDraft(parts: readonly Part[], draft: Body): Body {
  const obsolete = [personSubmission, businessSubmission].flatMap((submission) =>
    findPartsInDraft(submission, draft)
      .filter((part) => !parts.includes(part))
      .flatMap(listFields)
      .map((field) => `${submission.key}.${field}`),
  )
  return obsolete.reduce(withoutValue, draft)
}

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
  const type = findCustomerType(customerType) ?? (await askStandalone(askCustomerType))
  return type === 'BUSINESS' ? chooseBusinessParts(correctable, draft) : choosePersonParts(correctable, draft)
}
