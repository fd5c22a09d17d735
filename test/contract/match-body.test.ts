// isValidBody accepts exactly the plain bodies in which zod finds no problem.
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {isValidBody} from '../../src/contract/match-body.ts'
import {findProblems} from '../../src/contract/problems.ts'
import {quoteCreate} from '../../src/contract/quotes.ts'
import {transactionCreate} from '../../src/contract/transactions.ts'
import {bodies as wholeBodies} from '../../src/contract/wire.frozen.ts'
import {hostileTexts} from '../support/hostile.ts'
import {seed} from '../support/seed.ts'

const schemas = {'quotes.create': quoteCreate, 'transactions.create': transactionCreate}

const uuid = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'
const quote = {
  customerId: uuid,
  source: {
    sourcePaymentAccountId: 'acc_1',
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '10.00',
  },
  destination: {
    destinationPaymentAccountId: 'acc_2',
    destinationPaymentMethod: 'ACH',
    destinationCurrency: 'USD',
  },
  developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'},
  guaranteeQuote: true,
}
const {developerFee: _fee, guaranteeQuote: _guarantee, ...plainQuote} = quote
const bodies = {
  'quotes.create': [quote, plainQuote],
  'transactions.create': [{quoteId: 'q1', correlationId: 'c1'}, {quoteId: 'q1'}],
}

type Fields = Record<string, unknown>

const values: unknown[] = [
  undefined,
  null,
  true,
  0,
  '',
  ' ',
  'x',
  uuid,
  uuid.toUpperCase(),
  `${uuid}\n`,
  `{${uuid}}`,
  uuid.replaceAll('-', ''),
  'ACH',
  'ach',
  'USD',
  'SOURCE_CURRENCY',
  '1.',
  '.5',
  '1e3',
  '-1',
  '1,5',
  '1\n',
  '٣',
  '0',
  '9'.repeat(30),
  '9'.repeat(31),
  `0.${'1'.repeat(30)}`,
  `0.${'1'.repeat(31)}`,
  [],
  {},
  ['ACH'],
  {sourceAmount: '1'},
  JSON.rawJSON('12.50'),
  new Date(0),
  Object.create({quoteId: 'q1'}),
  new Map(),
  ...hostileTexts,
]

const names = [
  ...Object.keys(quote),
  ...Object.keys(quote.source),
  ...Object.keys(quote.destination),
  ...Object.keys(quote.developerFee),
  'quoteId',
  'correlationId',
  'kycLink',
  '__proto__',
  'constructor',
  'toString',
]

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

// One change of a body: a field of one of its objects gets another value, or is removed.
interface Change {
  within: string | undefined
  name: string
  value: unknown
  isRemoved: boolean
}

function applyChange(body: Fields, {within, name, value, isRemoved}: Change): void {
  const inner = within === undefined ? body : body[within]
  const holder = isObject(inner) ? inner : body
  if (isRemoved) delete holder[name]
  else Object.defineProperty(holder, name, {value, enumerable: true, configurable: true, writable: true})
}

const changes = fc.array(
  fc.record({
    within: fc.constantFrom(undefined, 'source', 'destination', 'developerFee'),
    name: fc.oneof({weight: 9, arbitrary: fc.constantFrom(...names)}, {weight: 1, arbitrary: fc.string()}),
    value: fc.oneof(
      {weight: 6, arbitrary: fc.constantFrom(...values)},
      {weight: 1, arbitrary: fc.anything()},
      {weight: 1, arbitrary: fc.uuid()},
      {weight: 1, arbitrary: fc.stringMatching(/^\d{0,3}[.,]?\d{0,3}$/)},
    ),
    isRemoved: fc.boolean(),
  }),
  {maxLength: 3},
)

const isExotic = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (!isObject(value) || Object.values(value).some(isExotic))

const runs = 1500

it.each(['quotes.create', 'transactions.create'] as const)('accepts what the schema of %s accepts', (endpoint) => {
  let [accepted, rejected] = [0, 0]
  const isAccepted = (body: unknown) => {
    const isValid = isValidBody(endpoint, body)
    const hasProblems = findProblems(schemas[endpoint], body).length > 0
    if (isValid) accepted++
    else rejected++
    // What is no plain data is left to zod, but never accepted without it.
    return isExotic(body) ? !(isValid && hasProblems) : isValid === !hasProblems
  }
  fc.assert(
    fc.property(fc.constantFrom<Fields>(...bodies[endpoint]), changes, (body, made) => {
      const changed = structuredClone(body)
      for (const change of made) applyChange(changed, change)
      return isAccepted(changed)
    }),
    {seed, numRuns: runs},
  )
  expect([...values, ...bodies[endpoint]].filter((value) => !isAccepted(value))).toEqual([])
  // Both kinds were among them.
  expect(Math.min(accepted, rejected)).toBeGreaterThan(runs / 20)
})

it('leaves the bodies of other endpoints to zod', () => {
  expect(Object.keys(wholeBodies)).toEqual(['quotes.create', 'transactions.create'])
  expect(isValidBody('customers.create', {})).toBe(false)
  expect(isValidBody('toString', {})).toBe(false)
})
