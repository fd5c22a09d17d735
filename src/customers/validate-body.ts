// Judges the body of a customer by every rule that can be known here, documents included.
import {Big} from 'big.js'
import type {z} from 'zod'
import {toIsoDate} from '../validation/dates.ts'
import {type Submissions, validateVerificationData} from '../validation/verification-data.ts'
import {limits} from '../contract/limits.ts'
import type {Problem} from '../contract/problems.ts'
import {kybData, kycData} from '../contract/verification-data.ts'
import {attachDocuments} from './documents/attach-documents.ts'
import {isDocumentPath, mapDocuments} from './documents/document-fields.ts'
import type {Body} from '../cli/body/assignments.ts'
import {maskPersonalData} from './mask-personal-data.ts'
import {sortByBodyOrder, validateBody} from '../validation/validate-body.ts'

export interface ValidatedBody {
  // What would be sent, to the letter.
  body: Body
  // The same, fit to be shown.
  shown: Body
  problems: Problem[]
}

const megabyte = 1024 * 1024

// A field of the data that stands beside the data: people forget the level between.
function suggestHolder(problem: Problem): Problem {
  if (!problem.message.startsWith('is not a field')) return problem
  const field = problem.path
  const holder = Object.entries({kycData, kybData}).find(([, {shape}]) => Object.hasOwn(shape, field))?.[0]
  return holder ? {path: field, message: `is not a field of the body: it belongs in ${holder}.${field}`} : problem
}

// No one owns a business more than once (docs/assumptions.md, C10).
function findShareProblems({associatedPersons = []}: Submissions['kybData']): Problem[] {
  // Percentages may be fractions, which floats do not add up.
  const total = associatedPersons.reduce((sum, each) => sum.plus(each.ownershipPercentage ?? 0), new Big(0))
  if (total.lte(limits.percentageMax)) return []
  const message = `hold more than ${limits.percentageMax} per cent: their ownershipPercentage adds up to ${total.toFixed()}`
  return [{path: 'kybData.associatedPersons', message}]
}

function findSubmissionProblems(sound: Partial<Submissions>): Problem[] {
  const today = toIsoDate(Date.now())
  return [
    ...(sound.kycData ? validateVerificationData(sound.kycData, 'kycData', today) : []),
    ...(sound.kybData ? validateVerificationData(sound.kybData, 'kybData', today) : []),
    ...(sound.kybData ? findShareProblems(sound.kybData) : []),
  ]
}

function findSizeProblems(body: Body, overflows: boolean): Problem[] {
  const bytes = overflows ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(body))
  if (bytes <= limits.requestBytesMax) return []
  const most = `${limits.requestBytesMax / megabyte} MB`
  return [
    {path: '', message: `is larger than ${most} once its documents are encoded: send smaller documents, or fewer`},
  ]
}

// What only the kind of customer tells: an individual has KYC data, a business KYB data (docs/assumptions.md, C9).
const wrongDataByType: Readonly<Record<string, Problem>> = {
  INDIVIDUAL: {path: 'kybData', message: 'is for businesses: an individual submits kycData'},
  BUSINESS: {path: 'kycData', message: 'is for individuals: a business submits kybData'},
}

export function findTypeProblems(customerType: unknown, body: Body): Problem[] {
  const wrong =
    typeof customerType === 'string' && Object.hasOwn(wrongDataByType, customerType) && wrongDataByType[customerType]
  return wrong && body[wrong.path] !== undefined ? [wrong] : []
}

function findBodyProblems(schema: z.ZodType, bare: Body): Problem[] {
  const {problems, validPart: sound} = validateBody(schema, bare)
  return [
    ...problems.map(suggestHolder),
    ...findSubmissionProblems(sound as Partial<Submissions>),
    ...findTypeProblems(bare['customerType'], bare),
  ]
}

// The same judgement without opening a file, for whoever asks at every key that is pressed.
export function findProblemsExceptFiles(schema: z.ZodType, given: Body): Problem[] {
  const bare = mapDocuments(given, (value) => (isDocumentPath(value) ? undefined : value)) as Body
  return sortByBodyOrder(given, findBodyProblems(schema, bare))
}

export async function validateCustomerBody(schema: z.ZodType, given: Body): Promise<ValidatedBody> {
  const {
    body: whole,
    bodyWithoutFiles: bare,
    problems: ofDocuments,
    isTooLarge: overflows,
  } = await attachDocuments(given)
  const problems = [...ofDocuments, ...findBodyProblems(schema, bare), ...findSizeProblems(whole, overflows)]
  return {body: whole, shown: maskPersonalData(whole, schema), problems: sortByBodyOrder(given, problems)}
}
