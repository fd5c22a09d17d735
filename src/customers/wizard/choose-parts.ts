// Decides which parts of a submission to correct: by the codes of the issues, or by asking the user.
import type {z} from 'zod'
import {type Body, getValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askAlone, askMultiSelect, askSelect} from '../../cli/prompts/ask.ts'
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

export const getFirstName = (path: string) => path.split('.', 1)[0] ?? ''

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

// What is asked again where the other answers are known: the fields below a path, or everything below it if none are named.
export interface Concern {
  path: string
  fields: readonly string[]
}

export interface Correction {
  // In the order of the submission.
  parts: Part[]
  concerns: Concern[]
}

const toWholeConcerns = ({key}: Submission, parts: readonly Part[]): Concern[] =>
  parts.flatMap(({name, fields = [name]}) => fields.map((field) => ({path: `${key}.${field}`, fields: []})))

const nothingSelected =
  'Nothing was selected: Space selects the highlighted part, and then Enter continues. Enter alone once more ends without a correction.'

// If no other parts are corrected, to select none ends everything, so it is asked once more.
async function chooseParts(
  question: string,
  parts: readonly Part[],
  preselected: readonly Part[],
  others: readonly Part[] = [],
): Promise<Part[]> {
  const choices = parts.map((part) => ({name: part.label, value: part}))
  const ask = () => askAlone(() => askMultiSelect(question, choices, preselected, {allowsNone: true}))
  const chosen = await ask()
  if (chosen.length > 0 || others.length > 0) return chosen
  printText(nothingSelected)
  return ask()
}

// Asks the user only about issues whose code is unknown or names no fields.
async function choosePersonParts(issues: readonly Issue[], draft: Body): Promise<Correction> {
  const fields = issues.flatMap(({entry}) => entry?.fields ?? [])
  const certain = findPartsByFields(personSubmission, fields)
  const concerns = [{path: personSubmission.key, fields}]
  const inDraft = findPartsInDraft(personSubmission, draft)
  const openIssues = issues.filter(({entry}) => !entry || entry.fields.length === 0)
  if (openIssues.length === 0 && issues.length > 0) {
    return {parts: mergeParts(personSubmission, certain, inDraft), concerns}
  }
  const others = personSubmission.parts.filter((part) => !certain.includes(part))
  const named = openIssues.flatMap(({message}) => findPartsInMessage(personSubmission, message))
  const question =
    issues.length === 0 ? 'What should be corrected?' : `What should be corrected for ${joinCodes(openIssues)}?`
  const chosen = await chooseParts(question, others, [...named, ...inDraft], certain)
  return {
    parts: mergeParts(personSubmission, certain, chosen),
    concerns: [...(fields.length > 0 ? concerns : []), ...toWholeConcerns(personSubmission, chosen)],
  }
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
  {
    name: 'An owner, director or signer: their data or documents',
    value: 'people',
    short: 'an owner, director or signer',
  },
  {name: 'The business itself: its data, addresses or documents', value: 'business', short: 'the business itself'},
  {name: 'Both', value: 'both', short: 'both'},
  {name: 'Neither: nothing is corrected for it', value: 'nobody', short: 'neither'},
]

// The fields of a code are those of a person, so people are the default unless the message names a field of the business.
function guessSubject({message}: Issue): Subject {
  const names = findPartsInMessage(businessSubmission, message).map(({name}) => name)
  const hasPeople = names.includes(peoplePartName)
  const hasBusiness = names.some((name) => name !== peoplePartName)
  if (!hasBusiness) return 'people'
  return hasPeople ? 'both' : 'business'
}

// What was refused, in words before its code. Of a code that names no fields, the message says more than the meaning.
const describeShortly = ({code, entry, message}: Issue) => {
  const meaning = entry?.meaning ?? ''
  const words = entry && entry.fields.length > 0 ? meaning : message.replace(/\.$/, '') || meaning
  return words === '' ? code : `${words} (${code})`
}

const askSubject = (issue: Issue) =>
  askAlone(() => askSelect(`${describeShortly(issue)}. What does it concern?`, subjectChoices, guessSubject(issue)))

const peoplePath = `${businessSubmission.key}.${peoplePartName}`

const describePerson = (person: unknown, index: number) =>
  [getValue(person, 'legalFirstName'), getValue(person, 'legalLastName')].map(toText).filter(Boolean).join(' ') ||
  `Person ${index + 1}`

// Whose data is corrected, if it is known who there is. An issue names a person only in its message, if at all.
async function choosePeople(issue: Issue, known: Body): Promise<Concern[]> {
  const fields = issue.entry?.fields ?? []
  const people = getValue(known, peoplePath)
  const count = Array.isArray(people) ? people.length : 0
  if (!Array.isArray(people) || count < 2) return [{path: count === 0 ? peoplePath : `${peoplePath}[0]`, fields}]
  const choices = people.map((person, index) => ({
    name: describePerson(person, index),
    value: `${peoplePath}[${index}]`,
  }))
  const named = choices.flatMap(({value}) =>
    issue.message.includes(value.slice(value.lastIndexOf('.') + 1)) ? value : [],
  )
  const question = `${describeShortly(issue)}. Whose data is it?`
  const chosen = await askAlone(() => askMultiSelect(question, choices, named))
  return chosen.map((path) => ({path, fields}))
}

const subjectNotice =
  'The service does not say whether an issue of a business is about the business or about somebody behind it, so svc asks you about each. It then asks for what you choose, and shows it before anything is sent.'

async function chooseBusinessParts(issues: readonly Issue[], draft: Body, known: Body): Promise<Correction> {
  const inDraft = findPartsInDraft(businessSubmission, draft)
  if (issues.length === 0) {
    const parts = await chooseParts('What should be corrected?', businessSubmission.parts, inDraft)
    return {parts, concerns: toWholeConcerns(businessSubmission, parts)}
  }
  const people = inDraft.filter((part) => peopleParts.includes(part))
  const concerns: Concern[] = []
  const businessIssues: Issue[] = []
  printText(subjectNotice)
  for (const issue of issues) {
    const subject = await askSubject(issue)
    if (subject === 'people' || subject === 'both') {
      people.push(...peopleParts)
      concerns.push(...(await choosePeople(issue, known)))
    }
    if (subject === 'business' || subject === 'both') businessIssues.push(issue)
  }
  if (businessIssues.length === 0) return {parts: mergeParts(businessSubmission, people, inDraft), concerns}
  const question = `What should be corrected in the business for ${joinCodes(businessIssues)}?`
  const preselected = [...businessIssues.flatMap(guessBusinessParts), ...inDraft]
  const chosen = await chooseParts(question, otherBusinessParts, preselected, people)
  return {
    parts: mergeParts(businessSubmission, people, chosen),
    concerns: [...concerns, ...toWholeConcerns(businessSubmission, chosen)],
  }
}

// There are no parts if only support can help or if the user chose none. `known` is what was sent before, as far as svc knows.
export async function chooseCorrection(
  customerType: unknown,
  issues: readonly Issue[],
  draft: Body,
  known: Body,
): Promise<Correction> {
  const correctable = issues.filter((issue) => !isForSupport(issue))
  // If the service reports no issue at all, the user may know what to correct.
  if (correctable.length === 0 && issues.length > 0) return {parts: [], concerns: []}
  const type = findCustomerType(customerType) ?? (await askAlone(askCustomerType))
  return type === 'BUSINESS' ? chooseBusinessParts(correctable, draft, known) : choosePersonParts(correctable, draft)
}
