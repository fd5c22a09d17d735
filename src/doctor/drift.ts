// The checks for drift: which fields and values the service sends that the contract does not know, and which it misses.
import {type Finding, findingsIn} from '../contract/shape.ts'
import {valuesOf} from '../contract/values.ts'
import {definitions, wire} from '../contract/wire.frozen.ts'
import {limits} from '../contract/limits.ts'
import {type Patient, type Verdict, failed, ok, skipped, warning} from './checkup.ts'
import {callerOf} from './local.ts'
import {clientOf, someCustomer} from './service.ts'

// One way in which replies differ from the contract, however often it came.
export interface Drift {
  // With the places in lists left out, such as customers[].riskTier.
  path: string
  kind: Finding['kind']
  count: number
  // What is wrong, or the value that is not known where it is a code.
  detail: string
}

// In JSON all of them are there.
const shownMax = 6

// Only what looks like a code is repeated: anything else could be about a person.
const code = /^[A-Z][A-Z0-9_]{0,49}$/i

const withoutPlaces = (path: string) => path.replaceAll(/\[\d+\]/g, '[]')

const valueAt = (body: unknown, path: string) =>
  [...path.matchAll(/[^.[\]]+/g)].reduce<unknown>(
    (value, [key]) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    body,
  )

function detailOf(body: unknown, {kind, path, message}: Finding): string {
  if (kind !== 'unknown value') return message
  const value = valueAt(body, path)
  return typeof value === 'string' && code.test(value) ? `has the unknown value ${value}` : 'has an unknown value'
}

// Replies name a method as plain text, so that a new one is shown like any other; here it is news.
function* unknownMethods(value: unknown, path = ''): Generator<Finding> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key
    if (!key.endsWith('PaymentMethod')) yield* unknownMethods(inner, at)
    else if (typeof inner === 'string' && !valuesOf('Customer', 'availablePaymentMethods').includes(inner))
      yield {path: at, kind: 'unknown value', message: 'is not a method of the interface'}
  }
}

// `expected` are fields that the contract leaves open and this request asked for.
function driftIn(body: Record<string, unknown>, endpoint: string, expected: readonly string[] = []): Drift[] {
  const [topic = '', verb = ''] = endpoint.split('.')
  const shape = wire[topic]?.[verb]?.reply ?? {}
  const findings = findingsIn(body, shape, definitions)
  const paths = new Set(findings.map(({path}) => path))
  for (const found of unknownMethods(body)) if (!paths.has(found.path)) findings.push(found)
  for (const field of expected) {
    if (body[field] === undefined || body[field] === null)
      findings.push({path: field, kind: 'missing', message: 'is missing, though it was asked for'})
  }
  const drifts = new Map<string, Drift>()
  for (const finding of findings) {
    const path = withoutPlaces(finding.path)
    const detail = detailOf(body, finding)
    const key = JSON.stringify([path, finding.kind, detail])
    const drift = drifts.get(key) ?? {path, kind: finding.kind, count: 0, detail}
    drift.count++
    drifts.set(key, drift)
  }
  return [...drifts.values()]
}

const breaks = ({kind}: Drift) => kind === 'missing' || kind === 'wrong'

const isNews = 'svc passes on what it does not know; look for a newer svc, and at scripts that list every value'
const isBreach = 'Tell whoever runs the service; svc shows what is there'

function judged(read: string, drift: readonly Drift[]): Verdict {
  if (drift.length === 0) return ok(`${read} as the interface says`)
  const ordered = drift.toSorted((a, b) => Number(breaks(b)) - Number(breaks(a)))
  const times = ({count}: Drift) => (count > 1 ? ` (${count} times)` : '')
  const lines = ordered.slice(0, shownMax).map((each) => `${each.path} ${each.detail}${times(each)}`)
  const more = drift.length > shownMax ? [`and ${drift.length - shownMax} more in --json`] : []
  const found = `${read}: ${[...lines, ...more].join('; ')}`
  return {...(drift.some(breaks) ? failed(found, isBreach) : warning(found, isNews)), drift: ordered}
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

type Body = Record<string, unknown>

function judgedList(body: Body, endpoint: string, key: string, one: string): Verdict {
  const drift = driftIn(body, endpoint)
  if (drift.length === 0 && (body[key] as unknown[]).length === 0) return ok(`No ${one}s to read`)
  return judged(counted((body[key] as unknown[]).length, one), drift)
}

const page = {pageSize: limits.pageSizeMax}

const ofOrganization = (patient: Patient) => {
  const {organization} = callerOf(patient)
  return organization ? {organizationId: organization} : {}
}

export async function customersDrift(patient: Patient): Promise<Verdict> {
  const body: Body = await clientOf(patient).customers.list({...page, ...ofOrganization(patient)})
  patient.customers = body['customers'] as Body[]
  return judgedList(body, 'customers.list', 'customers', 'customer')
}

export async function customerDrift(patient: Patient): Promise<Verdict> {
  const {customerPath: path} = patient
  if (!path) return skipped('There is no customer to read')
  const {body} = await clientOf(patient).raw({method: 'GET', path, query: {includePaymentMethods: true}})
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return failed(`${path} answers with JSON that is not an object`, isBreach)
  }
  // Of a customer that is not active the interface does not say which methods it has.
  const expected = someCustomer(patient)?.['customerStatus'] === 'ACTIVE' ? ['availablePaymentMethods'] : []
  return judged('1 customer with its payment methods', driftIn(body as Body, 'customers.get', expected))
}

export async function accountDrift(patient: Patient): Promise<Verdict> {
  const customerId = someCustomer(patient)?.['customerId']
  if (typeof customerId !== 'string') return skipped('There is no customer whose accounts to read')
  const body: Body = await clientOf(patient).accounts.list({customerId, ...page})
  return judgedList(body, 'accounts.list', 'paymentAccounts', 'account')
}

export async function transactionsDrift(patient: Patient): Promise<Verdict> {
  const body: Body = await clientOf(patient).transactions.list({...page, ...ofOrganization(patient)})
  return judgedList(body, 'transactions.list', 'transactions', 'transaction')
}

export async function rulesDrift(patient: Patient): Promise<Verdict> {
  const body: Body = await clientOf(patient).rules.list({})
  return judgedList(body, 'rules.list', 'automationRules', 'rule')
}
