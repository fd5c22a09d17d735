// The steps of a scenario that send requests to the service, as the code of an integrator would.
import {getSampleUri} from '../../values/documents.ts'
import {isRecord, omitUndefined} from '../../values/records.ts'
import {isSuccess} from '../../values/urls.ts'
import type {Sandbox} from '../sandbox.ts'
import {createDemoAddress} from '../seed/seed.ts'
import {currencyOfRail, isFiat, listRails} from '../service/money/currencies.ts'
import type {AccountFacts} from './controls.ts'
import {type Stage, StepFailure, type StepOutcome} from './stage.ts'
import type {StepFields, ThingKind} from './step-schemas.ts'

type Fields = Record<string, unknown>

const tokenDefault = 'USDC'

const pick = (fields: Fields, ...names: string[]): Fields =>
  omitUndefined(Object.fromEntries(names.map((name) => [name, fields[name]])))

const make = (name: string, kind: ThingKind, idField: string, fields: Fields, ...shown: string[]): StepOutcome => ({
  result: pick(fields, idField, ...shown),
  made: {name, thing: {kind, id: String(fields[idField]), fields}},
})

type Submission = Pick<StepFields<'submit'>, 'data' | 'kyc' | 'kyb'>
type Names = Pick<StepFields<'customer'>, 'firstName' | 'lastName' | 'businessName'>

// The verification data of a customer of this type, if the step has any.
function buildSubmission(isBusiness: boolean, {data, kyc, kyb}: Submission, names: Names): Fields {
  const complete = (base: Fields) => (data === 'complete' ? base : {})
  const isForBusiness = kyb !== undefined || (isBusiness && kyc === undefined)
  const changes = isForBusiness ? kyb : kyc
  if (data === undefined && changes === undefined) return {}
  const base = isForBusiness
    ? complete(createCompleteKyb(names.businessName))
    : complete(createCompleteKyc(names.firstName, names.lastName))
  return {[isForBusiness ? 'kybData' : 'kycData']: attachSamples(overrideData(base, changes ?? {}))}
}

function findExistingCustomer({sandbox}: Stage, name: string, existing: string): StepOutcome {
  const customer = sandbox.scenarios.findCustomer(existing)
  if (!customer) throw new StepFailure(`a customer with the name or email ${JSON.stringify(existing)}`, 'none')
  return make(name, 'customer', 'customerId', customer, 'customerStatus')
}

export async function createCustomer(stage: Stage, step: StepFields<'customer'>): Promise<StepOutcome> {
  const {customer: name, existing, type, email = `${name.toLowerCase()}@example.com`} = step
  if (existing !== undefined) return findExistingCustomer(stage, name, existing)
  const isBusiness = type === 'BUSINESS'
  const {firstName = isBusiness ? undefined : name, lastName = isBusiness ? undefined : 'Lindqvist'} = step
  const {businessName = isBusiness ? `${name} Ltd` : undefined} = step
  const names = {firstName, lastName, businessName}
  const body = omitUndefined({
    customerType: type,
    email,
    ...names,
    ...buildSubmission(isBusiness, step, names),
  })
  const reply = await sendRequest(stage.sandbox, {method: 'POST', target: '/customers', body})
  return make(name, 'customer', 'customerId', reply, 'customerStatus')
}

export async function submitData(stage: Stage, step: StepFields<'submit'>): Promise<StepOutcome> {
  const customer = stage.sandbox.scenarios.readCustomer(step.submit)
  const isBusiness = customer?.customerType === 'BUSINESS'
  const [firstName, ...lastNames] = customer?.name.split(' ') ?? []
  const names = {firstName, lastName: lastNames.join(' ') || undefined, businessName: customer?.name}
  const reply = await sendRequest(stage.sandbox, {
    method: 'PATCH',
    target: `/customers/${encodeURIComponent(step.submit)}`,
    body: buildSubmission(isBusiness, step, names),
  })
  return {result: pick(reply, 'customerId', 'customerStatus')}
}

type PricedRoute = Omit<StepFields<'quote'>, 'quote'>
type Route = Omit<PricedRoute, 'amount' | 'guarantee'>

// An automatic fiat account takes every rail of its currency. A wallet holds every token of its chain.
const chooseMethod = (account: AccountFacts | undefined) =>
  account?.method ?? (account?.currency ? listRails(account.currency)[0] : undefined)

const chooseCurrency = (account: AccountFacts | undefined, method: string | undefined) =>
  account?.currency ?? (method !== undefined && isFiat(method) ? currencyOfRail[method] : tokenDefault)

// The methods and currencies are those of the accounts, unless the step names others. An account that does not exist is left to
// the service.
function buildRoute({sandbox}: Stage, route: Route) {
  const [source, destination] = [route.from, route.to].map((id) => sandbox.scenarios.readAccount(id))
  const sourcePaymentMethod = route.fromMethod ?? chooseMethod(source)
  const destinationPaymentMethod = route.toMethod ?? chooseMethod(destination)
  return {
    customerId: route.of ?? source?.customerId ?? destination?.customerId,
    source: omitUndefined({
      sourcePaymentAccountId: route.from,
      sourceCurrency: route.fromCurrency ?? chooseCurrency(source, sourcePaymentMethod),
      sourcePaymentMethod,
    }),
    destination: omitUndefined({
      destinationPaymentAccountId: route.to,
      destinationPaymentMethod,
      destinationCurrency: route.toCurrency ?? chooseCurrency(destination, destinationPaymentMethod),
    }),
    ...(route.developerFee !== undefined && {
      developerFee: {
        developerFeeType: route.developerFeeType ?? 'SOURCE_CURRENCY',
        developerFeeAmount: route.developerFee,
      },
    }),
  }
}

function requestQuote(stage: Stage, step: PricedRoute): Promise<Fields> {
  const {customerId, source, ...others} = buildRoute(stage, step)
  const body = omitUndefined({
    customerId,
    source: {...source, sourceAmount: step.amount},
    ...others,
    guaranteeQuote: step.guarantee,
  })
  return sendRequest(stage.sandbox, {method: 'POST', target: '/quotes', body})
}

interface Sending {
  quoteId: unknown
  key: string
  correlationId?: string | undefined
}

function sendTransaction({sandbox}: Stage, {quoteId, key, correlationId}: Sending): Promise<Fields> {
  const body = omitUndefined({quoteId, correlationId})
  return sendRequest(sandbox, {method: 'POST', target: '/transactions', body, idempotencyKey: key})
}

const makeTransaction = (name: string, reply: Fields) =>
  make(name, 'transaction', 'transactionId', reply, 'transactionStatus')

export async function createQuote(stage: Stage, step: StepFields<'quote'>): Promise<StepOutcome> {
  const reply = await requestQuote(stage, step)
  return make(step.quote, 'quote', 'quoteId', reply, 'destinationAmount', 'expiresAt')
}

export async function createTransaction(stage: Stage, step: StepFields<'transaction'>): Promise<StepOutcome> {
  const {transaction: name, quote: quoteId, key = name, correlationId} = step
  return makeTransaction(name, await sendTransaction(stage, {quoteId, key, correlationId}))
}

// A quote and a transaction, one after the other.
export async function pay(stage: Stage, step: StepFields<'pay'>): Promise<StepOutcome> {
  const {pay: name, key = name, correlationId} = step
  const {quoteId} = await requestQuote(stage, step)
  return makeTransaction(name, await sendTransaction(stage, {quoteId, key, correlationId}))
}

export async function createRule(stage: Stage, step: StepFields<'rule'>): Promise<StepOutcome> {
  const {customerId, ...template} = buildRoute(stage, step)
  const {rule: name, amount, percent, cron, threshold} = step
  const body = {
    name,
    customerId,
    transactionTemplate: {
      ...template,
      amount: percent === undefined ? {type: 'FLAT', value: amount} : {type: 'PCT', value: percent},
    },
    trigger:
      cron === undefined
        ? {type: 'THRESHOLD_BASED', thresholdAmount: threshold}
        : {type: 'TIME_BASED', cronSchedule: cron},
  }
  const reply = await sendRequest(stage.sandbox, {method: 'POST', target: '/automation-rules', body})
  return make(name, 'rule', 'id', reply)
}

export async function deleteRule({sandbox}: Stage, ruleId: string): Promise<void> {
  await sendRequest(sandbox, {method: 'DELETE', target: `/automation-rules/${encodeURIComponent(ruleId)}`})
}

export async function sendOwnRequest({sandbox}: Stage, step: StepFields<'request'>): Promise<StepOutcome> {
  const [method = '', target = ''] = step.request.split(' ')
  const reply = await sendRequest(sandbox, {
    method,
    target,
    ...('body' in step && {body: attachSamples(step.body)}),
    idempotencyKey: step.key,
  })
  if (step.as === undefined) return {}
  return {made: {name: step.as, thing: {kind: 'reply', id: '', fields: reply}}}
}

// Sends the requests of a scenario to the service in this process, as a client would. Time that a fault takes does not pass.
interface ScenarioRequest {
  method: string
  // Path and query.
  target: string
  body?: unknown
  idempotencyKey?: string | undefined
}

// The service refused the request, or no reply arrived that could be read.
export class RequestFailure extends Error {
  override name = 'RequestFailure'
  // The service's own code, or NO_REPLY or UNREADABLE_REPLY.
  readonly error: string

  constructor(error: string, message: string) {
    super(message)
    this.error = error
  }
}

function parseReply(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new RequestFailure('UNREADABLE_REPLY', 'the reply is not JSON')
  }
}

async function sendRequest(
  sandbox: Pick<Sandbox, 'apiKey' | 'handle'>,
  {method, target, body, idempotencyKey}: ScenarioRequest,
): Promise<Record<string, unknown>> {
  const headers: Readonly<Record<string, string | undefined>> = {
    authorization: `Bearer ${sandbox.apiKey}`,
    'content-type': body === undefined ? undefined : 'application/json',
    'x-idempotency-key': idempotencyKey,
  }
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const reply = await sandbox.handle({method, target, header: (name) => headers[name], body: async () => bytes})
  if (reply.fault?.breaks) throw new RequestFailure('NO_REPLY', 'the connection ended before a whole reply had arrived')
  const content = parseReply(typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString())
  if (isSuccess(reply.status)) return content
  const {error = `HTTP_${reply.status}`, message = ''} = content as {error?: string; message?: string}
  throw new RequestFailure(error, message)
}

// Verification data of invented people and businesses, with everything that a review asks for.
const createPerson = (firstName: string, lastName: string): Fields => ({
  legalFirstName: firstName,
  legalLastName: lastName,
  // From a range that is reserved for fiction.
  phoneNumber: '+447700900123',
  dateOfBirth: '1988-03-14',
  address: createDemoAddress('GB'),
  nationality: 'GB',
  documents: [
    {
      type: 'GOVERNMENT_ID',
      subtype: 'PASSPORT',
      countryCode: 'GB',
      documentIdNumber: 'SPECIMEN1',
      issuanceDate: '2022-06-01',
      expirationDate: '2042-06-01',
      frontIdImage: getSampleUri(),
    },
  ],
})

const createCompleteKyc = (firstName = 'Ada', lastName = 'Lindqvist'): Fields => createPerson(firstName, lastName)

const createCompleteKyb = (businessName = 'Driftwood Books Ltd'): Fields => ({
  businessInfo: {legalBusinessName: businessName, registrationCountry: 'GB'},
  businessRegisteredAddress: createDemoAddress('GB'),
  associatedPersons: [createPerson('Robin', 'Merriweath')],
  businessDocuments: [{type: 'ARTICLES_OF_INCORPORATION', documentImage: getSampleUri()}],
})

// Fields override, also inside objects. A list replaces the whole list, and null leaves the field out.
function overrideData(base: Fields, changes: Fields): Fields {
  const merged: Fields = {...base}
  for (const [key, value] of Object.entries(changes)) {
    const before = merged[key]
    if (value === null) delete merged[key]
    else merged[key] = isRecord(before) && isRecord(value) ? overrideData(before, value) : value
  }
  return merged
}

// A document in the file needs no image of its own: sample stands for one.
function attachSamples(value: unknown, key = ''): unknown {
  if (value === 'sample' && key.endsWith('Image')) return getSampleUri()
  if (Array.isArray(value)) return value.map((item) => attachSamples(item))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, attachSamples(item, name)]))
}
