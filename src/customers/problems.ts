// Judges the body of a customer by every rule that can be known here, documents included.
import {Big} from 'big.js'
import type {z} from 'zod'
import {dayOf} from '../validation/dates.ts'
import {type Submissions, problemsInVerificationData} from '../validation/verification-data.ts'
import {limits} from '../contract/limits.ts'
import type {Problem} from '../contract/problems.ts'
import {kybData, kycData} from '../contract/verification-data.ts'
import {attachDocuments} from './documents/attach.ts'
import {isDocumentText, mapDocuments} from './documents/document-fields.ts'
import type {Body} from '../cli/body/assignments.ts'
import {masked} from './masked.ts'
import {inOrderOf, judgedBy} from '../validation/problems.ts'

export interface JudgedBody {
  // What would be sent, to the letter.
  body: Body
  // The same, fit to be shown.
  shown: Body
  problems: Problem[]
}

const megabyte = 1024 * 1024

// A field of the data that stands beside the data: people forget the level between.
function withPlace(problem: Problem): Problem {
  if (!problem.message.startsWith('is not a field')) return problem
  const field = problem.path
  const holder = Object.entries({kycData, kybData}).find(([, {shape}]) => Object.hasOwn(shape, field))?.[0]
  return holder ? {path: field, message: `is not a field of the body: it belongs in ${holder}.${field}`} : problem
}

// No one owns a business more than once (docs/assumptions.md, C10).
function shareProblems({associatedPersons = []}: Submissions['kybData']): Problem[] {
  // Percentages may be fractions, which floats do not add up.
  const total = associatedPersons.reduce((sum, each) => sum.plus(each.ownershipPercentage ?? 0), new Big(0))
  if (total.lte(limits.percentageMax)) return []
  const message = `hold more than ${limits.percentageMax} per cent: their ownershipPercentage adds up to ${total.toFixed()}`
  return [{path: 'kybData.associatedPersons', message}]
}

function submissionProblems(sound: Partial<Submissions>): Problem[] {
  const today = dayOf(Date.now())
  return [
    ...(sound.kycData ? problemsInVerificationData(sound.kycData, 'kycData', today) : []),
    ...(sound.kybData ? problemsInVerificationData(sound.kybData, 'kybData', today) : []),
    ...(sound.kybData ? shareProblems(sound.kybData) : []),
  ]
}

function sizeProblems(body: Body, overflows: boolean): Problem[] {
  const bytes = overflows ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(body))
  if (bytes <= limits.requestBytesMax) return []
  const most = `${limits.requestBytesMax / megabyte} MB`
  return [
    {path: '', message: `is larger than ${most} once its documents are encoded: send smaller documents, or fewer`},
  ]
}

// What only the kind of customer tells: an individual has KYC data, a business KYB data (docs/assumptions.md, C9).
const wrongKind: Readonly<Record<string, Problem>> = {
  INDIVIDUAL: {path: 'kybData', message: 'is for businesses: an individual submits kycData'},
  BUSINESS: {path: 'kycData', message: 'is for individuals: a business submits kybData'},
}

export function kindProblems(customerType: unknown, body: Body): Problem[] {
  const wrong = typeof customerType === 'string' && Object.hasOwn(wrongKind, customerType) && wrongKind[customerType]
  return wrong && body[wrong.path] !== undefined ? [wrong] : []
}

function bareProblems(schema: z.ZodType, bare: Body): Problem[] {
  const {problems, sound} = judgedBy(schema, bare)
  return [
    ...problems.map(withPlace),
    ...submissionProblems(sound as Partial<Submissions>),
    ...kindProblems(bare['customerType'], bare),
  ]
}

// The same judgement without opening a file, for whoever asks at every key that is pressed.
export function problemsBesidesFiles(schema: z.ZodType, given: Body): Problem[] {
  const bare = mapDocuments(given, (value) => (isDocumentText(value) ? undefined : value)) as Body
  return inOrderOf(given, bareProblems(schema, bare))
}

export async function judgeCustomerBody(schema: z.ZodType, given: Body): Promise<JudgedBody> {
  const {whole, bare, problems: ofDocuments, overflows} = await attachDocuments(given)
  const problems = [...ofDocuments, ...bareProblems(schema, bare), ...sizeProblems(whole, overflows)]
  return {body: whole, shown: masked(whole, schema), problems: inOrderOf(given, problems)}
}
