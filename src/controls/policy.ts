// The policy of a service: who may approve and run what is paid there, and how much of it. Its versions are kept in the journal.
import {z} from 'zod'
import {SvcError} from '../errors.ts'
import {normalizeAmount, parsePositiveDecimal} from '../values/money.ts'
import {omitUndefined, readAmount} from '../values/records.ts'
import {showText} from './approvable.ts'
import {type SpendingLimits, readWaitMs, waitRule} from './limits.ts'
import {parsePublicKey} from './signers.ts'
import {describeFingerprint} from './ssh-signature.ts'
import {digestPart, toCanonicalText} from './statement.ts'

const createSortedList = <T extends z.ZodType>(item: T, toText: (value: z.output<T>) => string) =>
  z.array(item).transform((items) => items.toSorted((one, other) => (toText(one) < toText(other) ? -1 : 1)))

const text = z.string().min(1)

// Amounts may be written as numbers.
const amount = z
  .unknown()
  .transform(readAmount)
  .refine((given) => parsePositiveDecimal(given) !== undefined, {
    error: ({input}) => `${JSON.stringify(input)} is not an amount`,
  })
  .transform(normalizeAmount)

const amounts = z.record(z.stringFormat('currency', /^[A-Za-z][A-Za-z0-9]{1,15}$/).toUpperCase(), amount)

const publicKey = z.string().transform((given, context) => {
  const key = parsePublicKey(given)
  if (key === undefined) context.addIssue('the key cannot be read')
  return key ?? z.NEVER
})

const approver = z.strictObject({
  name: z.string().regex(/^[^\n\r]+$/, 'a name is one line of text'),
  // Public keys in the form of OpenSSH, without comments.
  keys: createSortedList(publicKey, String).refine((keys) => keys.length > 0, 'there is no key'),
})

// Who may run what pays, by the user of the system or the role of the database.
const runner = z
  .strictObject({
    user: text.optional(),
    role: text.optional(),
    // The approver whom this is. What he approved does not count for what he runs.
    approver: text.optional(),
  })
  .refine(({user, role}) => (user === undefined) !== (role === undefined), 'each has either a user or a role')

const policyShape = z.strictObject({
  approvers: createSortedList(approver, ({name}) => name).optional(),
  runners: createSortedList(runner, toCanonicalText).optional(),
  approvals: z.strictObject({count: z.int().min(0), above: amounts.optional()}).optional(),
  paymentMax: amounts.optional(),
  dayMax: amounts.optional(),
  // The only payment accounts that may be paid to.
  allow: createSortedList(text, String).optional(),
  coolDown: text
    .refine((given) => readWaitMs(given) !== undefined, waitRule)
    .transform((given) => (given === '0' ? undefined : given))
    .optional(),
  readOnly: z
    .boolean()
    .transform((isSet) => isSet || undefined)
    .optional(),
})

export type Policy = z.output<typeof policyShape>
type PolicyRunner = z.output<typeof runner>
type AmountsByCurrency = z.output<typeof amounts>

export const policyFields = policyShape.keyof().options

const hasTwice = (values: readonly string[]) => new Set(values).size < values.length

function findConflicts({approvers = [], runners = [], approvals}: Policy): string[] {
  const names = approvers.map(({name}) => name)
  const count = approvals?.count ?? 0
  return [
    ...(hasTwice(names) ? ['approvers: a name is there twice'] : []),
    ...(hasTwice(approvers.flatMap(({keys}) => keys)) ? ['approvers: a key is there twice'] : []),
    ...(count > names.length
      ? [`approvals: ${count} are wanted, and approvers names ${names.length || 'nobody'}`]
      : []),
    ...runners.flatMap(({approver: name}) =>
      name === undefined || names.includes(name) ? [] : [`runners: ${name} is not among the approvers`],
    ),
  ]
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${[...path, key].join('.')}: there is no such field`)
  return [`${path.join('.') || 'it'}: ${issue.message}`]
}

// A number of a policy file that is longer than this keeps its digits as text.
export const readPolicyNumber = (source: string): unknown => (/^\d{1,9}$/.test(source) ? Number(source) : source)

// Reads a policy that a person wrote. What means the same has one form, and so one digest. Throws an error that names everything that
// is wrong with it.
export function parsePolicy(value: unknown, from: string): Policy {
  const {data, error} = policyShape.safeParse(value)
  const [first, ...others] = data ? findConflicts(data) : (error?.issues.flatMap(describeIssue) ?? [])
  if (data && first === undefined) return omitUndefined(data)
  throw new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: `The policy of ${from} cannot be used: ${first}`,
    hint: 'See `svc docs approvals`; nothing was changed',
    problems: others,
  })
}

export interface PolicyDocument {
  serviceId: string
  // The digest of the version that this one follows. The first has none.
  previous?: string | undefined
  policy: Policy
}

export const digestPolicy = ({serviceId, previous, policy}: PolicyDocument): string =>
  digestPart({serviceId, previous, policy}).toString('hex')

// How many have to approve a change of the policy.
export const countForChange = ({approvers = [], approvals}: Policy): number =>
  approvers.length === 0 ? 0 : Math.max(1, approvals?.count ?? 0)

// Of two limits the lower one holds, and a currency that one of them does not name may not be paid.
function mergeAmounts(own: AmountsByCurrency | undefined, other: AmountsByCurrency | undefined) {
  if (!own || !other) return own ?? other
  return Object.fromEntries(
    Object.entries(own).flatMap(([label, limit]) => {
      const [currency, otherLimit] = [label.toUpperCase(), other[label.toUpperCase()]]
      if (otherLimit === undefined) return []
      const isLower = parsePositiveDecimal(limit)?.lt(parsePositiveDecimal(otherLimit) ?? '0') ?? true
      return [[currency, isLower ? limit : otherLimit]]
    }),
  )
}

// The limits of a profile and those of the policy together. Those of the profile can only make them stricter.
export function mergeLimits(own: SpendingLimits = {}, {paymentMax, dayMax, allow}: Policy): SpendingLimits | undefined {
  const {destinations} = own
  const merged = omitUndefined({
    paymentMax: mergeAmounts(own.paymentMax, paymentMax),
    dayMax: mergeAmounts(own.dayMax, dayMax),
    destinations: destinations && allow ? destinations.filter((each) => allow.includes(each)) : (destinations ?? allow),
  })
  return Object.keys(merged).length > 0 ? merged : undefined
}

function describeKey(key: string): string {
  const [type = '', blob = ''] = key.split(' ')
  return `${type} ${describeFingerprint(Buffer.from(blob, 'base64'))}`
}

const listAmounts = (found: AmountsByCurrency | undefined) =>
  found && Object.entries(found).map(([currency, limit]) => `${limit} ${currency}`)

const describeRunner = ({user, role = '', approver: name}: PolicyRunner) =>
  `${user === undefined ? `role ${showText(role)}` : `user ${showText(user)}`}${name === undefined ? '' : `, who is ${showText(name)}`}`

// An empty list says something else than none.
const listOr = (lines: readonly string[] | undefined, empty: string, none: string) =>
  lines?.length === 0 ? [empty] : (lines ?? [none])

// Everything that a policy says, in words: what `policy show`, a person who approves it and the list of changes see.
export function describePolicy(policy: Policy): Array<{label: string; lines: readonly string[]}> {
  const {approvers = [], runners, approvals, paymentMax, dayMax, allow, coolDown, readOnly} = policy
  const above = listAmounts(approvals?.above)?.join(' or ')
  return [
    {
      label: 'Approvers',
      lines: approvers.flatMap(({name, keys}) => keys.map((key) => `${showText(name)}: ${describeKey(key)}`)),
    },
    {label: 'Runners', lines: listOr(runners?.map(describeRunner), 'nobody', 'anybody who can run svc here')},
    {
      label: 'Approvals',
      lines: [`${approvals?.count || 'none'}${above === undefined ? '' : `, for what is more than ${above}`}`],
    },
    {label: 'Payment max', lines: listOr(listAmounts(paymentMax), 'nothing', 'no limit')},
    {label: 'Day max', lines: listOr(listAmounts(dayMax), 'nothing', 'no limit')},
    {label: 'Pays only to', lines: listOr(allow?.map(showText), 'nobody', 'any account')},
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
    return [
      ...old.filter((line) => !lines.includes(line)).map((line) => `${label}: no longer ${line}`),
      ...lines.filter((line) => !old.includes(line)).map((line) => `${label}: now ${line}`),
    ]
  })
}
