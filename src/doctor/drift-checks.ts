// Checks for drift: fields and values in replies that the contract does not have, and fields that are missing.
import {readFirstItems} from '../client/paging.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {type ShapeProblem, findShapeProblems} from '../contract/shape.ts'
import {listEnumValues} from '../contract/enum-values.ts'
import {definitions, wire} from '../contract/wire.frozen.ts'
import {limits} from '../contract/limits.ts'
import {type CheckContext, type CheckResult, type Drift, failed, ok, skipped, warning} from './run-checks.ts'
import {requireCaller} from './local-checks.ts'
import {requireClient, chooseCustomer} from './service-checks.ts'
import {dropIndexes} from '../values/records.ts'

// JSON output has all of them.
const driftsShownMax = 6

// Only a value that looks like a code is repeated; anything else could be personal data.
const codePattern = /^[A-Z][A-Z0-9_]{0,49}$/i

const readPath = (body: unknown, path: string) =>
  [...path.matchAll(/[^.[\]]+/g)].reduce<unknown>(
    (value, [key]) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    body,
  )

function describeFinding(body: unknown, {kind, path, message}: ShapeProblem): string {
  if (kind !== 'unknown value') return message
  const value = readPath(body, path)
  return typeof value === 'string' && codePattern.test(value)
    ? `has the unknown value ${value}`
    : 'has an unknown value'
}

// The contract accepts any text as a payment method in a reply, so unknown methods are looked for here.
function* findUnknownMethods(value: unknown, path = ''): Generator<ShapeProblem> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key
    if (!key.endsWith('PaymentMethod')) yield* findUnknownMethods(inner, at)
    else if (typeof inner === 'string' && !listEnumValues('Customer', 'availablePaymentMethods').includes(inner))
      yield {path: at, kind: 'unknown value', message: 'is not a method of the interface'}
  }
}

// `expected` are fields that are optional in the contract and that this request asked for.
function findDrift(body: Record<string, unknown>, endpoint: string, expected: readonly string[] = []): Drift[] {
  const [topic = '', verb = ''] = endpoint.split('.')
  const shape = wire[topic]?.[verb]?.reply ?? {}
  const findings = findShapeProblems(body, shape, definitions)
  const paths = new Set(findings.map(({path}) => path))
  for (const found of findUnknownMethods(body)) if (!paths.has(found.path)) findings.push(found)
  for (const field of expected) {
    if (body[field] === undefined || body[field] === null)
      findings.push({path: field, kind: 'missing', message: 'is missing, though it was asked for'})
  }
  const drifts = new Map<string, Drift>()
  for (const finding of findings) {
    const path = dropIndexes(finding.path)
    const detail = describeFinding(body, finding)
    const key = JSON.stringify([path, finding.kind, detail])
    const drift = drifts.get(key) ?? {path, kind: finding.kind, count: 0, detail}
    drift.count++
    drifts.set(key, drift)
  }
  return [...drifts.values()]
}

const isViolation = ({kind}: Drift) => kind === 'missing' || kind === 'wrong'

const unknownHint =
  'svc shows unknown fields and values as they are; look for a newer svc, and check scripts that list every value'
const violationHint = 'Tell the operator of the service; svc shows what is there'

function toResult(read: string, drift: readonly Drift[]): CheckResult {
  if (drift.length === 0) return ok(`${read} as the interface says`)
  const ordered = drift.toSorted((a, b) => Number(isViolation(b)) - Number(isViolation(a)))
  const formatTimes = ({count}: Drift) => (count > 1 ? ` (${count} times)` : '')
  const lines = ordered.slice(0, driftsShownMax).map((each) => `${each.path} ${each.detail}${formatTimes(each)}`)
  const more = drift.length > driftsShownMax ? [`and ${drift.length - driftsShownMax} more in --json`] : []
  const found = `${read}: ${[...lines, ...more].join('; ')}`
  return {...(drift.some(isViolation) ? failed(found, violationHint) : warning(found, unknownHint)), drift: ordered}
}

const formatCount = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

type Body = Record<string, unknown>

function toListResult(body: Body, endpoint: string, key: string, one: string): CheckResult {
  const drift = findDrift(body, endpoint)
  if (drift.length === 0 && (body[key] as unknown[]).length === 0) return ok(`No ${one}s to read`)
  return toResult(formatCount((body[key] as unknown[]).length, one), drift)
}

const fullPage = {pageSize: limits.pageSizeMax}

const organizationQuery = (context: CheckContext) => {
  const {organization} = requireCaller(context)
  return organization ? {organizationId: organization} : {}
}

export async function checkCustomersDrift(context: CheckContext): Promise<CheckResult> {
  const query = {...fullPage, ...organizationQuery(context)}
  const body: Body = await readFirstItems(
    (page) => requireClient(context).customers.list({...query, ...page}),
    'customers',
  )
  context.customers = body['customers'] as LooseCustomer[]
  return toListResult(body, 'customers.list', 'customers', 'customer')
}

export async function checkCustomerDrift(context: CheckContext): Promise<CheckResult> {
  const {customerPath: path} = context
  if (!path) return skipped('There is no customer to read')
  const client = requireClient(context)
  const reply = await client.raw({method: 'GET', path, query: {includePaymentMethods: true}})
  const body = await client.unwrap('customers.get', reply.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return failed(`${path} returns JSON that is not an object`, violationHint)
  }
  // The interface does not say which methods a customer has who is not active.
  const expected = readCode(chooseCustomer(context)?.customerStatus) === 'ACTIVE' ? ['availablePaymentMethods'] : []
  return toResult('1 customer with its payment methods', findDrift(body as Body, 'customers.get', expected))
}

export async function checkAccountsDrift(context: CheckContext): Promise<CheckResult> {
  const customerId = chooseCustomer(context)?.customerId
  if (typeof customerId !== 'string') return skipped('There is no customer whose accounts to read')
  const body: Body = await readFirstItems(
    (page) => requireClient(context).accounts.list({customerId, ...fullPage, ...page}),
    'paymentAccounts',
  )
  return toListResult(body, 'accounts.list', 'paymentAccounts', 'account')
}

export async function checkTransactionsDrift(context: CheckContext): Promise<CheckResult> {
  const query = {...fullPage, ...organizationQuery(context)}
  const body: Body = await readFirstItems(
    (page) => requireClient(context).transactions.list({...query, ...page}),
    'transactions',
  )
  return toListResult(body, 'transactions.list', 'transactions', 'transaction')
}

// Reports the unusual shapes of replies that the other checks came across. It has no row if there were none.
export function checkShapes({otherShapes}: CheckContext): CheckResult | undefined {
  if (otherShapes.size === 0) return undefined
  const found = [...otherShapes].join('; ')
  return warning(found.charAt(0).toUpperCase() + found.slice(1), shapeHint)
}

const shapeHint = 'svc works with it; tell the operator of the service, since other programs may not'

export async function checkRulesDrift(context: CheckContext): Promise<CheckResult> {
  const body: Body = await requireClient(context).rules.list({})
  return toListResult(body, 'rules.list', 'automationRules', 'rule')
}
