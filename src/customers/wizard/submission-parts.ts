// The parts of a KYC and of a KYB submission, and the search for them by field, in a message and in a draft.
import type {z} from 'zod'
import {address, associatedPerson, businessDocument, businessInfo, document} from '../../contract/verification-data.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Part} from '../../cli/wizard/steps.ts'
import {buildKybParts} from './business-parts.ts'
import {buildKycParts} from './person-parts.ts'

export interface Submission {
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
export function mergeParts({parts}: Submission, ...lists: ReadonlyArray<readonly Part[]>): Part[] {
  const names = new Set(lists.flat().map(({name}) => name))
  return parts.filter(({name}) => names.has(name))
}

const listFields = ({name, fields = []}: Part) => [name, ...fields]

// Finds the parts that a draft has a value for.
export const findPartsInDraft = ({key, parts}: Submission, draft: Body): Part[] =>
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
