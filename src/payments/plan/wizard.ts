// The wizard of `svc pay`: asks for the fields of a quote, and for the key of the payment.
import {type Body, getValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {
  type DraftCaller,
  DraftFile,
  type DraftScope,
  createDraftScope,
  listDrafts,
} from '../../cli/wizard/draft-store.ts'
import {type BodyDraft, openBodyDraft} from '../../cli/wizard/keep-answers.ts'
import {askLine} from '../../cli/wizard/prompts.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import type {Client} from '../../client/client.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {addFeeType} from '../../quotes/quote-body.ts'
import {
  type QuoteWizardOptions,
  type QuoteWizardStart,
  optionalPaths,
  runQuoteWizard,
} from '../../quotes/wizard/quote-wizard.ts'
import {observeExpiry} from '../protocol/fetch-quote.ts'
import {type ServerClock, createService} from '../protocol/service.ts'
import {payDraftCommand, splitPaidDrafts} from './paid-drafts.ts'
import {
  type CheckedPlan,
  type CompletedPlan,
  type Plan,
  findKeyProblem,
  omitOwnFields,
  validatePlanBody,
} from './plan.ts'
import type {SlotTime} from './slots.ts'

export interface PayWizardSettings {
  slot: SlotTime
  // The value of --guarantee.
  guarantee: boolean | undefined
  clock: ServerClock
  // Whether fields that the interface does not have may be sent.
  allowsUnknownFields: boolean
  // Asks only for what the accounts leave open.
  isRouteOnly?: boolean | undefined
  // Leads to a bank account of a payee who has none yet.
  isSandbox?: boolean
  addAccount?: QuoteWizardOptions['addAccount']
  // Absent where only the route is open, which is asked anew at once.
  draft?: PayDraft | undefined
  // Returns why the payment cannot have its key, if another one has it.
  findKeyUse: (plan: Plan) => Promise<string | undefined>
}

const keyHint =
  'permanent name of this payment, such as invoice-4711: running it again with the same key pays nothing more'

const buildKeyQuestion = (
  slot: SlotTime,
  findUse: (body: Body, key: string) => Promise<string | undefined>,
): Question => ({
  path: 'key',
  label: 'Key of this payment',
  kind: 'text',
  isRequired: true,
  check: (key) => findKeyProblem(toText(key), slot),
  ask: (current, body) =>
    askLine({
      message: 'Key of this payment:',
      hint: keyHint,
      initial: toText(current),
      check: (text) => findKeyProblem(text, slot),
      validate: async (text) => {
        const use = await findUse(body, text)
        return use && `${use}. Choose another key`
      },
    }),
})

// Requests a quote as the payment will. If the service rejects it, the answers can be corrected. An unreachable service is
// tried again when paying.
async function requestQuote(client: Client, plan: Plan, clock: ServerClock): Promise<LooseQuote | undefined> {
  // The amount is found later.
  if (plan.content.receive !== undefined) return undefined
  try {
    return observeExpiry(clock, await createService(client).quote(plan.content, plan.isGuaranteed))
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'refused') throw error
    return undefined
  }
}

const amountPath = 'source.sourceAmount'

// A draft may have what is to arrive, where the flags now say what is sent, or the other way round. The flags count.
function dropOtherSum(kept: Body | undefined, given: Body): Body | undefined {
  if (!kept) return undefined
  if (getValue(given, amountPath) !== undefined) return withoutValue(withoutValue(kept, 'receive'), 'maxSend')
  return given['receive'] === undefined ? kept : withoutValue(kept, amountPath)
}

// Asks for everything that flags and file did not give.
export async function completePlan(
  client: Client,
  {body: givenBody, own, plan: given, complete}: CheckedPlan,
  {slot, guarantee, clock, isRouteOnly = false, isSandbox, addAccount, findKeyUse, draft}: PayWizardSettings,
): Promise<CompletedPlan> {
  const kept = dropOtherSum(draft?.body, {...own, ...givenBody})
  const hasReceive = given.content.receive !== undefined || kept?.['receive'] !== undefined
  const isGuaranteeSet = guarantee !== undefined || given.isGuaranteed || hasReceive
  const findUse = (body: Body, key: string) => findKeyUse(complete({body, key}))
  const options: QuoteWizardOptions = {
    command: 'pay',
    withoutQuestions: [
      ...(isRouteOnly ? optionalPaths : isGuaranteeSet ? ['guaranteeQuote'] : []),
      ...(hasReceive ? [amountPath] : []),
    ],
    takesReceive: true,
    isSandbox,
    addAccount,
    lastQuestion: buildKeyQuestion(slot, findUse),
    validate: (body) => validatePlanBody(omitOwnFields(addFeeType(body)), body).problems,
    keeper: draft?.keeper,
  }
  const ask = async (start: QuoteWizardStart): Promise<CompletedPlan> => {
    const whole = {...own, ...givenBody}
    const {body, quote} = await runQuoteWizard(client, whole, {...options, start}, async (answers) => ({
      body: answers,
      quote: await requestQuote(client, complete({body: answers, key: ''}), clock),
    }))
    return {
      plan: complete({body, key: toText(body['key'])}),
      quote,
      keeper: draft?.keeper,
      askAgain: () => ask({body, isLastAskedAgain: true}),
    }
  }
  return ask({body: kept, continued: draft?.continued})
}

// Opens the draft of `svc pay`: offers the answers that were kept, and keeps them from now on.
export type PayDraft = BodyDraft

const command = payDraftCommand

// For example: 250 USDC, as invoice-2041.
function describePayment(body: Body): string {
  const [amount, currency] = ['sourceAmount', 'sourceCurrency'].map((name) => toText(getValue(body, `source.${name}`)))
  const receive = toText(body['receive'])
  const money = receive
    ? [receive, toText(getValue(body, 'destination.destinationCurrency')), 'to arrive'].filter(Boolean).join(' ')
    : amount
      ? [amount, currency].filter(Boolean).join(' ')
      : ''
  const key = toText(body['key'])
  return [money, key && `as ${key}`].filter(Boolean).join(', ')
}

interface DraftSettings {
  hasNoDraft: boolean
  hasFile: boolean
  traits: ServiceTraits
  notice: (text: string) => void
}

async function removePaidDrafts(scope: DraftScope, {traits, notice}: DraftSettings): Promise<void> {
  const {serviceId, journal} = traits
  const {paid} = await splitPaidDrafts(listDrafts(scope), {serviceId, journal})
  for (const draft of paid) {
    const key = toText(draft.body['key'])
    const file = DraftFile.claim(scope, draft)
    file?.remove()
    if (file) notice(`Your draft of ${key} was removed, because ${key} was paid meanwhile.`)
  }
}

export async function openPayDraft(caller: DraftCaller, given: Body, settings: DraftSettings): Promise<PayDraft> {
  const {hasNoDraft, hasFile} = settings
  const scope = {...createDraftScope(caller), command}
  if (!hasNoDraft) await removePaidDrafts(scope, settings)
  return openBodyDraft(scope, given, {hasNoDraft, hasFile, describe: describePayment})
}
