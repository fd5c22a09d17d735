// The magic values of verification: text in an ordinary field that chooses the outcome of the review.
import {issueCodes} from '../../../contract/issue-codes.ts'
import type {Problem} from '../../../contract/problems.ts'
import type {Result} from '../../../sandbox-results.ts'
import type {Issue, VerificationData} from './customer-store.ts'

type IssueCode = Issue['code']

const outcomes = ['REJECT', 'DEACTIVATE', 'APPROVE', 'MANUAL_REVIEW'] as const

type MagicOutcome = (typeof outcomes)[number]

export type Magic = MagicOutcome | IssueCode

const prefix = 'MAGIC_'
const magicPattern = /\bMAGIC_[A-Z\d_]+/g

// The documented field, because KYC and KYB data both have it. The other fields accept magic values too.
const magicField = 'accountPurposeOther'
const magicFields = new Set([magicField, 'legalMiddleName', 'streetLine2', 'description'])

const codes = new Set<string>(issueCodes.map(({code}) => code))
const knownNames = new Set<string>([...outcomes, ...codes])

export const isIssueCode = (magic: string): magic is IssueCode => codes.has(magic)

const createEntry = (magic: Magic, precedence: number, effect: string): Result<'MagicValue'> => ({
  of: 'verification',
  value: `${prefix}${magic}`,
  ...(isIssueCode(magic) && {code: magic}),
  field: magicField,
  effect,
  precedence,
})

export const verificationMagic: ReadonlyArray<Result<'MagicValue'>> = [
  createEntry('REJECT', 1, 'REJECTED, with the issue codes written beside it, or with VERIFICATION_ISSUE'),
  createEntry('DEACTIVATE', 2, 'ACTIVE, and DEACTIVATED an hour later'),
  ...issueCodes.map(({code}) => createEntry(code, 3, `NEEDS_ADDITIONAL_INFORMATION, with ${code}`)),
  createEntry('APPROVE', 4, 'ACTIVE, even if data is missing'),
  createEntry(
    'MANUAL_REVIEW',
    5,
    'UNDER_REVIEW for three days, then ACTIVE, or the outcome of another value beside it',
  ),
]

export interface ExtractedMagic {
  // The data without the magic values. They act on this submission only and are not stored.
  data: VerificationData
  magic: Magic[]
  problems: Problem[]
}

interface MagicFindings {
  magic: Set<Magic>
  problems: Problem[]
}

const separator = /[\s,;]/

function trimSeparators(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && separator.test(text.charAt(start))) start++
  while (end > start && separator.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function removeMagic(text: string, path: string, {magic, problems}: MagicFindings): string | undefined {
  for (const [value] of text.matchAll(magicPattern)) {
    const name = value.slice(prefix.length)
    if (knownNames.has(name)) magic.add(name as Magic)
    else
      problems.push({path, message: `contains ${value}, which is not a magic value: \`svc sandbox magic\` lists them`})
  }
  const rest = text.replace(magicPattern, '')
  if (rest === text) return text
  return trimSeparators(rest) || undefined
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
