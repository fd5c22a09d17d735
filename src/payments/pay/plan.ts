// The plan of a payment: its content, its key and its limits, read from flags and a file.
import type {z} from 'zod'
import {type Problem, findProblems} from '../../contract/problems.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {isZeroAmount} from '../../values/money.ts'
import {buildBody} from '../../cli/body/body.ts'
import {isDetailPath, omitDetailFlags, toRouteBody} from '../../quotes/route-fields.ts'
import {
  type QuoteFlags,
  type QuoteValidation,
  addFeeType,
  findFineAmounts,
  validateQuote,
} from '../../quotes/quote-body.ts'
import {parseFeeMax} from '../protocol/limits.ts'
import {type PaymentContent, type PriceLimits, toContent, withReceive} from '../protocol/payment.ts'
import {ownPlanFields, planFile} from './plan-file.ts'

// The fields that only svc uses, and their flags.
const ownFlags = {
  key: 'key',
  maxFee: 'max-fee',
  minRate: 'min-rate',
  minReceived: 'min-received',
  receive: 'receive',
  maxSend: 'max-send',
} as const

type PlanFlags = Omit<QuoteFlags, 'set'> & {[Flag in (typeof ownFlags)[keyof typeof ownFlags]]?: string | undefined}

export interface Plan {
  // A key, or a template with placeholders such as {date}.
  key: string
  content: PaymentContent
  limits: PriceLimits
  isGuaranteed: boolean
}

// A plan with its problems. Fields that the accounts may decide do not count as missing.
export interface CheckedPlan extends QuoteValidation {
  // The body of the quote with the key and the limits, as far as they were given.
  fields: Body
}

export async function readPlan(flags: PlanFlags): Promise<CheckedPlan> {
  const own = Object.entries(ownFlags).map(([name, flag]) => [name, flags[flag]])
  // --no-guarantee also overrides the file.
  const given = {...toRouteBody(flags), ...Object.fromEntries(own), guaranteeQuote: flags.guarantee}
  const fields = await buildBody(() => planFile, {file: flags.file, flags: given})
  // Each flag was checked when it was read.
  return checkPlan(fields, flags.file === undefined ? [] : findProblems(ownPlanFields, fields))
}

const amountPath = 'source.sourceAmount'

// A payment says either what is sent or what is to arrive. If it says what is to arrive, the amount
// to send is found later.
function findReceiveProblems(fields: Body): Problem[] {
  const {receive, maxSend} = fields
  const isGiven = (path: string) => getValue(fields, path) !== undefined
  if (receive === undefined) {
    return maxSend === undefined ? [] : [{path: 'maxSend', message: 'belongs to receive (--receive), which is missing'}]
  }
  const message = 'is given, and so is receive (--receive), which says it already: only one of them may be'
  const isZero = typeof receive === 'string' && isZeroAmount(receive)
  return [
    ...(isZero ? [{path: 'receive', message: 'must be more than 0'}] : []),
    ...findFineAmounts(fields, 'receive', 'destination.destinationCurrency'),
    ...[amountPath, 'minReceived'].filter(isGiven).map((path) => ({path, message})),
  ]
}

// Checks the body of the quote. The amount may be missing if the plan says what is to arrive.
export function validatePlanBody(fields: Body): QuoteValidation {
  const body = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(ownFlags, name)))
  const {missing, wrong, problems} = validateQuote(body)
  const isAmount = ({path, kind}: Problem) => kind === 'missing' && path === amountPath
  if (fields['receive'] !== undefined) {
    return {
      missing: missing.filter((flag) => flag !== '--amount'),
      wrong,
      problems: problems.filter((each) => !isAmount(each)),
    }
  }
  const either = '--amount or --receive'
  return {
    missing: missing.map((flag) => (flag === '--amount' ? either : flag)),
    wrong,
    problems: problems.map((each) => (isAmount(each) ? {...each, message: `is missing (${either})`} : each)),
  }
}

// Checks the whole plan. `found` are the problems of the fields that only svc uses.
export function checkPlan(given: Body, found: readonly Problem[]): CheckedPlan {
  const fields = addFeeType(given)
  const quote = validatePlanBody(fields)
  const ownProblems = [...found, ...findReceiveProblems(fields)]
  const lacksKey = fields['key'] === undefined
  // Fields that the accounts decide are filled in later, so they may be missing.
  const quoteProblems = quote.problems.filter(({kind, path}) => kind !== 'missing' || !isDetailPath('', path))
  return {
    fields,
    missing: [...omitDetailFlags(quote.missing), ...(lacksKey ? ['--key'] : [])],
    wrong: [...quote.wrong, ...ownProblems],
    problems: [...quoteProblems, ...(lacksKey ? [{path: 'key', message: 'is missing (--key)'}] : []), ...ownProblems],
  }
}

// Builds the plan from fields that were checked.
export function toPlan(fields: Body): Plan {
  const {key = '', maxFee, minRate, minReceived, receive, maxSend, ...body} = fields as z.infer<typeof planFile>
  return {
    key,
    content: withReceive(toContent(body), receive),
    limits: {
      ...(typeof maxFee === 'string' && {feeMax: parseFeeMax(maxFee)}),
      ...(minRate !== undefined && {rateMin: minRate}),
      ...(minReceived !== undefined && {receivedMin: minReceived}),
      ...(maxSend !== undefined && {sentMax: maxSend}),
    },
    // A limit on the amount received is only useful if that amount is guaranteed.
    isGuaranteed: body.guaranteeQuote ?? [minRate, minReceived, receive].some((value) => value !== undefined),
  }
}
