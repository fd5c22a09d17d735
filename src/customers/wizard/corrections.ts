// Which parts of a submission the issues of a verification concern: by their codes, by their messages, or by choice.
import type {z} from 'zod'
import {customerTypes} from '../../contract/customers.ts'
import {address, associatedPerson, businessDocument, businessInfo, document} from '../../contract/verification-data.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {buildKybParts} from './business-parts.ts'
import {askStandalone} from '../../cli/wizard/run-wizard.ts'
import {typeChoices} from './creation-steps.ts'
import {type Issue, isForSupport} from './issues.ts'
import {buildKycParts} from './person-parts.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import {askSelect} from '../../cli/wizard/select-prompts.ts'
import {type Answers, type Part, type Step, isFork, listSteps} from '../../cli/wizard/steps.ts'
import {askMultiSelect} from '../../cli/wizard/multi-select.ts'

// What a kind of customer submits, and what lies within its parts under names of their own.
interface Submission {
  key: 'kycData' | 'kybData'
  parts: Part[]
  within: Readonly<Record<string, ReadonlyArray<z.ZodObject>>>
}

export const personSubmission: Submission = {
  key: 'kycData',
  parts: buildKycParts(),
  within: {address: [address], documents: [document]},
}

export const businessSubmission: Submission = {
  key: 'kybData',
  parts: buildKybParts(),
  within: {
    businessInfo: [businessInfo],
    businessRegisteredAddress: [address],
    associatedPersons: [associatedPerson, document],
    businessDocuments: [businessDocument],
  },
}

const hasField = (part: Part, field: string) => part.name === field || part.fields?.includes(field)

// A field such as address.city belongs to the part that its first name names.
export const findPartsByFields = ({parts}: Submission, fields: readonly string[]) =>
  parts.filter((part) => fields.some((field) => hasField(part, field.split('.', 1)[0] ?? '')))

const fieldLike = /[A-Za-z][A-Za-z\d]*(?:\[\d+\])?(?:\.[A-Za-z][A-Za-z\d]*(?:\[\d+\])?)*/g
const splitNames = (path: string) => path.match(/[A-Za-z][A-Za-z\d]*/g) ?? []
// A word that no sentence has by chance, such as postalCode; a city or a type may be meant as a word.
const isFieldName = (name: string) => /[a-z][A-Z]/.test(name)

function findPartsByName({parts, within}: Submission, name: string): Part[] {
  const own = parts.filter((part) => hasField(part, name))
  if (own.length > 0 || !isFieldName(name)) return own
  return parts.filter((part) => within[part.name]?.some(({shape}) => Object.hasOwn(shape, name)))
}

// The parts whose fields a message names: phoneNumber, address.city, documents[0].expirationDate.
export function findPartsInMessage(submission: Submission, message: string): Part[] {
  const found = (message.match(fieldLike) ?? []).map(
    (path) =>
      splitNames(path)
        .map((name) => findPartsByName(submission, name))
        .find((parts) => parts.length > 0) ?? [],
  )
  const named = new Set(found.flat().map(({name}) => name))
  return submission.parts.filter(({name}) => named.has(name))
}

const listFields = ({name, fields = []}: Part) => [name, ...fields]

const findPartsInDraft = ({key, parts}: Submission, draft: Body): Part[] =>
  parts.filter((part) => listFields(part).some((field) => getValue(draft, `${key}.${field}`) !== undefined))

// A draft without what is not corrected any more: nothing is sent that is not in the summary.
export function pruneDraft(parts: readonly Part[], draft: Body): Body {
  const gone = [personSubmission, businessSubmission].flatMap((submission) =>
    findPartsInDraft(submission, draft)
      .filter((part) => !parts.includes(part))
      .flatMap(listFields)
      .map((field) => `${submission.key}.${field}`),
  )
  return gone.reduce(withoutValue, draft)
}

// Those of a submission, each once and in its order.
const mergeParts = ({parts}: Submission, ...some: ReadonlyArray<readonly Part[]>): Part[] => {
  const names = new Set(some.flat().map(({name}) => name))
  return parts.filter(({name}) => names.has(name))
}

const joinCodes = (issues: readonly Issue[]) => [...new Set(issues.map(({code}) => code))].join(', ')

function chooseParts(question: string, parts: readonly Part[], offered: readonly Part[]): Promise<Part[]> {
  const choices = parts.map((part) => ({name: part.label, value: part}))
  return askStandalone(() => askMultiSelect(question, choices, offered, {allowsNone: true}))
}

// What a person has to decide: the code says nothing of fields, or is not known, or the service named no issue at all.
async function choosePersonParts(issues: readonly Issue[], draft: Body, hasNoIssues: boolean): Promise<Part[]> {
  const certain = mergeParts(
    personSubmission,
    ...issues.map(({entry}) => findPartsByFields(personSubmission, entry?.fields ?? [])),
  )
  const begun = findPartsInDraft(personSubmission, draft)
  const open = issues.filter(({entry}) => !entry || entry.fields.length === 0)
  if (open.length === 0 && !hasNoIssues) return mergeParts(personSubmission, certain, begun)
  const offered = [...open.flatMap(({message}) => findPartsInMessage(personSubmission, message)), ...begun]
  const others = personSubmission.parts.filter((part) => !certain.includes(part))
  const question = hasNoIssues ? 'What should be corrected?' : `What should be corrected for ${joinCodes(open)}?`
  return mergeParts(personSubmission, certain, await chooseParts(question, others, offered))
}

const peoplePart = 'associatedPersons'

// What the fields of a person stand for in a business, where the issue is about the business itself.
const businessPartsByPersonField: Readonly<Record<string, readonly string[]>> = {
  documents: ['businessDocuments'],
  address: ['businessRegisteredAddress'],
  legalFirstName: ['businessInfo'],
  legalLastName: ['businessInfo'],
  nationalIdNumber: ['money'],
}

function guessBusinessParts({entry, message}: Issue): Part[] {
  const named = findPartsInMessage(businessSubmission, message).filter(({name}) => name !== peoplePart)
  if (named.length > 0) return named
  const names = new Set(
    (entry?.fields ?? []).flatMap((field) => businessPartsByPersonField[field.split('.', 1)[0] ?? ''] ?? []),
  )
  return businessSubmission.parts.filter(({name}) => names.has(name))
}

type Subject = 'business' | 'people' | 'both' | 'nobody'

const subjectChoices: ReadonlyArray<{name: string; value: Subject; short: string}> = [
  {name: 'The people behind it', value: 'people', short: 'the people'},
  {name: 'The business itself', value: 'business', short: 'the business'},
  {name: 'Both', value: 'both', short: 'both'},
  {name: 'Neither: correct nothing for it', value: 'nobody', short: 'neither'},
]

// The fields of the codes are those of persons, so without a word about the business these are the likely ones.
function guessSubject({message}: Issue): Subject {
  const named = findPartsInMessage(businessSubmission, message).map(({name}) => name)
  const isOfPeople = named.includes(peoplePart)
  if (named.length > (isOfPeople ? 1 : 0)) return isOfPeople ? 'both' : 'business'
  return 'people'
}

// The issues of a business name no person and none of its fields, so a person says whom each concerns.
async function chooseBusinessParts(issues: readonly Issue[], draft: Body, hasNoIssues: boolean): Promise<Part[]> {
  const people = businessSubmission.parts.filter(({name}) => name === peoplePart)
  const others = businessSubmission.parts.filter(({name}) => name !== peoplePart)
  const begun = findPartsInDraft(businessSubmission, draft)
  const chosen = begun.filter((part) => people.includes(part))
  const ofItself: Issue[] = []
  for (const issue of issues) {
    const whom = await askStandalone(() =>
      askSelect(`${issue.code} concerns whom?`, subjectChoices, guessSubject(issue)),
    )
    if (whom === 'people' || whom === 'both') chosen.push(...people)
    if (whom === 'business' || whom === 'both') ofItself.push(issue)
  }
  if (ofItself.length === 0 && !hasNoIssues) return mergeParts(businessSubmission, chosen, begun)
  const question = hasNoIssues ? 'What should be corrected?' : `What of the business, for ${joinCodes(ofItself)}?`
  const offered = [...ofItself.flatMap(guessBusinessParts), ...begun]
  return mergeParts(
    businessSubmission,
    chosen,
    await chooseParts(question, hasNoIssues ? businessSubmission.parts : others, offered),
  )
}

// A service that does not say what kind of customer it is has a person say so.
const typeQuestion = 'A person or a business?'

// What is to be asked for, in the order of the submission. Nothing, where only support can help or nothing was chosen.
export async function choosePartsToCorrect(
  customerType: unknown,
  issues: readonly Issue[],
  draft: Body,
): Promise<Part[]> {
  const own = issues.filter((issue) => !isForSupport(issue))
  // Where the service names nothing at all, the person may know more.
  const hasNoIssues = issues.length === 0
  if (own.length === 0 && !hasNoIssues) return []
  const type =
    customerTypes.find((each) => each === customerType) ??
    (await askStandalone(() => askSelect(typeQuestion, typeChoices)))
  return type === 'BUSINESS' ? chooseBusinessParts(own, draft, hasNoIssues) : choosePersonParts(own, draft, hasNoIssues)
}

// What is corrected is there: whether there is any is not asked.
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
    const taken = Object.fromEntries([...impliedForks].map((fork) => [fork, true]))
    const steps = listSteps(parts, {body, forks: {...forks, ...taken}})
    return steps.filter((step) => !isFork(step) || !impliedForks.has(step.fork))
  }

// What is sent whole, and what becomes of what was there before (docs/assumptions.md, C15).
const wholePartNotices: Readonly<Record<string, string>> = {
  address: 'The address is sent whole, so give all of it, also what was right.',
  nationalId: 'The national ID is sent whole: its kind, number and country.',
  documents: 'The documents are sent as one list, which takes the place of the earlier one: give all of them again.',
  businessInfo: 'What the business is, is sent whole, so give all of it, also what was right.',
  businessRegisteredAddress: 'The registered address is sent whole, so give all of it, also what was right.',
  businessOperatingAddress: 'The operating address is sent whole, so give all of it, also what was right.',
  associatedPersons:
    'Issues name no person, and the people behind a business are sent as one list, which takes the place of the earlier one: give all of them again, also those with whom nothing is wrong.',
  businessDocuments:
    'The documents of the business are sent as one list, which takes the place of the earlier one: give all of them again.',
}

export const listWholePartNotices = (parts: readonly Part[]): string[] =>
  parts.flatMap(({name}) => wholePartNotices[name] ?? [])
