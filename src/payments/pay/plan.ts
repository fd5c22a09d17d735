// Reads the plan of a payment from flags and a file: its content, its key and its limits.
import type {z} from 'zod'
import {amountPattern} from '../../contract/vocabulary.ts'
import {type Problem, findProblems} from '../../contract/problems.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {isZeroAmount} from '../../values/money.ts'
import {buildBody} from '../../cli/body/body.ts'
import type {Finder} from '../../cli/ids/finder.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {isDetailPath, omitDetailFlags} from '../../quotes/complete-route.ts'
import {
  type QuoteFlags,
  type QuoteValidation,
  addFeeType,
  toQuoteFields,
  validateQuote,
} from '../../quotes/quote-body.ts'
import {type RouteReferences, rejectShortCustomerInSet, resolveRoute} from '../../quotes/resolve-route.ts'
import {type PriceLimits, parseFeeMax} from '../protocol/limits.ts'
import {type PaymentContent, isQuoteKey, reservedPrefixRule, toContent, withReceive} from '../protocol/payment.ts'
import {ownPlanFields, planFile} from './plan-file.ts'
import {type SlotTime, findKeyFault} from './slots.ts'

interface PlanFlags extends QuoteFlags {
  key?: string | undefined
  'max-fee'?: string | undefined
  'min-rate'?: string | undefined
  'min-received'?: string | undefined
  receive?: string | undefined
  'max-send'?: string | undefined
}

export interface Plan {
  // May contain placeholders such as {date}.
  key: string
  content: PaymentContent
  limits: PriceLimits
  isGuaranteed: boolean
}

export interface CheckedPlan {
  // The flags of the required fields that are missing, except what the accounts may decide.
  missing: string[]
  problems: Problem[]
  // The body of the quote as far as it was given. Problems quote values from it.
  body: Record<string, unknown>
  // The key and the limits as far as they were given, which only svc uses.
  own: Record<string, unknown>
  // The problems of fields that were given.
  wrong: Problem[]
  // Valid only if nothing is missing or wrong.
  plan: Plan
  // Builds the plan with a person's answers for what was missing.
  complete: (answers: {body: Record<string, unknown>; key: string}) => Plan
}

const ownFields = ['key', 'maxFee', 'minRate', 'minReceived', 'receive', 'maxSend'] as const

export const omitOwnFields = (whole: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !ownFields.some((own) => own === name)))

export async function readPlan(flags: PlanFlags): Promise<CheckedPlan> {
  const ownFlags = {
    key: flags.key,
    maxFee: flags['max-fee'],
    minRate: flags['min-rate'],
    minReceived: flags['min-received'],
    receive: flags.receive,
    maxSend: flags['max-send'],
    // --no-guarantee also overrides the file.
    guaranteeQuote: flags.guarantee,
  }
  const fields = {...toQuoteFields(flags), ...ownFlags}
  const whole = await buildBody(() => planFile, {file: flags.file, flags: fields, set: flags.set})
  rejectShortCustomerInSet(flags.set, whole)
  return checkPlan(whole)
}

const isAmount = (value: unknown) => typeof value === 'string' && amountPattern.test(value)

// Whether the fields are valid for certain: the schemas take longer to load than the rest of a payment to run.
export const hasValidOwnFields = ({key, maxFee, minRate, minReceived, receive, maxSend}: Body): boolean =>
  (key === undefined || (typeof key === 'string' && key !== '' && !isQuoteKey(key))) &&
  (maxFee === undefined || (typeof maxFee === 'string' && parseFeeMax(maxFee) !== undefined)) &&
  (minRate === undefined || isAmount(minRate)) &&
  [minReceived, receive, maxSend].every((value) => value === undefined || isAmount(value))

const findOwnProblems = (whole: Body): Problem[] =>
  hasValidOwnFields(whole)
    ? []
    : findProblems(ownPlanFields, Object.fromEntries(ownFields.map((name) => [name, whole[name]])))

const amountPath = 'source.sourceAmount'

// A payment says what is sent or what is to arrive. With the latter, the amount to send is found later.
function findReceiveProblems({receive, minReceived, maxSend}: Body, body: Body): Problem[] {
  if (receive === undefined) {
    return maxSend === undefined ? [] : [{path: 'maxSend', message: 'belongs to receive (--receive), which is missing'}]
  }
  const isZero = typeof receive === 'string' && isZeroAmount(receive)
  return [
    ...(isZero ? [{path: 'receive', message: 'must be more than 0'}] : []),
    ...(getValue(body, amountPath) === undefined
      ? []
      : [{path: 'receive', message: 'is given, and so is the amount to send: only one of them may be'}]),
    ...(minReceived === undefined
      ? []
      : [
          {path: 'minReceived', message: 'is given, and so is receive, which says it already: only one of them may be'},
        ]),
  ]
}

// Checks the body of a quote whose amount may be found later.
export function validatePlanBody(body: Body, {receive}: Body): QuoteValidation {
  const {missing, wrong, problems} = validateQuote(body, () => planFile)
  if (receive === undefined) return {missing, wrong, problems}
  return {
    missing: missing.filter((flag) => flag !== '--amount'),
    wrong,
    problems: problems.filter(({path, kind}) => kind !== 'missing' || path !== amountPath),
  }
}

// The fields of a plan file, from wherever they were read.
export function checkPlan(given: Body): CheckedPlan {
  const whole = addFeeType(given)
  const body = omitOwnFields(whole)
  const quote = validatePlanBody(body, whole)
  const ownProblems = [...findOwnProblems(whole), ...findReceiveProblems(whole, body)]
  const lacksKey = whole['key'] === undefined
  // What the accounts decide is found out later, if it is not given.
  const quoteProblems = quote.problems.filter(({kind, path}) => kind !== 'missing' || !isDetailPath('', path))
  return {
    missing: [...omitDetailFlags(quote.missing), ...(lacksKey ? ['--key'] : [])],
    problems: [...quoteProblems, ...(lacksKey ? [{path: 'key', message: 'is missing (--key)'}] : []), ...ownProblems],
    body,
    own: Object.fromEntries(ownFields.flatMap((name) => (whole[name] === undefined ? [] : [[name, whole[name]]]))),
    wrong: [...quote.wrong, ...ownProblems],
    plan: toPlan(whole),
    complete: (answers) => toPlan({...whole, ...answers.body, key: answers.key}),
  }
}

// The plan with the whole ids of what --customer, --from and --to mean, and what the file has in their place.
export async function resolvePlan(
  finder: Finder,
  checkedPlan: CheckedPlan,
  flags: RouteReferences,
): Promise<CheckedPlan> {
  const body = await resolveRoute(finder, checkedPlan.body, flags, '')
  if (body === checkedPlan.body) return checkedPlan
  return {...checkedPlan, body, plan: checkedPlan.complete({body, key: checkedPlan.plan.key})}
}

function toPlan(whole: object): Plan {
  const {key, maxFee, minRate, minReceived, receive, maxSend, ...body} = whole as z.infer<typeof planFile>
  return {
    key: key ?? '',
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

// Returns what is wrong with a key that a person typed.
export function findKeyProblem(key: string, slot: SlotTime): string | undefined {
  if (key === '') return 'It is required'
  if (isQuoteKey(key)) return `It ${reservedPrefixRule}`
  const fault = findKeyFault(key, slot)
  return fault && `It ${fault}`
}

// Pays what a person answered.
export interface CompletedPlan {
  plan: Plan
  // The quote of these answers. Absent if the service could not be reached.
  quote?: LooseQuote | undefined
  // Asks the last question again, with the answers so far. Absent if nothing was asked.
  askAgain?: (() => Promise<CompletedPlan>) | undefined
}

// Thrown by the question about the price if the person goes back.
export class BackToQuestions extends Error {}

export async function payAnswers<T>(start: CompletedPlan, pay: (completed: CompletedPlan) => Promise<T>): Promise<T> {
  for (let completed = start; ;) {
    try {
      return await pay(completed)
    } catch (error) {
      if (!(error instanceof BackToQuestions) || !completed.askAgain) throw error
      completed = await completed.askAgain()
    }
  }
}
