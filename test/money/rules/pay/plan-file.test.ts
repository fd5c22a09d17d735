// Flags alone are read without a schema, to the same plan.
import {expect, it} from 'vitest'
import {coerceToSchema, mergeBodies} from '../../../../src/cli/body/body.ts'
import {planFile} from '../../../../src/payments/pay/plan-file.ts'
import {checkPlan, readPlan} from '../../../../src/payments/pay/plan.ts'
import {toRouteBody} from '../../../../src/quotes/route-fields.ts'

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

it('takes one of both: an amount to send, or what is to arrive', () => {
  const {problems} = checkPlan({source: {sourceAmount: '3'}, receive: '230'}, [])
  expect(problems).toContainEqual(
    expect.objectContaining({message: expect.stringContaining('only one of them may be')}),
  )
})
