// What each endpoint of the interface takes and what it refuses: one row per rule. A refusal names the field, and changes nothing.
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {errorBody} from '../../src/contract/openapi.ts'
import {documentImage} from '../features/values/images.ts'
import {
  type AccountEnd,
  type AccountEnds,
  call,
  completeKyb,
  completeKyc,
  createCustomer,
  dumpTables,
  endNames,
  findAccountEnds,
  grace,
  listAllCustomers,
  listAllTransactions,
  listPage,
  nobody,
  openShared,
  openTemporary,
  quoteBody,
  requestQuote,
  requestTo,
  toRoute,
  zoe,
} from './open.ts'

const {sandbox, file} = openShared()
const ends = findAccountEnds(sandbox)
const {wallet, deposits, ACH, WIRE, SEPA} = ends
const other = findAccountEnds(sandbox, (await listAllCustomers(sandbox)).findLast(isActive)?.customerId)
const individual = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}
const business = {customerType: 'BUSINESS', email: 'books@example.com'}
const person = (await createCustomer(sandbox)).customerId
const company = (await createCustomer(sandbox, business)).customerId
const locked = (await createCustomer(sandbox, {...business, kybData: completeKyb})).customerId

const ruleBody = (more: object = {}, template: object = {}) => ({
  name: 'Payroll',
  customerId: zoe,
  transactionTemplate: {...toRoute(wallet, ACH), amount: {type: 'FLAT', value: '25.00'}, ...template},
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
  ...more,
})
const {body: created} = await call(sandbox, 'POST', '/automation-rules', ruleBody())
const ruleId = (created as {id: string}).id

function isActive({customerStatus}: {customerStatus: string}): boolean {
  return customerStatus === 'ACTIVE'
}

type Sent = readonly [line: string, body?: unknown, headers?: Record<string, string>]
type Refused = [rule: string, sent: Sent, status: string, ...named: string[]]

const quote = (from: AccountEnd, to: AccountEnd, amount: string, more?: object): Sent => [
  'POST /quotes',
  quoteBody(from, to, amount, more),
]
const withFee = (developerFeeAmount: string) => ({developerFee: {developerFeeType: 'USD', developerFeeAmount}})
const rule = (more?: object, template?: object): Sent => ['POST /automation-rules', ruleBody(more, template)]
const put = (more: object): Sent => [`PUT /automation-rules/${ruleId}`, {...ruleBody(), id: ruleId, ...more}]
const list = (query: string): Sent => [`GET /customers?${query}`]
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const nested = '['.repeat(300_000) + ']'.repeat(300_000)
const small = documentImage('png', {bytes: 0})

const wrongKyc = {
  dateOfBirth: '2090-01-01',
  nationality: 'UK',
  nationalIdType: 'TIN',
  nationalIdNumber: '1',
  nationalIdIssuingCountry: 'EU',
  address: {countryCode: 'AR', postalCode: '12'},
  documents: [{countryCode: 'UK', backIdImage: small}],
}
const wrongKycFields = [
  'kycData.dateOfBirth',
  'kycData.nationality',
  'United Kingdom is GB',
  'kycData.nationalIdIssuingCountry',
  'kycData.address.postalCode',
  'kycData.documents[0].countryCode',
  'kycData.documents[0].backIdImage',
]
const wrongKyb = {
  businessInfo: {registrationCountry: 'EU', formationDate: '2030-01-01'},
  businessRegisteredAddress: {countryCode: 'GB', postalCode: '12345'},
  businessOperatingAddress: {countryCode: 'EL'},
  associatedPersons: [{}, {dateOfBirth: '2090-01-01', documents: [{frontIdImage: small}]}],
  businessDocuments: [{documentImage: 'data:image/gif;base64,AAAA'}],
}
const wrongKybFields = [
  'kybData.businessInfo.registrationCountry',
  'kybData.businessInfo.formationDate',
  'kybData.businessRegisteredAddress.postalCode',
  'kybData.businessOperatingAddress.countryCode',
  'kybData.associatedPersons[1].dateOfBirth',
  'kybData.associatedPersons[1].documents[0].frontIdImage',
  'kybData.businessDocuments[0].documentImage is image/gif',
]

const bad = '400 BAD_REQUEST'
const missing = '404 NOT_FOUND'
const amountField = 'source.sourceAmount'
const destinationField = 'destination.destinationPaymentAccountId'

const refused: Refused[] = [
  ['an unknown path', ['GET /nowhere'], missing],
  ['another method', ['DELETE /customers'], '405 METHOD_NOT_ALLOWED', 'POST, GET'],
  ['an account that is created over the API', ['POST /payment-accounts', {}], '405 METHOD_NOT_ALLOWED'],
  ...['/exchange-rates', '/exchange-rate', '/organizations', '/transactions/some-id'].map((path): Refused => [
    'an endpoint that the interface does not show',
    [`GET ${path}`],
    missing,
  ]),
  ...['/customers/%FF', '/customers/%'].map((path): Refused => ['a path without a meaning', [`GET ${path}`], bad]),
  ...['{', '', 'nonsense', '\ufffe', Buffer.from([0x22, 0xff, 0x22])].map((text): Refused => [
    'a body that is no JSON in UTF-8',
    ['POST /customers', text],
    bad,
    'the body',
  ]),
  ...[nested, `{"email":${nested}}`].map((text): Refused => [
    'deep JSON',
    ['POST /customers', text],
    bad,
    'nested too deeply',
  ]),
  ...['abc', '0', '101', '-1', '1.5', '', '1e1', '0x10', '99999999999999999999'].map((size): Refused => [
    'a page size out of its range',
    list(`pageSize=${size}`),
    bad,
    'pageSize ',
  ]),
  ...['x', encode(null), encode(['customers']), encode(['transactions', 1, 1]), encode(['customers', 1.5, 2, 3])].map(
    (token): Refused => ['a page token of nobody', list(`pageToken=${token}`), bad, 'pageToken '],
  ),
  ['a parameter that is repeated', list('pageSize=1&pageSize=2'), bad, 'pageSize '],
  ['an organization that is not a UUID', list('organizationId=7'), bad, 'organizationId '],
  ['a parameter that is neither true nor false', [`GET /customers/${zoe}?includePaymentMethods=yes`], bad, 'include'],
  ['a list of accounts of nobody', ['GET /payment-accounts'], bad, 'customerId is required'],
  ['a filter by an account that is not a UUID', ['GET /transactions?paymentAccountId=a'], bad, 'paymentAccountId'],
  ...endpointEntries.flatMap(({endpoint: {method, path, params, body}}): Refused[] =>
    params && !body
      ? [['an id that does not exist', [`${method} ${path.replace(/\{\w+\}/, nobody)}`], missing, nobody]]
      : [],
  ),

  ['malformed KYC data at creation', ['POST /customers', {...individual, kycData: wrongKyc}], bad, ...wrongKycFields],
  ['malformed KYC data', [`PATCH /customers/${person}`, {kycData: wrongKyc}], bad, ...wrongKycFields],
  ['malformed KYB data at creation', ['POST /customers', {...business, kybData: wrongKyb}], bad, ...wrongKybFields],
  ['malformed KYB data', [`PATCH /customers/${company}`, {kybData: wrongKyb}], bad, ...wrongKybFields],
  ...[{}, {kycData: {}}, {kycData: {address: {}}}].map((body): Refused => [
    'a submission without content',
    [`PATCH /customers/${person}`, body],
    bad,
    'kycData',
  ]),
  [
    'KYC data of a business',
    [`PATCH /customers/${company}`, {kycData: completeKyc}],
    bad,
    'kycData is for individuals: a business submits kybData',
  ],
  [
    'malformed data of a locked customer, which is refused for its status',
    [`PATCH /customers/${locked}`, {kybData: {businessRegisteredAddress: {countryCode: 'XX'}}}],
    '400 PATCH_NOT_ALLOWED',
    'UNDER_REVIEW',
  ],
  [
    'a magic value that is misspelt',
    [`PATCH /customers/${person}`, {kycData: {accountPurposeOther: 'MAGIC_DOC_QUALITY_POR'}}],
    bad,
    'kycData.accountPurposeOther contains MAGIC_DOC_QUALITY_POR, which is not a magic value',
  ],

  ['a quote without an amount above zero', quote(wallet, ACH, '0'), bad, amountField],
  ['a quote of more decimals than the currency has', quote(ACH, wallet, '10.001'), bad, amountField],
  ['a quote of more decimals than the token has', quote(wallet, ACH, '10.0000001'), bad, amountField],
  ['a quote of more than the maximum', quote(wallet, ACH, '9'.repeat(30)), bad, amountField],
  ['a quote whose fees are as large as its amount', quote(wallet, WIRE, '5'), bad, amountField],
  ['a quote with a developer fee as large as its amount', quote(wallet, ACH, '10', withFee('10')), bad, amountField],
  ['a developer fee of too many decimals', quote(wallet, ACH, '10', withFee('0.001')), bad, 'developerFeeAmount'],
  ['a quote from fiat to fiat', quote(ACH, SEPA, '10'), bad, 'destination.destinationPaymentMethod'],
  ['a quote to an automatic fiat account', quote(wallet, deposits, '10'), bad, destinationField],
  ['a quote to its own source', quote(wallet, {...wallet, id: wallet.id.toUpperCase()}, '10'), bad, destinationField],
  ['a method of another account', quote(wallet, {...ACH, method: 'WIRE'}, '10'), bad, 'destinationPaymentMethod'],
  ['a chain of another wallet', quote({...wallet, method: 'POLYGON'}, ACH, '10'), bad, 'source.sourcePaymentMethod'],
  ['a currency that the rail does not move', quote({...SEPA, currency: 'USD'}, wallet, '10'), bad, 'sourceCurrency'],
  ['a currency that is not on the chain', quote(ACH, {...wallet, currency: 'DOGE'}, '10'), bad, 'destinationCurrency'],
  ['an account of another customer', quote(other.wallet, ACH, '10'), bad, 'source.sourcePaymentAccountId'],
  ['an account that does not exist', quote(wallet, {...ACH, id: nobody}, '10'), missing, destinationField],
  ['a quote for nobody', quote(wallet, ACH, '10', {customerId: nobody}), missing, nobody],
  ['a quote for a customer who is not ACTIVE', quote(wallet, ACH, '10', {customerId: grace}), bad, 'customerId'],
  [
    'a quote with problems at both ends',
    quote({...wallet, currency: 'EUR'}, {...ACH, method: 'SEPA', currency: 'EUR'}, '10'),
    bad,
    'source.sourceCurrency',
    'destinationPaymentMethod',
    'destinationCurrency',
  ],
  ['a transaction without a key', ['POST /transactions', {quoteId: 'q'}], bad, 'x-idempotency-key is required'],
  [
    'a transaction of no quote',
    ['POST /transactions', {quoteId: 'quote_nothing'}, {'x-idempotency-key': 'k'}],
    missing,
    'quoteId',
  ],

  ['a rule that pays from a bank account', rule({}, toRoute(ACH, SEPA)), bad, 'sourcePaymentAccountId'],
  ['a rule that pays to an automatic fiat account', rule({}, toRoute(wallet, deposits)), bad, destinationField],
  ['a rule with another method', rule({}, toRoute(wallet, {...ACH, method: 'SEPA'})), bad, 'destinationPaymentMethod'],
  ['a rule with another currency', rule({}, toRoute(wallet, {...ACH, currency: 'EUR'})), bad, 'destinationCurrency'],
  ['a rule of no amount', rule({}, {amount: {type: 'FLAT', value: '0.00'}}), bad, 'amount.value'],
  ...['101', '100.00000000000000000001'].map((value): Refused => [
    'a rule of more than all',
    rule({}, {amount: {type: 'PCT', value}}),
    bad,
    'amount.value',
  ]),
  ...['0 25 * * *', '0 0 31 2 *'].map((cronSchedule): Refused => [
    'a schedule that never fires',
    rule({trigger: {type: 'TIME_BASED', cronSchedule}}),
    bad,
    'trigger.cronSchedule',
  ]),
  ['no threshold', rule({trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '0'}}), bad, 'trigger.thresholdAmount'],
  ['a rule that changes its name', put({name: 'Rent'}), bad, 'name cannot be changed'],
  ['a rule that changes its id', put({id: 'rule_other'}), bad, 'id cannot be changed'],
  [
    'a rule that changes its trigger',
    put({trigger: {type: 'TIME_BASED', cronSchedule: '0 10 * * *'}}),
    bad,
    'trigger cannot be changed',
  ],
]

// What is written whatever becomes of a request.
const traces = ['requests', 'idempotencyKeys', 'sandbox']

describe('the interface refuses', () => {
  const before = dumpTables(file, traces)

  it.each(refused)('%s', async (_, [line, body, headers], expected, ...named) => {
    const [method = '', path = ''] = line.split(' ')
    const reply = await call(sandbox, method, path, body, headers)
    const {error, message, statusCode} = errorBody.strict().parse(reply.body)
    expect(`${reply.status} ${error}`).toBe(expected)
    expect(statusCode).toBe(reply.status)
    for (const text of named) expect(message).toContain(text)
  })

  it('a request whatever it is, and changes nothing', () => {
    expect(dumpTables(file, traces)).toBe(before)
  })
})

describe('the interface takes', () => {
  it.each([
    ['first and last name', {...individual, firstName: 'Ada', lastName: 'Brandtner'}, 'Ada Brandtner'],
    ['the first name alone', {...individual, firstName: 'Ada'}, 'Ada'],
    ['the business name', {...business, businessName: 'Copper & Co'}, 'Copper & Co'],
    ['KYC data', {...individual, kycData: {legalFirstName: 'Ines', legalLastName: 'Vardø'}}, 'Ines Vardø'],
    ['KYB data', {...business, kybData: completeKyb}, 'Driftwood Books Ltd'],
    ['the email when there is nothing else', individual, 'ines@example.com'],
  ])('the name of a customer from %s', async (_, body, name) => {
    expect((await createCustomer(sandbox, body)).name).toBe(name)
  })

  // The interface asks for the format of a phone number and of a country, and svc alone knows which of them exist.
  it.each([
    ['a phone number that does not exist', {phoneNumber: '+999123456789'}],
    ['a country code of its users', {nationality: 'XK', address: {countryCode: 'XK', postalCode: '10000'}}],
    ['a postal code of a country with several formats', {address: {countryCode: 'AZ', postalCode: 'AZ 1000'}}],
  ])('%s', async (_, kycData) => {
    expect((await createCustomer(sandbox, {kycData})).customerStatus).toBe('CREATED')
  })

  it.each([
    ['the id of a customer at both paths and in any case', `/customer/${zoe.toUpperCase()}`, {customerId: zoe}],
    ['a path that is encoded', `/customers/${zoe.replace('-', '%2D')}`, {customerId: zoe}],
    ['a parameter that it does not know', '/customers?colour=blue', {customers: {length: 10}}],
    ['an account filter of nobody', `/payment-accounts?customerId=${nobody}`, {paymentAccounts: []}],
    ['an organization of nobody', `/customers?organizationId=${nobody}`, {customers: []}],
  ])('%s', async (_, path, expected) => {
    expect((await call(sandbox, 'GET', path)).body).toMatchObject(expected)
  })

  it('any version that a client asks for, and ignores it', async () => {
    const versions = {'x-api-version': '2024-01-01', 'svc-version': '2024-01-01', 'accept-version': '1'}
    expect((await call(sandbox, 'GET', '/customers', undefined, versions)).status).toBe(200)
  })

  it.each(['0', '0.0', '99.99999999999999999999', '100', '0100.00'])('%s percent in a rule', async (value) => {
    const reply = await call(sandbox, 'POST', '/automation-rules', ruleBody({}, {amount: {type: 'PCT', value}}))
    expect(reply).toMatchObject({status: 200, body: {transactionTemplate: {amount: {type: 'PCT', value}}}})
  })

  it('a change of the destination, the developer fee and the amount of a rule', async () => {
    const changes = {...toRoute(wallet, SEPA), amount: {type: 'PCT', value: '50'}, ...withFee('1.00')}
    const body = {...ruleBody({}, changes), id: ruleId}
    const {status, body: changed} = await call(sandbox, 'PUT', `/automation-rules/${ruleId}`, body)
    expect([status, changed]).toEqual([200, (await call(sandbox, 'GET', `/automation-rules/${ruleId}`)).body])
    expect(changed).toMatchObject({
      transactionTemplate: {
        amount: {type: 'PCT', value: '50'},
        destination: {destinationCurrency: {label: 'EUR'}},
        developerFee: {developerFeeAmount: '1.00'},
      },
    })
  })
})

const isFiat = ({method}: AccountEnd) => method !== wallet.method

describe('a quote', () => {
  const routes = endNames.flatMap((from) => endNames.map((to) => [from, to] as const))
  const isOffered = (from: keyof AccountEnds, to: keyof AccountEnds) =>
    from !== to && to !== 'deposits' && !(isFiat(ends[from]) && isFiat(ends[to]))

  it.each(routes.filter(([from, to]) => isOffered(from, to)))('prices the route from %s to %s', async (from, to) => {
    const body = quoteBody(ends[from], ends[to], '500')
    const {quoteId, expiresAt, estimatedExchangeRate, destinationAmount, fees} = await requestQuote(sandbox, body)
    expect([quoteId, expiresAt]).toEqual([expect.stringMatching(/^quote_[0-9a-f]{24}$/), '2026-11-15T12:05:00Z'])
    expect(fees.feeCurrency.label).toBe(ends[from].currency)
    const taken = Number(fees.svcFee.feeAmount) + Number(fees.developerFee?.feeAmount)
    expect(taken).toBeGreaterThan(0)
    const expected = (500 - taken) * Number(estimatedExchangeRate)
    expect(Number(destinationAmount)).toBeLessThanOrEqual(expected)
    expect(Number(destinationAmount)).toBeGreaterThan(expected - 0.011)
  })

  it('is refused for every other route', async () => {
    for (const [from, to] of routes.filter(([one, two]) => !isOffered(one, two)))
      expect([from, to, (await call(sandbox, ...post(from, to))).status]).toEqual([from, to, 400])
  })

  const post = (from: keyof AccountEnds, to: keyof AccountEnds) =>
    ['POST', '/quotes', quoteBody(ends[from], ends[to], '500')] as const
})

describe('a list', () => {
  const idsOf = (items: readonly {customerId: string}[]) => items.map(({customerId}) => customerId)

  it('has each item once with every page size, newest first, and no token on its last page', async () => {
    const own = openTemporary()
    own.seedCustomers(80)
    const ids = idsOf(await listAllCustomers(own, {pageSize: 100}))
    expect(new Set(ids).size).toBe(104)
    for (const pageSize of [1, 2, 13, 52, 99]) expect(idsOf(await listAllCustomers(own, {pageSize}))).toEqual(ids)
    const late = [await createCustomer(own), await createCustomer(own)]
    expect(idsOf((await listPage(own, '/customers', {pageSize: 2})).customers)).toEqual(idsOf(late.toReversed()))
    expect(await listPage(own, '/customers', {pageSize: 100})).toHaveProperty('nextPageToken')
    own.faults.setBehaviours({listOrder: 'oldest-first', pageTokenSeconds: 10})
    const reversed = [...idsOf(late).toReversed(), ...ids].toReversed()
    for (const pageSize of [1, 7, 100]) expect(idsOf(await listAllCustomers(own, {pageSize}))).toEqual(reversed)
    const {nextPageToken} = await listPage(own, '/customers', {})
    own.clock.advance(10_000)
    const expired = await call(own, 'GET', `/customers?pageToken=${nextPageToken}`)
    expect(expired.body).toMatchObject({message: expect.stringMatching(/^pageToken has expired/)})
  })

  it('neither skips nor repeats an item if others are created between two pages', async () => {
    const own = openTemporary()
    const ids = idsOf(await listAllCustomers(own))
    const first = await listPage(own, '/customers', {pageSize: 5})
    await createCustomer(own)
    const second = await listPage(own, '/customers', {pageSize: 5, pageToken: first.nextPageToken ?? ''})
    expect(idsOf([...first.customers, ...second.customers])).toEqual(ids.slice(0, 10))
  })

  it('of transactions has exactly those that its filters name, in every order and with every page size', async () => {
    const own = openTemporary()
    const owners = new Map((await listAllCustomers(own)).map((each) => [each.customerId, each.organizationId]))
    const [organizationId = '', elsewhere = ''] = new Set([owners.get(zoe), ...owners.values()])
    const whole = await listAllTransactions(own, {pageSize: 100})
    const filters = {
      customerId: [zoe, nobody],
      paymentAccountId: [wallet.id, nobody],
      organizationId: [organizationId, elsewhere],
    }
    const queries = Object.entries(filters).reduce<Record<string, string>[]>(
      (found, [name, values]) => found.flatMap((each) => [each, ...values.map((value) => ({...each, [name]: value}))]),
      [{}],
    )
    for (const listOrder of ['newest-first', 'oldest-first'] as const) {
      own.faults.setBehaviours({listOrder})
      for (const [index, query] of queries.entries()) {
        const {customerId, paymentAccountId} = query
        const expected = whole.filter(
          (each) =>
            (customerId === undefined || each.customerId === customerId) &&
            (query['organizationId'] === undefined || owners.get(each.customerId) === query['organizationId']) &&
            (paymentAccountId === undefined ||
              each.source.sourcePaymentAccountId === paymentAccountId ||
              each.destination.destinationPaymentAccountId === paymentAccountId),
        )
        const upper = Object.fromEntries(Object.entries(query).map(([name, id]) => [name, id.toUpperCase()]))
        const found = await listAllTransactions(own, {...upper, pageSize: [1, 3, 100][index % 3] ?? 1})
        expect(found).toEqual(listOrder === 'newest-first' ? expected : expected.toReversed())
      }
    }
    expect(new Set(whole.map(({source}) => source.sourcePaymentAccountId === wallet.id)).size).toBe(2)
  })

  it('of an organization has its customers alone, and the organizations together have all', async () => {
    const own = openTemporary()
    const found = await Promise.all(
      own.status().organizations.map(({organizationId}) => listAllCustomers(own, {organizationId, pageSize: 3})),
    )
    for (const each of found) expect(new Set(each.map(({organizationId}) => organizationId)).size).toBe(1)
    expect(found.flat()).toHaveLength(24)
  })
})

describe('a request', () => {
  it.each([
    ['none', undefined],
    ['another key', 'Bearer svc_sandbox_000000000000000000000000'],
    ['another scheme', 'Basic c3ZjOnN2Yw=='],
    ['an empty one', 'Bearer '],
  ])('whose credential is %s is rejected before anything else is checked', async (_, authorization) => {
    for (const path of ['/customers?pageSize=abc', '/nowhere', '/quotes']) {
      const headers: Record<string, string> = authorization === undefined ? {} : {authorization}
      const request = new Request(`http://sandbox.invalid${path}`, {method: 'POST', headers, body: '{'})
      const response = await sandbox.fetch(request)
      expect(errorBody.parse(await response.json())).toMatchObject({error: 'UNAUTHORIZED', statusCode: 401})
    }
  })

  it('can have a JWT that the sandbox issued, until it expires on the virtual clock', async () => {
    const own = openTemporary({seed: 'jwt'})
    const {token, expiresAt} = own.issueToken(15 * 60 * 1_000)
    expect(expiresAt).toBe('2026-11-15T12:15:00.000Z')
    const [header = '', claims = '', signature = ''] = token.split('.')
    const later = Buffer.from('{"exp":9999999999}').toString('base64url')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    const get = async (presented: string) => {
      const reply = await call(own, 'GET', '/customers', undefined, {authorization: `Bearer ${presented}`})
      return (reply.body as {message?: string}).message
    }
    expect(await get(token)).toBeUndefined()
    const foreign = openTemporary({seed: 'other'}).issueToken(60_000).token
    const wrong = [
      `${header}.${later}.${signature}`,
      `${unsigned}.${claims}.x`,
      `${header}.${claims}.${'A'.repeat(43)}`,
    ]
    for (const forged of [...wrong, foreign]) expect(await get(forged)).toBe('The credential is not valid')
    own.clock.advance(15 * 60 * 1_000 - 1)
    expect(await get(token)).toBeUndefined()
    own.clock.advance(1)
    expect(await get(token)).toBe('The credential has expired')
  })

  it('that meets an error of the sandbox is answered without details, and its operator is told', async () => {
    const faults: unknown[] = []
    const own = openTemporary({onFault: (error) => faults.push(error)})
    const request = requestTo(own, 'POST', '/customers')
    Object.defineProperty(request, 'body', {
      get: () => {
        throw new TypeError('the secret inside')
      },
    })
    const text = await (await own.fetch(request)).text()
    expect(JSON.parse(text)).toMatchObject({error: 'INTERNAL_ERROR', statusCode: 500})
    expect(text).not.toMatch(/secret|TypeError|\.ts/)
    expect(faults).toHaveLength(1)
  })
})
