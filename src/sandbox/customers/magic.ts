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
const written = /\bMAGIC_[A-Z\d_]+/g

// The field to remember, since KYC and KYB data both have it. The others take magic values as well, wherever they occur.
const field = 'accountPurposeOther'
const magicFields = new Set([field, 'legalMiddleName', 'streetLine2', 'description'])

const codes = new Set<string>(issueCodes.map(({code}) => code))
const known = new Set<string>([...outcomes, ...codes])

export const isIssueCode = (magic: string): magic is IssueCode => codes.has(magic)

const entry = (magic: Magic, precedence: number, effect: string): MagicValue => ({
  of: 'verification',
  value: `${prefix}${magic}`,
  ...(isIssueCode(magic) && {code: magic}),
  field,
  effect,
  precedence,
})

export const verificationMagic: readonly MagicValue[] = [
  entry('REJECT', 1, 'REJECTED, with the issue codes named beside it, or with VERIFICATION_ISSUE'),
  entry('DEACTIVATE', 2, 'ACTIVE, and DEACTIVATED an hour later'),
  ...issueCodes.map(({code}) => entry(code, 3, `NEEDS_ADDITIONAL_INFORMATION, with ${code}`)),
  entry('APPROVE', 4, 'ACTIVE, whatever the data lacks'),
  entry('MANUAL_REVIEW', 5, 'UNDER_REVIEW for three days, then ACTIVE, or what another value beside it says'),
]

export interface Extracted {
  // The data without the magic, which acts on this submission alone and must not stay to act on the next.
  data: VerificationData
  magic: Magic[]
  problems: Problem[]
}

interface Findings {
  magic: Set<Magic>
  problems: Problem[]
}

function withoutMagic(text: string, path: string, {magic, problems}: Findings): string | undefined {
  for (const [value] of text.matchAll(written)) {
    const name = value.slice(prefix.length)
    if (known.has(name)) magic.add(name as Magic)
    else problems.push({path, message: `names ${value}, which is no magic value: svc sandbox magic lists them`})
  }
  const rest = text.replace(written, '')
  if (rest === text) return text
  return rest.replace(/^[\s,;]+|[\s,;]+$/g, '') || undefined
}

function stripped(value: unknown, path: string, findings: Findings): unknown {
  if (Array.isArray(value)) return value.map((item, index) => stripped(item, `${path}[${index}]`, findings))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const at = `${path}.${name}`
    const mayCarry = typeof inner === 'string' && magicFields.has(name)
    return [name, mayCarry ? withoutMagic(inner, at, findings) : stripped(inner, at, findings)]
  })
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined))
}

export function extractMagic(data: VerificationData, path: string): Extracted {
  const findings: Findings = {magic: new Set(), problems: []}
  const rest = stripped(data, path, findings) as VerificationData
  return {data: rest, magic: [...findings.magic], problems: findings.problems}
}
