// Checks of the service: reachable, accepts the credential, right clock, single reads and paging.
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import type {Client} from '../client/client.ts'
import {describeOtherShape} from '../client/read-reply.ts'
import {describeCutSign, getCutSign} from '../client/list-end.ts'
import {type Page, getNextPageToken} from '../client/paging.ts'
import {limits} from '../contract/limits.ts'
import {wire} from '../contract/wire.frozen.ts'
import {SvcError} from '../errors.ts'
import {readHttpDateMs} from '../values/time.ts'
import {type CheckContext, type Probe, type CheckResult, failed, ok, skipped, warning} from './run-checks.ts'
import {requireCaller, isEmbedded} from './local-checks.ts'

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

export function requireClient({client}: CheckContext): Client {
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
export function chooseCustomer({customers = []}: CheckContext): LooseCustomer | undefined {
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
    const found = ((await requireClient(context).unwrap('customers.get', answer?.body)) ?? {}) as LooseCustomer
    if (answer && found.customerId !== id) {
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
    const pages = [first, ...(second ? [second] : [])].map((page) => page[key] as Page[])
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
  const count = (first[key] as unknown[]).length
  if (count < pageSizeTried) return undefined
  const organizationId = requireCaller(context).organization
  const query = {pageSize: limits.pageSizeMax, ...(organizationId && {organizationId})}
  const whole: Page = await requireClient(context)[topic].list(query)
  const wholeCount = (whole[key] as unknown[]).length
  const sign = getCutSign(first)
  if (wholeCount <= count && sign === undefined) return undefined
  const why = sign === undefined ? 'without a token of the next one' : `where ${describeCutSign(sign)}`
  const more = wholeCount > count ? `, but a larger page has ${wholeCount}` : ''
  return failed(`The list of ${topic} ends after a page of ${count}, ${why}${more}`, earlyEndHint)
}

const earlyEndHint =
  'Tell the operator of the service; until then, lists and `--all` show only the first page, and svc pays nothing whose list may be cut'

const pagingHint = 'Tell the operator of the service; until then, `--all` may repeat items or not end'
