// The policy of a service: who may approve and run what is paid there, and how much of it. Its versions are kept in the journal.
import {createHash} from 'node:crypto'
import {type Shape, findShapeProblems} from '../contract/shape.ts'
import {SvcError} from '../errors.ts'
import {normalizeAmount, parsePositiveDecimal} from '../values/money.ts'
import {isRecord, omitUndefined} from '../values/records.ts'
import {type ApprovalPolicy, type SpendingLimits, parseCoolDown} from './limits.ts'
import {type Signer, parsePublicKey, toJudges} from './signers.ts'
import {showText} from './fields.ts'
import {digestPart, toCanonicalText} from './statement.ts'

// Who may run what pays, by the user of the system or the role of the database.
interface PolicyRunner {
  user?: string | undefined
  role?: string | undefined
  // The approver whom this is. What he approved does not count for what he runs.
  approver?: string | undefined
}

type AmountsByCurrency = Readonly<Record<string, string>>

export interface Policy {
  approvers?: readonly Signer[] | undefined
  runners?: readonly PolicyRunner[] | undefined
  approvals?: {count: number; above?: AmountsByCurrency | undefined} | undefined
  paymentMax?: AmountsByCurrency | undefined
  dayMax?: AmountsByCurrency | undefined
  // The only payment accounts that may be paid to.
  allow?: readonly string[] | undefined
  coolDown?: string | undefined
  readOnly?: boolean | undefined
}

export interface PolicyDocument {
  serviceId: string
  // The digest of the version that this one follows. The first has none.
  previous?: string | undefined
  policy: Policy
}

const text: Shape = {type: 'string', minLength: 1}
const amounts: Shape = {type: 'object', additionalProperties: text}
const texts: Shape = {type: 'array', items: text}

const policyShape: Shape = {
  type: 'object',
  properties: {
    approvers: {
      type: 'array',
      items: {type: 'object', properties: {name: text, keys: texts}, required: ['name', 'keys']},
    },
    runners: {
      type: 'array',
      items: {type: 'object', properties: {user: text, role: text, approver: text}},
    },
    approvals: {
      type: 'object',
      properties: {count: {type: 'integer', minimum: 0}, above: amounts},
      required: ['count'],
    },
    paymentMax: amounts,
    dayMax: amounts,
    allow: texts,
    coolDown: text,
    readOnly: {type: 'boolean'},
  },
}

export const policyFields = Object.keys(policyShape.properties ?? {}) as ReadonlyArray<keyof Policy>

const currencyPattern = /^[A-Za-z][A-Za-z0-9]{1,15}$/

function listAmountProblems(name: string, found: AmountsByCurrency = {}): string[] {
  return Object.entries(found).flatMap(([currency, amount]) => {
    if (!currencyPattern.test(currency)) return [`${name}: "${currency}" is not a currency`]
    return parsePositiveDecimal(amount) ? [] : [`${name}: "${amount}" ${currency} is not an amount`]
  })
}

function listApproverProblems({approvers = [], runners = [], approvals}: Policy): string[] {
  const names = approvers.map(({name}) => name)
  const keys = approvers.flatMap((approver) => approver.keys.map((key) => parsePublicKey(key) ?? ''))
  const listDuplicates = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)
  const count = approvals?.count ?? 0
  return [
    ...approvers.flatMap(({name, keys: own}) => [
      ...(own.length === 0 ? [`approvers: ${name} has no key`] : []),
      ...own.filter((key) => parsePublicKey(key) === undefined).map(() => `approvers: a key of ${name} cannot be read`),
      ...(/[\n\r]/.test(name) ? ['approvers: a name has two lines'] : []),
    ]),
    ...listDuplicates(names).map((name) => `approvers: ${name} is there twice`),
    ...(listDuplicates(keys.filter((key) => key !== '')).length > 0
      ? ['approvers: two of them have the same key']
      : []),
    ...(count > approvers.length
      ? [`approvals: ${count} are wanted, and approvers names ${approvers.length || 'nobody'}`]
      : []),
    ...runners.flatMap(({user, role, approver}) => [
      ...((user === undefined) === (role === undefined) ? ['runners: each has either a user or a role'] : []),
      ...(approver !== undefined && !names.includes(approver)
        ? [`runners: ${approver} is not among the approvers`]
        : []),
    ]),
  ]
}

function listCoolDownProblems({coolDown}: Policy): string[] {
  if (coolDown === undefined) return []
  try {
    parseCoolDown(coolDown, 'coolDown')
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

const normalizeAmounts = (found: AmountsByCurrency | undefined): AmountsByCurrency | undefined =>
  found &&
  Object.fromEntries(
    Object.entries(found).map(([currency, amount]) => [currency.toUpperCase(), normalizeAmount(amount)]),
  )

// One form for what means the same, so that it has one digest.
function normalizePolicy({
  approvers,
  runners,
  approvals,
  paymentMax,
  dayMax,
  allow,
  coolDown,
  readOnly,
}: Policy): Policy {
  const byText = (one: object, other: object) => (toCanonicalText(one) < toCanonicalText(other) ? -1 : 1)
  return omitUndefined({
    approvers: approvers
      ?.map(({name, keys}) => ({name, keys: keys.map((key) => parsePublicKey(key) ?? key).toSorted()}))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    runners: runners?.map(({user, role, approver}) => omitUndefined({user, role, approver})).toSorted(byText),
    approvals: approvals && omitUndefined({count: approvals.count, above: normalizeAmounts(approvals.above)}),
    paymentMax: normalizeAmounts(paymentMax),
    dayMax: normalizeAmounts(dayMax),
    allow: allow?.toSorted(),
    coolDown: coolDown === '0' ? undefined : coolDown,
    readOnly: readOnly || undefined,
  })
}

// Amounts may be written as numbers.
const toText = (value: unknown) => (typeof value === 'number' ? String(value) : value)

function withTextAmounts(value: unknown): unknown {
  if (!isRecord(value)) return value
  const {approvals, paymentMax, dayMax, ...rest} = value
  const convert = (found: unknown) =>
    isRecord(found) ? Object.fromEntries(Object.entries(found).map(([name, amount]) => [name, toText(amount)])) : found
  return omitUndefined({
    ...rest,
    approvals: isRecord(approvals) ? omitUndefined({...approvals, above: convert(approvals['above'])}) : approvals,
    paymentMax: convert(paymentMax),
    dayMax: convert(dayMax),
  })
}

// A number of a policy file that is longer than this keeps its digits as text.
export const readPolicyNumber = (source: string): unknown => (/^\d{1,9}$/.test(source) ? Number(source) : source)

// Reads a policy that a person wrote. Throws an error that names everything that is wrong with it.
export function parsePolicy(value: unknown, from: string): Policy {
  const found = withTextAmounts(value)
  const shapeProblems = findShapeProblems(found, policyShape).map(({path, kind, message}) =>
    kind === 'unknown field' ? `${path}: there is no such field` : `${path || 'it'}: ${message}`,
  )
  const policy = found as Policy
  const problems =
    shapeProblems.length > 0
      ? shapeProblems
      : [
          ...listApproverProblems(policy),
          ...listAmountProblems('approvals.above', policy.approvals?.above),
          ...listAmountProblems('paymentMax', policy.paymentMax),
          ...listAmountProblems('dayMax', policy.dayMax),
          ...listCoolDownProblems(policy),
        ]
  if (problems.length === 0) return normalizePolicy(policy)
  const [first, ...others] = problems
  throw new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: `The policy of ${from} cannot be used: ${first}`,
    hint: 'See `svc docs approvals`; nothing was changed',
    problems: others,
  })
}

export const digestPolicy = ({serviceId, previous, policy}: PolicyDocument): string =>
  digestPart({serviceId, previous, policy}).toString('hex')

export const toApprovalPolicy = (policy: Policy): ApprovalPolicy => ({
  required: policy.approvals?.count ?? 0,
  above: policy.approvals?.above,
  judges: toJudges(policy.approvers),
})

// How many have to approve a change of the policy.
export const countForChange = ({approvers = [], approvals}: Policy): number =>
  approvers.length === 0 ? 0 : Math.max(1, approvals?.count ?? 0)

// Of two limits the lower one holds, and a currency that one of them does not name may not be paid.
function mergeAmounts(one: AmountsByCurrency | undefined, other: AmountsByCurrency | undefined) {
  if (!one || !other) return one ?? other
  const upper = Object.fromEntries(Object.entries(other).map(([currency, amount]) => [currency.toUpperCase(), amount]))
  return Object.fromEntries(
    Object.entries(one).flatMap(([currency, amount]) => {
      const limit = upper[currency.toUpperCase()]
      if (limit === undefined) return []
      const isLower = parsePositiveDecimal(amount)?.lt(parsePositiveDecimal(limit) ?? '0') ?? true
      return [[currency.toUpperCase(), isLower ? amount : limit]]
    }),
  )
}

const mergeAccounts = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
  one && other ? one.filter((account) => other.includes(account)) : (one ?? other)

// The limits of a profile and those of the policy together. Those of the profile can only make them stricter.
export function mergeLimits(own: SpendingLimits | undefined, policy: Policy): SpendingLimits | undefined {
  const {paymentMax, dayMax, destinations} = own ?? {}
  const merged = omitUndefined({
    paymentMax: mergeAmounts(paymentMax, policy.paymentMax),
    dayMax: mergeAmounts(dayMax, policy.dayMax),
    destinations: mergeAccounts(destinations, policy.allow),
  })
  return Object.keys(merged).length > 0 ? merged : undefined
}

// A public key as people compare it.
function describeKey(publicKey: string): string {
  const [type = '', key = ''] = publicKey.split(' ')
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')
  return `${type} SHA256:${digest}`
}

const describeAmounts = (found: AmountsByCurrency) =>
  Object.entries(found).map(([currency, amount]) => `${amount} ${currency}`)

const describeRunner = ({user, role, approver}: PolicyRunner) =>
  [
    user === undefined ? `role ${showText(role ?? '')}` : `user ${showText(user)}`,
    ...(approver === undefined ? [] : [`who is ${showText(approver)}`]),
  ].join(', ')

const sayIfEmpty = (lines: readonly string[] | undefined, word: string) => (lines?.length === 0 ? [word] : lines)

export interface PolicyFact {
  label: string
  lines: readonly string[]
}

// Everything that a policy says, in words: what `policy show`, a person who approves it and the list of changes see.
export function describePolicy(policy: Policy): PolicyFact[] {
  const {approvers = [], runners, approvals, paymentMax, dayMax, allow, coolDown, readOnly} = policy
  const count = approvals?.count ?? 0
  const above = approvals?.above && describeAmounts(approvals.above).join(' or ')
  return [
    {
      label: 'Approvers',
      lines: approvers.flatMap(({name, keys}) => keys.map((key) => `${showText(name)}: ${describeKey(key)}`)),
    },
    {label: 'Runners', lines: sayIfEmpty(runners?.map(describeRunner), 'nobody') ?? ['anybody who can run svc here']},
    {
      label: 'Approvals',
      lines: [`${count === 0 ? 'none' : count}${above === undefined ? '' : `, for what is more than ${above}`}`],
    },
    {label: 'Payment max', lines: sayIfEmpty(paymentMax && describeAmounts(paymentMax), 'nothing') ?? ['no limit']},
    {label: 'Day max', lines: sayIfEmpty(dayMax && describeAmounts(dayMax), 'nothing') ?? ['no limit']},
    {label: 'Pays only to', lines: sayIfEmpty(allow?.map(showText), 'nobody') ?? ['any account']},
    {label: 'New payees', lines: [coolDown === undefined ? 'do not wait' : `wait ${showText(coolDown)}`]},
    {label: 'Writes', lines: [readOnly ? 'nothing (read-only)' : 'allowed']},
  ]
}

// What differs, in words.
export function comparePolicies(before: Policy | undefined, after: Policy): string[] {
  if (!before) return ['the first version']
  const known = new Map(describePolicy(before).map(({label, lines}) => [label, lines]))
  return describePolicy(after).flatMap(({label, lines}) => {
    const old = known.get(label) ?? []
    const gone = old.filter((line) => !lines.includes(line)).map((line) => `${label}: no longer ${line}`)
    const added = lines.filter((line) => !old.includes(line)).map((line) => `${label}: now ${line}`)
    return [...gone, ...added]
  })
}
