// Which parts of a submission the issues of a verification concern: by their codes, by their messages, or by choice.
import type {z} from 'zod'
import {customerTypes} from '../../contract/customers.ts'
import {address, associatedPerson, businessDocument, businessInfo, document} from '../../contract/verification-data.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {kybParts} from './business.ts'
import {askOutside} from '../../cli/wizard/wizard.ts'
import {typeChoices} from './create.ts'
import {type Issue, isForSupport} from './issues.ts'
import {kycParts} from './person.ts'
import {valueAt, withoutValue} from '../../cli/wizard/paths.ts'
import {askOneOf} from '../../cli/wizard/prompts.ts'
import {type Answers, type Part, type Step, isFork, stepsOf} from '../../cli/wizard/questions.ts'
import {askSomeOf} from '../../cli/wizard/multi-select.ts'

// What a kind of customer submits, and what lies within its parts under names of their own.
interface Submission {
  key: 'kycData' | 'kybData'
  parts: Part[]
  within: Readonly<Record<string, ReadonlyArray<z.ZodObject>>>
}

export const ofPerson: Submission = {
  key: 'kycData',
  parts: kycParts(),
  within: {address: [address], documents: [document]},
}

export const ofBusiness: Submission = {
  key: 'kybData',
  parts: kybParts(),
  within: {
    businessInfo: [businessInfo],
    businessRegisteredAddress: [address],
    associatedPersons: [associatedPerson, document],
    businessDocuments: [businessDocument],
  },
}

const holds = (part: Part, field: string) => part.name === field || part.fields?.includes(field)

// A field such as address.city belongs to the part that its first name names.
export const partsByFields = ({parts}: Submission, fields: readonly string[]) =>
  parts.filter((part) => fields.some((field) => holds(part, field.split('.', 1)[0] ?? '')))

const fieldLike = /[A-Za-z][A-Za-z\d]*(?:\[\d+\])?(?:\.[A-Za-z][A-Za-z\d]*(?:\[\d+\])?)*/g
const namesIn = (path: string) => path.match(/[A-Za-z][A-Za-z\d]*/g) ?? []
// A word that no sentence has by chance, such as postalCode; a city or a type may be meant as a word.
const isFieldName = (name: string) => /[a-z][A-Z]/.test(name)

function partsByName({parts, within}: Submission, name: string): Part[] {
  const own = parts.filter((part) => holds(part, name))
  if (own.length > 0 || !isFieldName(name)) return own
  return parts.filter((part) => within[part.name]?.some(({shape}) => Object.hasOwn(shape, name)))
}

// The parts whose fields a message names: phoneNumber, address.city, documents[0].expirationDate.
export function partsInMessage(submission: Submission, message: string): Part[] {
  const found = (message.match(fieldLike) ?? []).map(
    (path) =>
      namesIn(path)
        .map((name) => partsByName(submission, name))
        .find((parts) => parts.length > 0) ?? [],
  )
  const named = new Set(found.flat().map(({name}) => name))
  return submission.parts.filter(({name}) => named.has(name))
}

const fieldsOf = ({name, fields = []}: Part) => [name, ...fields]

const partsInDraft = ({key, parts}: Submission, draft: Body): Part[] =>
  parts.filter((part) => fieldsOf(part).some((field) => valueAt(draft, `${key}.${field}`) !== undefined))

// A draft without what is not corrected any more: nothing is sent that is not in the summary.
export function draftOf(parts: readonly Part[], draft: Body): Body {
  const gone = [ofPerson, ofBusiness].flatMap((submission) =>
    partsInDraft(submission, draft)
      .filter((part) => !parts.includes(part))
      .flatMap(fieldsOf)
      .map((field) => `${submission.key}.${field}`),
  )
  return gone.reduce(withoutValue, draft)
}

// Those of a submission, each once and in its order.
const united = ({parts}: Submission, ...some: ReadonlyArray<readonly Part[]>): Part[] => {
  const names = new Set(some.flat().map(({name}) => name))
  return parts.filter(({name}) => names.has(name))
}

const listed = (issues: readonly Issue[]) => [...new Set(issues.map(({code}) => code))].join(', ')

function choose(question: string, parts: readonly Part[], offered: readonly Part[]): Promise<Part[]> {
  const choices = parts.map((part) => ({name: part.label, value: part}))
  return askOutside(() => askSomeOf(question, choices, offered, {mayBeNone: true}))
}

// What a person has to decide: the code says nothing of fields, or is not known, or the service named no issue at all.
async function partsOfPerson(issues: readonly Issue[], draft: Body, isNameless: boolean): Promise<Part[]> {
  const certain = united(ofPerson, ...issues.map(({entry}) => partsByFields(ofPerson, entry?.fields ?? [])))
  const begun = partsInDraft(ofPerson, draft)
  const open = issues.filter(({entry}) => !entry || entry.fields.length === 0)
  if (open.length === 0 && !isNameless) return united(ofPerson, certain, begun)
  const offered = [...open.flatMap(({message}) => partsInMessage(ofPerson, message)), ...begun]
  const others = ofPerson.parts.filter((part) => !certain.includes(part))
  const question = isNameless ? 'What should be corrected?' : `What should be corrected for ${listed(open)}?`
  return united(ofPerson, certain, await choose(question, others, offered))
}

const peoplePart = 'associatedPersons'

// What the fields of a person stand for in a business, where the issue is about the business itself.
const ofTheBusiness: Readonly<Record<string, readonly string[]>> = {
  documents: ['businessDocuments'],
  address: ['businessRegisteredAddress'],
  legalFirstName: ['businessInfo'],
  legalLastName: ['businessInfo'],
  nationalIdNumber: ['money'],
}

function likelyOfBusiness({entry, message}: Issue): Part[] {
  const named = partsInMessage(ofBusiness, message).filter(({name}) => name !== peoplePart)
  if (named.length > 0) return named
  const names = new Set((entry?.fields ?? []).flatMap((field) => ofTheBusiness[field.split('.', 1)[0] ?? ''] ?? []))
  return ofBusiness.parts.filter(({name}) => names.has(name))
}

type Whom = 'business' | 'people' | 'both' | 'nobody'

const whoms: ReadonlyArray<{name: string; value: Whom; short: string}> = [
  {name: 'The people behind it', value: 'people', short: 'the people'},
  {name: 'The business itself', value: 'business', short: 'the business'},
  {name: 'Both', value: 'both', short: 'both'},
  {name: 'Neither: correct nothing for it', value: 'nobody', short: 'neither'},
]

// The fields of the codes are those of persons, so without a word about the business these are the likely ones.
function likelyWhom({message}: Issue): Whom {
  const named = partsInMessage(ofBusiness, message).map(({name}) => name)
  const isOfPeople = named.includes(peoplePart)
  if (named.length > (isOfPeople ? 1 : 0)) return isOfPeople ? 'both' : 'business'
  return 'people'
}

// The issues of a business name no person and none of its fields, so a person says whom each concerns.
async function partsOfBusiness(issues: readonly Issue[], draft: Body, isNameless: boolean): Promise<Part[]> {
  const people = ofBusiness.parts.filter(({name}) => name === peoplePart)
  const others = ofBusiness.parts.filter(({name}) => name !== peoplePart)
  const begun = partsInDraft(ofBusiness, draft)
  const chosen = begun.filter((part) => people.includes(part))
  const ofItself: Issue[] = []
  for (const issue of issues) {
    const whom = await askOutside(() => askOneOf(`${issue.code} concerns whom?`, whoms, likelyWhom(issue)))
    if (whom === 'people' || whom === 'both') chosen.push(...people)
    if (whom === 'business' || whom === 'both') ofItself.push(issue)
  }
  if (ofItself.length === 0 && !isNameless) return united(ofBusiness, chosen, begun)
  const question = isNameless ? 'What should be corrected?' : `What of the business, for ${listed(ofItself)}?`
  const offered = [...ofItself.flatMap(likelyOfBusiness), ...begun]
  return united(ofBusiness, chosen, await choose(question, isNameless ? ofBusiness.parts : others, offered))
}

// A service that does not say what kind of customer it is has a person say so.
const whatKind = 'A person or a business?'

// What is to be asked for, in the order of the submission. Nothing, where only support can help or nothing was chosen.
export async function partsToCorrect(customerType: unknown, issues: readonly Issue[], draft: Body): Promise<Part[]> {
  const own = issues.filter((issue) => !isForSupport(issue))
  // Where the service names nothing at all, the person may know more.
  const isNameless = issues.length === 0
  if (own.length === 0 && !isNameless) return []
  const type =
    customerTypes.find((each) => each === customerType) ?? (await askOutside(() => askOneOf(whatKind, typeChoices)))
  return type === 'BUSINESS' ? partsOfBusiness(own, draft, isNameless) : partsOfPerson(own, draft, isNameless)
}

// What is corrected is there: whether there is any is not asked.
const forksTaken = new Set([
  'kycData.nationalId',
  'kycData.documents[0]',
  'kybData.businessOperatingAddress',
  'kybData.associatedPersons[0]',
  'kybData.businessDocuments[0]',
])

export const correctionSteps =
  (parts: readonly Part[]) =>
  ({body, forks}: Answers): Step[] => {
    const taken = Object.fromEntries([...forksTaken].map((fork) => [fork, true]))
    const steps = stepsOf(parts, {body, forks: {...forks, ...taken}})
    return steps.filter((step) => !isFork(step) || !forksTaken.has(step.fork))
  }

// What is sent whole, and what becomes of what was there before (docs/assumptions.md, C15).
const wholes: Readonly<Record<string, string>> = {
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

export const sentWhole = (parts: readonly Part[]): string[] => parts.flatMap(({name}) => wholes[name] ?? [])
