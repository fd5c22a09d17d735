// The plan of a payment, from flags and from a file: what is meant, its key, and what it may cost at the most.
import {z} from 'zod'
import {type Problem, findProblems} from '../contract/problems.ts'
import {quoteCreate} from '../contract/quotes.ts'
import {amount, text} from '../contract/scalars.ts'
import {SvcError} from '../errors.ts'
import {buildBody} from '../cli/body/body.ts'
import {type QuoteFlags, validateQuote, toQuoteFields, addFeeType} from '../quotes/quote-body.ts'
import {type PaymentContent, toContent} from './payment-content.ts'
import {feeMaxFormat, parseFeeMax} from './fee-max.ts'
import {quoteKeyPrefix} from './pay-quote.ts'
import {resolveKey} from './slots.ts'
import type {PriceLimits} from './limits.ts'

export interface PlanFlags extends QuoteFlags {
  key?: string | undefined
  'max-fee'?: string | undefined
  'min-rate'?: string | undefined
  'min-received'?: string | undefined
}

// What a file of -f holds: the body of a quote, and beside it what only svc knows.
const planFile = z.strictObject({
  ...quoteCreate.shape,
  key: text
    .refine((key) => !key.startsWith(quoteKeyPrefix), `must not begin with ${quoteKeyPrefix}, as keys of quotes do`)
    .optional(),
  maxFee: z
    .string()
    .refine((written) => parseFeeMax(written) !== undefined, `must be ${feeMaxFormat}`)
    .optional(),
  minRate: amount.optional(),
  minReceived: amount.optional(),
})

interface Plan {
  // As it was written: it may hold {date}.
  key: string
  content: PaymentContent
  limits: PriceLimits
  isGuaranteed: boolean
}

export interface CheckedPlan {
  // The flags that would give what is not there.
  missing: string[]
  problems: Problem[]
  // What is asked of the service, as far as it was given, so that problems can show it.
  body: Record<string, unknown>
  // What is there and is wrong.
  wrong: Problem[]
  // Only to be relied on where nothing is missing or wrong.
  plan: Plan
  // The plan with what a person has said of what was missing.
  complete: (answers: {body: Record<string, unknown>; key: string}) => Plan
}

const ownFields = ['key', 'maxFee', 'minRate', 'minReceived'] as const

export async function readPlan(flags: PlanFlags): Promise<CheckedPlan> {
  const ownFlags = {
    key: flags.key,
    maxFee: flags['max-fee'],
    minRate: flags['min-rate'],
    minReceived: flags['min-received'],
    // --no-guarantee lies over a file, too.
    guaranteeQuote: flags.guarantee,
  }
  const whole = addFeeType(
    await buildBody(planFile, {file: flags.file, flags: {...toQuoteFields(flags), ...ownFlags}, set: flags.set}),
  )
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => !ownFields.includes(name as 'key')))
  const quote = validateQuote(body)
  const ownSchema = planFile.pick({key: true, maxFee: true, minRate: true, minReceived: true})

  const ownProblems = findProblems(ownSchema, Object.fromEntries(ownFields.map((name) => [name, whole[name]])))
  const lacksKey = whole['key'] === undefined
  return {
    missing: [...quote.missing, ...(lacksKey ? ['--key'] : [])],
    problems: [...quote.problems, ...(lacksKey ? [{path: 'key', message: 'is missing (--key)'}] : []), ...ownProblems],
    body,
    wrong: [...quote.wrong, ...ownProblems],
    plan: toPlan(whole),
    complete: (answers) => toPlan({...whole, ...answers.body, key: answers.key}),
  }
}

function toPlan(whole: Readonly<Record<string, unknown>>): Plan {
  const {key, maxFee, minRate, minReceived, guaranteeQuote} = whole as z.infer<typeof planFile>
  return {
    key: key ?? '',
    content: toContent(whole as never),
    limits: {
      ...(typeof maxFee === 'string' && {feeMax: parseFeeMax(maxFee)}),
      ...(minRate !== undefined && {rateMin: minRate}),
      ...(minReceived !== undefined && {receivedMin: minReceived}),
    },
    // What arrives is only worth a limit if it is what will arrive.
    isGuaranteed: guaranteeQuote ?? (minRate !== undefined || minReceived !== undefined),
  }
}

// What is wrong with a key that a person types, or undefined.
export function findKeyProblem(key: string, slot: Date): string | undefined {
  if (key === '') return 'It is needed'
  if (key.startsWith(quoteKeyPrefix)) return `It must not begin with ${quoteKeyPrefix}, as keys of quotes do`
  try {
    resolveKey(key, slot)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error.message.replace('--key', 'It')
    throw error
  }
}
