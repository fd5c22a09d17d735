// Decides which parts of a submission to correct, and what is asked of them: by the codes of the issues, or by asking the user.
import {toText} from '../../cli/output/view.ts'
import {printText} from '../../cli/wizard/print.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {type Issue, isForSupport, joinCodes} from './issues.ts'
import {isAtOrBelow} from './objections.ts'
import {type CustomerType, type Part, type Submission, describeItem, findCustomerType, submissions} from './parts.ts'
import {createTypeQuestion, partsPath} from './submit.ts'

export interface Correction {
  // In the order of the submission. None if only support can help.
  parts: readonly Part[]
  // The paths of what is asked again where the other answers are known, without the indexes of documents.
  concerns: readonly string[]
}

const {INDIVIDUAL: personSubmission, BUSINESS: businessSubmission} = submissions

// A field such as address.city belongs to the part of its first name.
const getFirstName = (path: string) => path.split('.', 1)[0] ?? ''

export const findPartsByFields = ({parts}: Submission, fields: readonly string[]) =>
  parts.filter((part) => fields.some((field) => part.fields.includes(getFirstName(field))))

const pathPattern = /[A-Za-z][A-Za-z\d]*(?:\[\d+\])?(?:\.[A-Za-z][A-Za-z\d]*(?:\[\d+\])?)*/g
const splitNames = (path: string) => path.match(/[A-Za-z][A-Za-z\d]*/g) ?? []

// A camel-case word such as postalCode is a field; "city" or "type" may be an ordinary word of the sentence.
const isFieldName = (name: string) => /[a-z][A-Z]/.test(name)

function findPartsByName({parts}: Submission, name: string): readonly Part[] {
  const direct = parts.filter((part) => part.name === name || part.fields.includes(name))
  if (direct.length > 0 || !isFieldName(name)) return direct
  return parts.filter(({names}) => names.includes(name))
}

// Finds the parts whose fields a message of the service names: phoneNumber, address.city, documents[0].expirationDate.
export function findPartsInMessage(submission: Submission, message: string): readonly Part[] {
  const findParts = (path: string) =>
    splitNames(path)
      .map((name) => findPartsByName(submission, name))
      .find((parts) => parts.length > 0) ?? []
  const found = new Set((message.match(pathPattern) ?? []).flatMap(findParts))
  return submission.parts.filter((part) => found.has(part))
}

const peopleName = 'associatedPersons'
const peoplePath = `${businessSubmission.key}.${peopleName}`
const otherParts = businessSubmission.parts.filter(({name}) => name !== peopleName)

// The fields of a code are those of a person. If the issue is about the business, these are the matching parts.
const businessPartsByPersonField: Readonly<Record<string, string>> = {
  address: 'businessRegisteredAddress',
  legalFirstName: 'businessInfo',
  legalLastName: 'businessInfo',
  nationalIdNumber: 'money',
}

function guessBusinessParts({entry, message}: Issue): readonly Part[] {
  const named = findPartsInMessage(businessSubmission, message).filter(({name}) => name !== peopleName)
  if (named.length > 0) return named
  const names = new Set((entry?.fields ?? []).map((field) => businessPartsByPersonField[getFirstName(field)]))
  return otherParts.filter(({name}) => names.has(name))
}

// The fields of a code are those of a person, so people are the default unless the message names a field of the business.
function guessSubject({message}: Issue): string {
  const names = findPartsInMessage(businessSubmission, message).map(({name}) => name)
  if (names.every((name) => name === peopleName)) return 'people'
  return names.includes(peopleName) ? 'both' : 'business'
}

// What was refused, in words before its code. Of a code that names no fields, the message says more than the meaning.
const describeShortly = ({code, entry, message}: Issue) => {
  const meaning = entry?.meaning ?? ''
  const words = entry && entry.fields.length > 0 ? meaning : message.replace(/\.$/, '') || meaning
  return words === '' ? code : `${words} (${code})`
}

const subjectChoices = [
  {
    name: 'An owner, director or signer: their data or documents',
    value: 'people',
    short: 'an owner, director or signer',
  },
  {name: 'The business itself: its data, addresses or documents', value: 'business', short: 'the business itself'},
  {name: 'Both', value: 'both', short: 'both'},
  {name: 'Neither: nothing is corrected for it', value: 'nobody', short: 'neither'},
]

const toSubjectPath = (index: number) => `$.subjects[${index}]`
const toPeoplePath = (index: number) => `$.people[${index}]`

const getSubject = (body: Body, index: number) => getValue(body, toSubjectPath(index))
const isOfPeople = (subject: unknown) => subject === 'people' || subject === 'both'
const isOfBusiness = (subject: unknown) => subject === 'business' || subject === 'both'

const listPeople = (known: Body): readonly unknown[] => {
  const people = getValue(known, peoplePath)
  return Array.isArray(people) ? people : []
}

// Whose data is corrected, if it is known who there is. An issue names a person only in its message, if at all.
function createPeopleQuestion(issue: Issue, index: number, known: Body): Question {
  const choices = listPeople(known).map((person, at) => ({
    name: describeItem(person, 'Person', at),
    value: `${peoplePath}[${at}]`,
  }))
  return {
    path: toPeoplePath(index),
    label: `${describeShortly(issue)}. Whose data is it?`,
    kind: 'several',
    isRequired: true,
    choices,
    suggestion: choices
      .map(({value}) => value)
      .filter((value) => issue.message.includes(value.slice(value.lastIndexOf('.') + 1))),
  }
}

function createPartsQuestion(
  about: string,
  parts: readonly Part[],
  preselected: readonly Part[],
  isRequired: boolean,
): Question {
  return {
    path: partsPath,
    label: `What should be corrected${about}?`,
    kind: 'several',
    isRequired,
    choices: parts.map(({name, label}) => ({name: label, value: name})),
    suggestion: preselected.map(({name}) => name),
  }
}

function buildBusinessChoices(issues: readonly Issue[], body: Body, known: Body): Question[] {
  const subjects = issues.flatMap((issue, index): Question[] => [
    {
      path: toSubjectPath(index),
      label: `${describeShortly(issue)}. What does it concern?`,
      kind: 'one-of',
      isRequired: true,
      choices: subjectChoices,
      suggestion: guessSubject(issue),
    },
    ...(isOfPeople(getSubject(body, index)) && listPeople(known).length > 1
      ? [createPeopleQuestion(issue, index, known)]
      : []),
  ])
  const ofBusiness = issues.filter((_, index) => isOfBusiness(getSubject(body, index)))
  if (ofBusiness.length === 0) return subjects
  const about = ` in the business for ${joinCodes(ofBusiness)}`
  const hasOthers = issues.some((_, index) => isOfPeople(getSubject(body, index)))
  return [...subjects, createPartsQuestion(about, otherParts, ofBusiness.flatMap(guessBusinessParts), !hasOthers)]
}

// The user is asked only about issues whose code is unknown or names no fields.
const isOpen = ({entry}: Issue) => !entry || entry.fields.length === 0

const findCertainParts = (issues: readonly Issue[]) =>
  findPartsByFields(
    personSubmission,
    issues.flatMap(({entry}) => entry?.fields ?? []),
  )

function buildPersonChoices(issues: readonly Issue[]): Question[] {
  const open = issues.filter(isOpen)
  if (open.length === 0 && issues.length > 0) return []
  const certain = findCertainParts(issues)
  const parts = personSubmission.parts.filter((part) => !certain.includes(part))
  const named = open.flatMap(({message}) => findPartsInMessage(personSubmission, message))
  return [createPartsQuestion(issues.length === 0 ? '' : ` for ${joinCodes(open)}`, parts, named, certain.length === 0)]
}

const readNames = (body: Body, path: string): readonly string[] => {
  const value = getValue(body, path)
  return Array.isArray(value) ? value.map(toText) : []
}

const joinFields = (path: string, {entry}: Issue) =>
  entry && entry.fields.length > 0 ? entry.fields.map((field) => `${path}.${field}`) : [path]

// What an issue concerns of the people behind a business. Of people who are not known, all data is asked for.
function listConcernsOfPeople(issue: Issue, index: number, body: Body, known: Body): readonly string[] {
  const {length} = listPeople(known)
  if (length === 0) return [peoplePath]
  const people = length === 1 ? [`${peoplePath}[0]`] : readNames(body, toPeoplePath(index))
  return people.flatMap((path) => joinFields(path, issue))
}

const listCorrectable = (issues: readonly Issue[]) => issues.filter((issue) => !isForSupport(issue))

// The questions that decide what is corrected, and what their answers say. `known` is what was sent before, as far as svc knows.
export function createChoices(customerType: unknown, issues: readonly Issue[], known: Body) {
  const correctable = listCorrectable(issues)
  // If the service reports no issue at all, the user may know what to correct.
  const isOnlyForSupport = issues.length > 0 && correctable.length === 0
  const findType = (body: Body) => findCustomerType(customerType) ?? findCustomerType(getValue(body, '$.type'))
  const buildPartChoices = (type: CustomerType, body: Body): Question[] => {
    if (type === 'INDIVIDUAL') return buildPersonChoices(correctable)
    if (correctable.length > 0) return buildBusinessChoices(correctable, body, known)
    return [createPartsQuestion('', businessSubmission.parts, [], true)]
  }
  return {
    questions: (body: Body): Question[] => {
      if (isOnlyForSupport) return []
      const type = findType(body)
      return [
        ...(findCustomerType(customerType) ? [] : [createTypeQuestion('$.type')]),
        ...(type === undefined ? [] : buildPartChoices(type, body)),
      ]
    },
    read: (body: Body): Correction => {
      const type = findType(body)
      if (type === undefined || isOnlyForSupport) return {parts: [], concerns: []}
      const {parts, key} = submissions[type]
      const names = readNames(body, partsPath)
      const chosen = parts.filter(({name}) => names.includes(name))
      const certain =
        type === 'INDIVIDUAL'
          ? correctable.filter((issue) => !isOpen(issue)).flatMap((issue) => joinFields(key, issue))
          : correctable.flatMap((issue, index) =>
              isOfPeople(getSubject(body, index)) ? listConcernsOfPeople(issue, index, body, known) : [],
            )
      const isCertain = (part: Part) =>
        part.fields.some((field) => certain.some((path) => isAtOrBelow(path, `${key}.${field}`)))
      return {
        parts: parts.filter((part) => chosen.includes(part) || isCertain(part)),
        concerns: [...certain, ...chosen.flatMap((part) => part.fields.map((field) => `${key}.${field}`))],
      }
    },
  }
}

const subjectNotice =
  'The service does not say whether an issue of a business is about the business or about somebody behind it, so svc asks you about each. It then asks for what you choose, and shows it before anything is sent.'

export function printChoiceNotice(customerType: unknown, issues: readonly Issue[]): void {
  if (findCustomerType(customerType) === 'BUSINESS' && listCorrectable(issues).length > 0) printText(subjectNotice)
}
