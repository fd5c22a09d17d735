// The plain shapes, which the build freezes, accept exactly what zod accepts, and tell unknown fields of a reply from wrong ones.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../../src/contract/endpoints.ts'
import {isValidBody} from '../../../src/contract/match-body.ts'
import {findProblems} from '../../../src/contract/problems.ts'
import {quoteCreate} from '../../../src/contract/quotes.ts'
import {check} from '../../../src/contract/shape.ts'
import {transactionCreate} from '../../../src/contract/transactions.ts'
import {bodies as wholeBodies, definitions, wire} from '../../../src/contract/wire.frozen.ts'
import {hostileTexts} from '../../support/hostile.ts'
import {seed} from '../../support/seed.ts'

it('the shapes are plain data, so that the build can freeze them', () => {
  expect(JSON.parse(JSON.stringify({wire, definitions}))).toEqual({wire, definitions})
})

describe('parameters, queries and headers', () => {
  const parts = endpointEntries.flatMap(({name, endpoint}) =>
    (['params', 'query', 'headers'] as const).flatMap((part) => {
      const [topic = '', verb = ''] = name.split('.')
      const [schema, shape] = [endpoint[part], wire[topic]?.[verb]?.[part]]
      return schema && shape ? [{name, part, schema, shape}] : []
    }),
  )
  const value = fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    fc.string(),
    fc.integer({min: -2, max: 120}),
    fc.boolean(),
    fc.double(),
    fc.constantFrom('', '0', ' ', undefined),
  )

  // The sandbox therefore needs no schema for most requests without a body.
  it.each(parts)('match their shape if they match the schema, and not otherwise: $part of $name', ({schema, shape}) => {
    const names = Object.keys(schema.shape)
    const fields = fc.record(Object.fromEntries(names.map((field) => [field, value])), {requiredKeys: []})
    fc.assert(
      fc.property(fields, (made) => {
        const isFine = check({...made}, shape, {definitions, strict: true}).length === 0
        expect(isFine).toBe(findProblems(schema, {...made}).length === 0)
      }),
      {seed, numRuns: 500},
    )
  })
})

describe('a body', () => {
  const uuid = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'
  const quote = {
    customerId: uuid,
    source: {sourcePaymentAccountId: 'a', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '10.00'},
    destination: {destinationPaymentAccountId: 'b', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
    developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'},
    guaranteeQuote: true,
  }
  const {developerFee: _fee, guaranteeQuote: _guarantee, ...plainQuote} = quote
  const bodies = {
    'quotes.create': {schema: quoteCreate, valid: [quote, plainQuote]},
    'transactions.create': {schema: transactionCreate, valid: [{quoteId: 'q1', correlationId: 'c1'}, {quoteId: 'q1'}]},
  }

  type Fields = Record<string, unknown>

  const texts = `x ${uuid} ${uuid.toUpperCase()} {${uuid}} ${uuid.replaceAll('-', '')} ACH ach USD SOURCE_CURRENCY 1. .5 1e3 -1 1,5 ٣ 0`
  const odd = [undefined, null, true, 0, '', ' ', [], {}, ['ACH'], {sourceAmount: '1'}, `${uuid}\n`, '1\n']
  const long = ['9'.repeat(30), '9'.repeat(31), `0.${'1'.repeat(30)}`, `0.${'1'.repeat(31)}`]
  const exotic = [JSON.rawJSON('12.50'), new Date(0), Object.create({quoteId: 'q1'}), new Map()] as unknown[]
  const values: unknown[] = [...odd, ...texts.split(' '), ...long, ...exotic, ...hostileTexts]
  const inner = [quote, quote.source, quote.destination, quote.developerFee].flatMap(Object.keys)
  const names = [...inner, ...'quoteId correlationId kycLink __proto__ constructor toString'.split(' ')]

  const isObject = (value: unknown): value is Fields =>
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  const isExotic = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && (!isObject(value) || Object.values(value).some(isExotic))

  // Changes of a body: a field of one of its objects gets another value, or is removed.
  const changes = fc.array(
    fc.record({
      within: fc.constantFrom('', 'source', 'destination', 'developerFee'),
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
  const runs = 1500

  it.each(['quotes.create', 'transactions.create'] as const)('of %s is valid if its schema accepts it', (endpoint) => {
    const {schema, valid} = bodies[endpoint]
    let [accepted, rejected] = [0, 0]
    const isAgreed = (body: unknown) => {
      const isValid = isValidBody(endpoint, body)
      const hasProblems = findProblems(schema, body).length > 0
      if (isValid) accepted++
      else rejected++
      // What is no plain data is left to zod, but never accepted without it.
      return isExotic(body) ? !(isValid && hasProblems) : isValid === !hasProblems
    }
    fc.assert(
      fc.property(fc.constantFrom<Fields>(...valid), changes, (body, made) => {
        const changed = structuredClone(body)
        for (const {within, name, value, isRemoved} of made) {
          const part = changed[within]
          const holder = isObject(part) ? part : changed
          if (isRemoved) delete holder[name]
          else Object.defineProperty(holder, name, {value, enumerable: true, configurable: true, writable: true})
        }
        return isAgreed(changed)
      }),
      {seed, numRuns: runs},
    )
    expect([...values, ...valid].filter((value) => !isAgreed(value))).toEqual([])
    // Both kinds were among them.
    expect(Math.min(accepted, rejected)).toBeGreaterThan(runs / 20)
  })

  it('of another endpoint is left to zod', () => {
    expect(Object.keys(wholeBodies)).toEqual(Object.keys(bodies))
    for (const name of ['customers.create', 'toString']) expect(isValidBody(name, {})).toBe(false)
  })
})
