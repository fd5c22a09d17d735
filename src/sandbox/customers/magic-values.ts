// The magic values of verification: text that a tester puts into an ordinary field to choose what a review comes to.
import {issueCodes} from '../../contract/issue-codes.ts'
import type {Problem} from '../../contract/problems.ts'
import type {Issue, VerificationData} from './customer-store.ts'

type IssueCode = Issue['code']

const outcomes = ['REJECT', 'DEACTIVATE', 'APPROVE', 'MANUAL_REVIEW'] as const

type MagicOutcome = (typeof outcomes)[number]

// What a submission asks of its review, in the order in which it was written.
export type Magic = MagicOutcome | IssueCode

export interface MagicValue {
  // What it is about: the review of a submission, or a transaction.
  of: 'verification' | 'transaction'
  value: string
  // The issue code that it raises, if it raises one.
  code?: IssueCode
  // The field that takes it.
  field: string
  effect: string
  // Where several meet, the one with the lowest number decides.
  precedence?: number
}

const prefix = 'MAGIC_'
const magicPattern = /\bMAGIC_[A-Z\d_]+/g

// The field to remember, since KYC and KYB data both have it. The others take magic values as well, wherever they occur.
const magicField = 'accountPurposeOther'
const magicFields = new Set([magicField, 'legalMiddleName', 'streetLine2', 'description'])

const codes = new Set<string>(issueCodes.map(({code}) => code))
const knownNames = new Set<string>([...outcomes, ...codes])

export const isIssueCode = (magic: string): magic is IssueCode => codes.has(magic)

const createEntry = (magic: Magic, precedence: number, effect: string): MagicValue => ({
  of: 'verification',
  value: `${prefix}${magic}`,
  ...(isIssueCode(magic) && {code: magic}),
  field: magicField,
  effect,
  precedence,
})

export const verificationMagic: readonly MagicValue[] = [
  createEntry('REJECT', 1, 'REJECTED, with the issue codes named beside it, or with VERIFICATION_ISSUE'),
  createEntry('DEACTIVATE', 2, 'ACTIVE, and DEACTIVATED an hour later'),
  ...issueCodes.map(({code}) => createEntry(code, 3, `NEEDS_ADDITIONAL_INFORMATION, with ${code}`)),
  createEntry('APPROVE', 4, 'ACTIVE, whatever the data lacks'),
  createEntry('MANUAL_REVIEW', 5, 'UNDER_REVIEW for three days, then ACTIVE, or what another value beside it says'),
]

export interface ExtractedMagic {
  // The data without the magic, which acts on this submission alone and must not stay to act on the next.
  data: VerificationData
  magic: Magic[]
  problems: Problem[]
}

interface MagicFindings {
  magic: Set<Magic>
  problems: Problem[]
}

function removeMagic(text: string, path: string, {magic, problems}: MagicFindings): string | undefined {
  for (const [value] of text.matchAll(magicPattern)) {
    const name = value.slice(prefix.length)
    if (knownNames.has(name)) magic.add(name as Magic)
    else problems.push({path, message: `names ${value}, which is no magic value: svc sandbox magic lists them`})
  }
  const rest = text.replace(magicPattern, '')
  if (rest === text) return text
  return rest.replace(/^[\s,;]+|[\s,;]+$/g, '') || undefined
}

function stripMagic(value: unknown, path: string, findings: MagicFindings): unknown {
  if (Array.isArray(value)) return value.map((item, index) => stripMagic(item, `${path}[${index}]`, findings))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const at = `${path}.${name}`
    const mayCarry = typeof inner === 'string' && magicFields.has(name)
    return [name, mayCarry ? removeMagic(inner, at, findings) : stripMagic(inner, at, findings)]
  })
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined))
}

export function extractMagic(data: VerificationData, path: string): ExtractedMagic {
  const findings: MagicFindings = {magic: new Set(), problems: []}
  const rest = stripMagic(data, path, findings) as VerificationData
  return {data: rest, magic: [...findings.magic], problems: findings.problems}
}
