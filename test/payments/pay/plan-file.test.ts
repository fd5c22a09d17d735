// The quick check of the fields that only svc uses gives the same result as their schema.
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {coerceToSchema, mergeBodies} from '../../../src/cli/body/body.ts'
import {findProblems} from '../../../src/contract/problems.ts'
import {ownPlanFields, planFile} from '../../../src/payments/pay/plan-file.ts'
import {hasValidOwnFields, readPlan} from '../../../src/payments/pay/plan.ts'
import {toQuoteKey} from '../../../src/payments/protocol/payment.ts'
import {toRouteBody} from '../../../src/quotes/route-fields.ts'
import {hostileTexts} from '../../support/hostile.ts'
import {seed} from '../../support/seed.ts'

const wrongAmounts = ['', '100.1%', '1 %', '-1', '1.', '1\n', '9'.repeat(31)]
const others = [undefined, null, 1, true, {}, [], JSON.rawJSON('1.50')]
const texts = ['rent', toQuoteKey('q1'), '1', '1.5%', '100%', ...hostileTexts]

const value = fc.oneof(
  fc.constantFrom<unknown>(...wrongAmounts, ...others, ...texts),
  fc.stringMatching(/^\d{0,3}\.?\d{0,2}%?$/),
)

const fields = fc.record({key: value, maxFee: value, minRate: value, minReceived: value}, {requiredKeys: []})

it('recognizes valid fields as the schema does', () => {
  fc.assert(
    fc.property(fields, (own) => {
      expect(hasValidOwnFields(own)).toBe(findProblems(ownPlanFields, own).length === 0)
    }),
    {seed, numRuns: 1500},
  )
})

it('reads flags as the schema would', async () => {
  const flags = {
    customer: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    from: '0123',
    'from-currency': 'USDC',
    to: 'true',
    amount: '0010.00',
    'developer-fee': '1.50',
    guarantee: true,
  }
  const fieldsOfFlags = mergeBodies({}, {...toRouteBody(flags), guaranteeQuote: flags.guarantee})
  const {fields: read} = await readPlan(flags)
  expect(read).toEqual({
    ...coerceToSchema(fieldsOfFlags, planFile),
    developerFee: {developerFeeAmount: '1.50', developerFeeType: 'SOURCE_CURRENCY'},
  })
})
