// A scripted service that follows the interface in its own way. Each way can be switched on by itself.
import {type Answer, type PaymentService, refusal, servePayments} from './scripted-service.ts'
import type {Behaviour, Body} from './scripted/behaviour.ts'
import {type ReceivedRequest, customer} from './service.ts'

export interface Ways {
  // Where a page has the token of the next one.
  token: 'nextPageToken' | 'pagination' | 'bookmark'
  objects: 'plain' | 'without id'
  codes: 'upper' | 'lower'
  amounts: 'text' | 'number'
  expiresAt: 'stated' | 'null'
  // What PUT does to a rule.
  puts: 'applied' | 'ignored'
}

const interfaceWays: Ways = {
  token: 'nextPageToken',
  objects: 'plain',
  codes: 'upper',
  amounts: 'text',
  expiresAt: 'stated',
  puts: 'applied',
}

export interface OwnWaysService extends PaymentService {
  ways: Ways
  rules: Body[]
}

const listKeys = ['customers', 'transactions', 'paymentAccounts', 'automationRules']
const idFields = ['customerId', 'transactionId', 'quoteId', 'id']
const codeFields = /(Status|Type)$|^type$/
const amountFields = /(Amount|^value|Rate)$/

// `many` customers exist, ACTIVE ones, and any other customer can be read as well.
export async function serveOwnWays(
  changes: Partial<Ways> = {},
  {many = 3, ...behaviour}: {many?: number} & Partial<Behaviour> = {},
): Promise<OwnWaysService> {
  const payments = await servePayments(behaviour)
  const service: OwnWaysService = Object.assign(payments, {ways: {...interfaceWays, ...changes}, rules: []})
  service.customers = Array.from({length: many}, (_, index) => customer(index + 1))
  service.intercept = (request, response) => {
    const answer = answerRules(service, request) ?? answerCreation(service, request)
    if (!answer) return false
    const {status, body} = service.present(answer, request)
    response.writeHead(status, {'content-type': 'application/json'})
    response.end(JSON.stringify(body))
    return true
  }
  service.present = (answer) => present(service.ways, answer)
  return service
}

function answerCreation(service: OwnWaysService, {method, path, body}: ReceivedRequest): Answer | undefined {
  if (method !== 'POST' || path !== '/customers') return undefined
  const {email, customerType} = JSON.parse(body) as Body
  const created = customer(service.customers.length + 1, {email, customerType})
  service.customers.push(created)
  return {status: 200, body: {...created, customerStatus: 'CREATED'}}
}

function answerRules(service: OwnWaysService, {method, path, query, body}: ReceivedRequest): Answer | undefined {
  const [, id] = /^\/automation-rules(?:\/(.+))?$/.exec(path) ?? [undefined, null]
  if (id === null) return undefined
  const sent = body === '' ? {} : (JSON.parse(body) as Body)
  const index = service.rules.findIndex((rule) => rule['id'] === id)
  const found = service.rules[index]
  if (id === undefined && method === 'GET') return listRules(service.rules, query)
  if (id === undefined) {
    const rule = {...sent, id: `rule_${service.rules.length + 1}`, createdAt: '2026-11-01T12:00:00Z'}
    service.rules.push(rule)
    return {status: 200, body: rule}
  }
  if (!found) return {status: 404, body: refusal(404, 'NOT_FOUND', 'no such rule')}
  if (method === 'PUT' && service.ways.puts === 'applied') service.rules[index] = {...found, ...sent}
  return {status: 200, body: service.rules[index]}
}

const rulesPerPage = 10

// The interface does not page rules. This service does.
function listRules(rules: readonly Body[], query: URLSearchParams): Answer {
  const start = Number(query.get('pageToken') ?? '0')
  const next = start + rulesPerPage < rules.length ? {nextPageToken: String(start + rulesPerPage)} : {}
  return {status: 200, body: {automationRules: rules.slice(start, start + rulesPerPage), ...next}}
}

function present(ways: Ways, answer: Answer): Answer {
  if (answer.status >= 400) return answer
  const body = answer.body as Body
  const isList = listKeys.some((key) => Array.isArray(body[key]))
  const respelt = respell(ways, body) as Body
  return isList ? presentList(ways, respelt) : {...answer, body: presentObject(ways, respelt)}
}

function presentObject({objects, expiresAt}: Ways, body: Body): unknown {
  const object = expiresAt === 'null' && 'quoteId' in body && 'expiresAt' in body ? {...body, expiresAt: null} : body
  if (objects === 'without id') return omit(object, idFields)
  return object
}

const omit = (body: Body, names: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

function presentList({token: where}: Ways, body: Body): Answer {
  const {nextPageToken: token, ...others} = body
  const envelope = token === undefined ? {} : {[where]: where === 'pagination' ? {next: token} : token}
  return {status: 200, body: {...others, ...envelope}}
}

function respell(ways: Ways, value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => respell(ways, item))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, respell(ways, inner, key)]))
  }
  if (typeof value !== 'string') return value
  if (ways.codes === 'lower' && codeFields.test(name)) return value.toLowerCase()
  return ways.amounts === 'number' && amountFields.test(name) ? JSON.rawJSON(value) : value
}
