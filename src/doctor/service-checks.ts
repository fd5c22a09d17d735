// Checks of the service: reachable, accepts the credential, right clock, single reads and paging.
import type {Client} from '../client/client.ts'
import {type Page, describeCutSign, getCutSign, getItems, getNextPageToken, readFirstItems} from '../client/paging.ts'
import {describeOtherShape} from '../client/read-reply.ts'
import {listEnumValues} from '../contract/enum-values.ts'
import {limits} from '../contract/vocabulary.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {type ShapeProblem, findShapeProblems} from '../contract/shape.ts'
import {definitions, wire} from '../contract/wire.frozen.ts'
import {SvcError} from '../errors.ts'
import {dropIndexes, isContainer, isRecord, splitPath} from '../values/records.ts'
import {readHttpDateMs} from '../values/time.ts'
import {isEmbedded, requireCaller} from './local-checks.ts'
import {
  type CheckContext,
  type CheckResult,
  type Drift,
  type Probe,
  failed,
  ok,
  skipped,
  warning,
} from './run-checks.ts'

// Quotes are valid for five minutes by the service's clock. A clock that is off by a tenth of that is a warning; one that is
// off by all of it makes their expiry meaningless (docs/assumptions.md, D2).
const skewWarningSeconds = limits.quoteLifetimeSeconds / 10
const skewMaxSeconds = limits.quoteLifetimeSeconds

// The Date header has whole seconds.
const dateStepMs = 1000

// Small enough that a service with a few customers has a second page.
const pageSizeTried = 2

// Sent if there is no credential. The service refuses it, but the reply still shows that it is reachable, and its clock.
const invalidCredential = 'none'

const probedPath = '/customers'

function requireClient({client}: CheckContext): Client {
  if (!client) throw new Error('a check needs a client before there is one')
  return client
}

export async function checkReachable(context: CheckContext): Promise<CheckResult> {
  const caller = requireCaller(context)
  const hasCredential = context.rows.some(({check, outcome}) => check === 'credential' && outcome !== 'failed')
  const probe: Probe = {sentAtMs: Date.now(), endedAtMs: 0, elapsedMs: 0}
  const client = await context.connect(
    hasCredential ? caller : {...caller, credential: async () => invalidCredential, renewable: false},
    // The first reply counts, so reads are not retried. Contract violations become rows, not notices.
    {
      retriesReads: false,
      onContractViolation: () => {},
      onOtherShape: (shape) => void context.otherShapes.add(describeOtherShape(shape)),
      onReply: ({headers}) => void (probe.date ??= headers.get('date')),
    },
  )
  context.client = client
  context.probe = probe
  const startedMs = performance.now()
  probe.sentAtMs = Date.now()
  try {
    await client.raw({method: 'GET', path: probedPath, query: {pageSize: 1}})
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    probe.failure = error
  }
  probe.elapsedMs = performance.now() - startedMs
  probe.endedAtMs = Date.now()
  if (probe.failure?.kind === 'unreachable') throw probe.failure
  return ok(`Answered in ${Math.round(probe.elapsedMs)} ms`)
}

export function checkAccepted({probe}: CheckContext): CheckResult {
  if (!probe?.failure) return ok('The service accepts the credential')
  const {message, hint, kind} = probe.failure
  return failed(message, kind === 'unauthenticated' ? hint : 'Check the base URL')
}

// The smallest possible difference between the clocks: the reply was made at some time between sentAtMs and endedAtMs.
function computeSkewSeconds({sentAtMs, endedAtMs}: Probe, dateMs: number): number {
  const aheadMs = Math.max(0, dateMs - endedAtMs)
  const behindMs = Math.max(0, sentAtMs - (dateMs + dateStepMs))
  return Math.round((aheadMs - behindMs) / 1000)
}

export function checkClock(context: CheckContext): CheckResult {
  if (isEmbedded(requireCaller(context))) return skipped('The embedded sandbox has a clock of its own')
  const {probe} = context
  const dateMs = readHttpDateMs(probe?.date)
  if (!probe || dateMs === undefined) return skipped('No reply had a Date header')
  const skew = computeSkewSeconds(probe, dateMs)
  const apart = Math.abs(skew)
  if (apart <= skewWarningSeconds) return ok(`Within ${skewWarningSeconds} s of the service’s`)
  const what = `This clock is ${apart} s ${skew > 0 ? 'behind' : 'ahead of'} the service’s`
  const next = 'Synchronize this clock with a time server; quotes and tokens expire by the service’s clock'
  return apart < skewMaxSeconds ? warning(what, next) : failed(what, next)
}

// Prefers an active customer, which has the most fields.
function chooseCustomer({customers = []}: CheckContext): LooseCustomer | undefined {
  const named = customers.filter(({customerId}) => typeof customerId === 'string' && customerId !== '')
  return named.find(({customerStatus}) => readCode(customerStatus) === 'ACTIVE') ?? named[0]
}

const isMissingRoute = (error: unknown) =>
  error instanceof SvcError && (error.statusCode === 404 || error.statusCode === 405)

// The interface does not fix the path of the single read (docs/assumptions.md, C1). One of the two is enough.
export async function checkReadPaths(context: CheckContext): Promise<CheckResult> {
  if (!context.customers) return skipped('The list of customers could not be read')
  const customer = chooseCustomer(context)
  if (!customer) return skipped('There is no customer to read')
  const id = String(customer.customerId)
  const {path, pathAlso} = wire['customers']?.['get'] ?? {}
  const answering: string[] = []
  const missing: string[] = []
  for (const form of [path, pathAlso].filter((each) => each !== undefined)) {
    const pathWithId = form.replace('{customerId}', encodeURIComponent(id))
    const answer = await requireClient(context)
      .raw({method: 'GET', path: pathWithId})
      .catch((error: unknown) => {
        if (!isMissingRoute(error)) throw error
      })
    const found = await requireClient(context).unwrap('customers.get', answer?.body)
    if (answer && !(isRecord(found) && found['customerId'] === id)) {
      return failed(`${form} returned another customer than the one that was requested`, 'Check the base URL')
    }
    if (answer) context.customerPath ??= pathWithId
    ;(answer ? answering : missing).push(form)
  }
  if (answering.length === 0) {
    return failed(
      `A customer of the list is found at neither ${missing.join(' nor ')}`,
      'Tell the operator of the service',
    )
  }
  return ok(missing.length === 0 ? `Both ${answering.join(' and ')}` : `${answering.join()}; not ${missing.join()}`)
}

const pagedLists = [
  {topic: 'customers', key: 'customers', id: 'customerId'},
  {topic: 'transactions', key: 'transactions', id: 'transactionId'},
] as const

// Reads two pages of each list: both must have the requested size, and the second must not repeat the first.
export async function checkPaging(context: CheckContext): Promise<CheckResult> {
  const client = requireClient(context)
  const short: string[] = []
  for (const {topic, key, id} of pagedLists) {
    const organizationId = requireCaller(context).organization
    const query = {pageSize: pageSizeTried, ...(organizationId && {organizationId})}
    const first: Page = await client[topic].list(query)
    const token = getNextPageToken(first)
    const second: Page | undefined = token ? await client[topic].list({...query, pageToken: token}) : undefined
    const pages = [first, ...(second ? [second] : [])].map((page) => getItems(page, key).filter(isRecord))
    const largest = Math.max(...pages.map(({length}) => length))
    if (largest > pageSizeTried) {
      return failed(`A page of ${topic} has ${largest}, though ${pageSizeTried} were requested`, pagingHint)
    }
    const ids = pages.flat().flatMap((item) => item[id] ?? [])
    if (new Set(ids).size < ids.length) return failed(`The second page of ${topic} repeats the first`, pagingHint)
    if (second && getNextPageToken(second) === token) return failed(`A page token of ${topic} is repeated`, pagingHint)
    if (second) continue
    const early = await findEarlyEnd(context, topic, key, first)
    if (early) return early
    short.push(topic)
  }
  return ok(
    short.length === 0 ? 'Two pages of each list, as requested' : `As requested; ${short.join(' and ')} fit one page`,
  )
}

// A service that names its token in a way of its own seems to end after the first page. A larger page shows that it does not.
async function findEarlyEnd(
  context: CheckContext,
  topic: 'customers' | 'transactions',
  key: string,
  first: Page,
): Promise<CheckResult | undefined> {
  const count = getItems(first, key).length
  if (count < pageSizeTried) return undefined
  const organizationId = requireCaller(context).organization
  const query = {pageSize: limits.pageSizeMax, ...(organizationId && {organizationId})}
  const whole: Page = await requireClient(context)[topic].list(query)
  const wholeCount = getItems(whole, key).length
  const sign = getCutSign(first)
  if (wholeCount <= count && sign === undefined) return undefined
  const why = sign === undefined ? 'without a token of the next one' : `where ${describeCutSign(sign)}`
  const more = wholeCount > count ? `, but a larger page has ${wholeCount}` : ''
  return failed(`The list of ${topic} ends after a page of ${count}, ${why}${more}`, earlyEndHint)
}

const earlyEndHint =
  'Tell the operator of the service; until then, lists and `--all` show only the first page, and svc pays nothing whose list may be cut'

const pagingHint = 'Tell the operator of the service; until then, `--all` may repeat items or not end'

// Checks for drift: fields and values in replies that the contract does not have, and fields that are missing.

// JSON output has all of them.
const driftsShownMax = 6

// Only a value that looks like a code is repeated; anything else could be personal data.
const codePattern = /^[A-Z][A-Z0-9_]{0,49}$/i

const readPath = (body: unknown, path: string) =>
  splitPath(path).reduce<unknown>((value, key) => (isContainer(value) ? value[key] : undefined), body)

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
  const {length} = getItems(body, key)
  if (drift.length === 0 && length === 0) return ok(`No ${one}s to read`)
  return toResult(formatCount(length, one), drift)
}

const fullPage = {pageSize: limits.pageSizeMax}

const organizationQuery = (context: CheckContext) => {
  const {organization} = requireCaller(context)
  return organization ? {organizationId: organization} : {}
}

export async function checkCustomersDrift(context: CheckContext): Promise<CheckResult> {
  const query = {...fullPage, ...organizationQuery(context)}
  const body = await readFirstItems((page) => requireClient(context).customers.list({...query, ...page}), 'customers')
  context.customers = body.customers
  return toListResult(body, 'customers.list', 'customers', 'customer')
}

export async function checkCustomerDrift(context: CheckContext): Promise<CheckResult> {
  const {customerPath: path} = context
  if (!path) return skipped('There is no customer to read')
  const client = requireClient(context)
  const reply = await client.raw({method: 'GET', path, query: {includePaymentMethods: true}})
  const body = await client.unwrap('customers.get', reply.body)
  if (!isRecord(body)) {
    return failed(`${path} returns JSON that is not an object`, violationHint)
  }
  // The interface does not say which methods a customer has who is not active.
  const expected = readCode(chooseCustomer(context)?.customerStatus) === 'ACTIVE' ? ['availablePaymentMethods'] : []
  return toResult('1 customer with its payment methods', findDrift(body, 'customers.get', expected))
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
