// The schema of the file of `svc pay -f`: the body of a quote, plus the fields that only svc uses.
import {z} from 'zod'
import {quoteCreate} from '../../contract/quotes.ts'
import {amount, text} from '../../contract/scalars.ts'
import {feeMaxFormat, parseFeeMax} from '../protocol/limits.ts'

export const ownPlanFields = z.object({
  key: text.optional(),
  maxFee: z
    .string()
    .refine((value) => parseFeeMax(value) !== undefined, `must be ${feeMaxFormat}`)
    .optional(),
  minRate: amount.optional(),
  minReceived: amount.optional(),
  receive: amount.optional(),
  maxSend: amount.optional(),
})

export const planFile = z.strictObject({...quoteCreate.shape, ...ownPlanFields.shape})
