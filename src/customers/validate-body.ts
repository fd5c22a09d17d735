// Validates the body that creates or updates a customer, documents included, before it is sent.
import type {z} from 'zod'
import type {Body} from '../values/body-paths.ts'
import {suggestFields} from '../cli/body/suggest-fields.ts'
import {type JsonSchema, createSchemaCollector} from '../contract/json-schema.ts'
import {limits} from '../contract/vocabulary.ts'
import {readCode} from '../contract/loose.ts'
import type {Problem} from '../contract/problems.ts'
import {kybData, kycData} from '../contract/customers.ts'
import {sumShares} from '../values/shares.ts'
import {toIsoDate} from '../values/time.ts'
import {sortByBodyOrder, validateBody} from '../values/validate-body.ts'
import {isRecord} from '../values/records.ts'
import {type Submissions, validateVerificationData} from '../values/verification-data.ts'
import {attachDocuments} from './documents/document-file.ts'
import {isDocumentPath, mapDocuments} from './documents/document-fields.ts'

export interface ValidatedBody<T> {
  // The body as it would be sent. It has this type only if there are no problems.
  body: T
  // The same body with personal data masked.
  shown: Body
  problems: Problem[]
}

// Whether a value has any content. Nested objects without a value have none; an empty list has.
export const hasContent = (value: unknown): boolean =>
  isRecord(value) && !JSON.isRawJSON(value) ? Object.values(value).some(hasContent) : value !== undefined

const megabyte = 1024 * 1024

// A common mistake is to write a field of kycData or kybData at the top level. The message then says where it belongs.
function suggestParent(problem: Problem): Problem | undefined {
  if (problem.kind !== 'unknownField') return undefined
  const field = problem.path
  const parent = Object.entries({kycData, kybData}).find(([, {shape}]) => Object.hasOwn(shape, field))?.[0]
  return parent === undefined
    ? undefined
    : {...problem, message: `is not a field of the body: it belongs in ${parent}.${field}`}
}

// The owners of a business cannot hold more than all of it (docs/assumptions.md, C10).
function findShareProblems({associatedPersons = []}: Submissions['kybData']): Problem[] {
  const total = sumShares(associatedPersons)
  if (total.lte(limits.percentageMax)) return []
  const message = `hold more than ${limits.percentageMax} per cent: their ownershipPercentage adds up to ${total.toFixed()}`
  return [{path: 'kybData.associatedPersons', isWarning: true, message}]
}

const nameFields = ['firstName', 'lastName', 'legalFirstName', 'legalMiddleName', 'legalLastName']

// In YAML and --set, 12 is text where the contract has text, so a number in place of a name has the right type.
function findNameProblems(path: string, holder: Body): Problem[] {
  return nameFields
    .filter((field) => typeof holder[field] === 'string' && !/\p{L}/u.test(holder[field]))
    .map((field) => ({
      path: path ? `${path}.${field}` : field,
      isWarning: true,
      message: 'has no letter: check that it is the name',
    }))
}

function findSubmissionProblems({kycData: kyc, kybData: kyb}: Partial<Submissions>): Problem[] {
  const today = toIsoDate(Date.now())
  return [
    ...(kyc ? validateVerificationData(kyc, 'kycData', today) : []),
    ...(kyb ? validateVerificationData(kyb, 'kybData', today) : []),
    ...(kyb ? findShareProblems(kyb) : []),
    ...(kyc ? findNameProblems('kycData', kyc) : []),
    ...(kyb?.associatedPersons ?? []).flatMap((person, index) =>
      findNameProblems(`kybData.associatedPersons[${index}]`, person),
    ),
  ]
}

function findSizeProblems(body: Body, isTooLarge: boolean): Problem[] {
  const bytes = isTooLarge ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(body))
  if (bytes <= limits.requestBytesMax) return []
  const max = `${limits.requestBytesMax / megabyte} MB`
  return [{path: '', message: `is larger than ${max} once its documents are encoded: send smaller documents, or fewer`}]
}

// An individual submits KYC data, a business KYB data (docs/assumptions.md, C9).
const wrongDataByType: Readonly<Record<string, Problem>> = {
  INDIVIDUAL: {path: 'kybData', message: 'is for businesses: an individual submits kycData'},
  BUSINESS: {path: 'kycData', message: 'is for individuals: a business submits kybData'},
}

export function findTypeProblems(customerType: unknown, body: Body): Problem[] {
  const type = readCode(customerType)
  const wrong = Object.hasOwn(wrongDataByType, type) && wrongDataByType[type]
  return wrong && body[wrong.path] !== undefined ? [wrong] : []
}

function findBodyProblems(schema: z.ZodType, body: Body): Problem[] {
  const {problems, validPart} = validateBody(schema, body)
  return [
    ...problems.flatMap((problem) => suggestParent(problem) ?? suggestFields(schema, [problem])),
    ...findNameProblems('', validPart as Body),
    ...findSubmissionProblems(validPart as Partial<Submissions>),
    ...findTypeProblems(body['customerType'], body),
  ]
}

// Validates everything but the files of documents. Fast enough to run after every key in a wizard.
export function findProblemsExceptFiles(schema: z.ZodType, body: Body): Problem[] {
  const bodyWithoutFiles = mapDocuments(body, (value) => (isDocumentPath(value) ? undefined : value))
  return sortByBodyOrder(body, findBodyProblems(schema, bodyWithoutFiles))
}

// Reads the files of documents into the body and validates the result.
export async function validateCustomerBody<Schema extends z.ZodType>(
  schema: Schema,
  given: Body,
): Promise<ValidatedBody<z.input<Schema>>> {
  const {body, bodyWithoutFiles, problems: fileProblems, isTooLarge} = await attachDocuments(given)
  const problems = [
    ...fileProblems,
    ...findBodyProblems(schema, bodyWithoutFiles),
    ...findSizeProblems(body, isTooLarge),
  ]
  const shown = maskPersonalData(body, schema)
  return {body: body as z.input<Schema>, shown, problems: sortByBodyOrder(given, problems)}
}

// Masks personal data for display: texts keep their shape and lose their letters and digits.
const dot = '•'
const kilobyte = 1024

function maskText(text: string): string {
  const [, prefix] = /^(data:[a-z0-9.+-]+\/[a-z0-9.+-]+;base64,)/i.exec(text) ?? []
  if (prefix !== undefined) return `${prefix}… (${Math.ceil(text.length / kilobyte)} KB)`
  return text.replaceAll(/[\p{L}\p{N}]/gu, dot)
}

type Definitions = Readonly<Record<string, JsonSchema>>

const codePattern = /^[A-Z\d]+(_[A-Z\d]+)+$/

// A code such as PASSPORT says nothing about the person, so it stays readable. Where the contract only lists values that
// were seen, other values count as codes if they are written like one.
function isCode(value: string, schema: JsonSchema): boolean {
  if (schema['enum'] !== undefined) return true
  const valuesSeen = schema['x-values-seen']
  return valuesSeen !== undefined && (valuesSeen.includes(value.toUpperCase()) || codePattern.test(value))
}

function maskBySchema(value: unknown, schema: JsonSchema | undefined, definitions: Definitions): unknown {
  const reference = schema?.$ref
  if (reference) return maskBySchema(value, definitions[reference], definitions)
  if (typeof value === 'string') return schema && isCode(value, schema) ? value : maskText(value)
  if (Array.isArray(value)) {
    return value.map((item) => maskBySchema(item, schema?.items, definitions))
  }
  if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
    const fields = schema?.properties ?? {}
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        maskBySchema(inner, Object.hasOwn(fields, key) ? fields[key] : undefined, definitions),
      ]),
    )
  }
  return typeof value === 'boolean' || value === null || value === undefined ? value : dot
}

// Returns a copy of a body that can be shown. Fields that the schema does not name are masked as well.
export function maskPersonalData<T>(body: T, schema: z.ZodType): T {
  const schemas = createSchemaCollector('')
  const reference = schemas.add(schema)
  return maskBySchema(body, reference, schemas.definitions) as T
}
