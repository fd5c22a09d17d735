// The wizard of `svc pay`: asks for the fields of a quote, and for the key of the payment.
import type {Body} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {askLine} from '../../cli/prompts/ask.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import type {Client} from '../../client/client.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {addFeeType} from '../../quotes/quote-body.ts'
import {type QuoteWizardOptions, optionalPaths, runQuoteWizard} from '../../quotes/wizard/quote-wizard.ts'
import {observeExpiry} from '../protocol/fetch-quote.ts'
import {type ServerClock, createService} from '../protocol/service.ts'
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
  // Asks only for what the accounts leave open.
  isRouteOnly?: boolean | undefined
  // Leads to a bank account of a payee who has none yet.
  isSandbox?: boolean
  addAccount?: QuoteWizardOptions['addAccount']
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
      check: async (text) => {
        const problem = findKeyProblem(text, slot)
        if (problem !== undefined) return problem
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

// Asks for everything that flags and file did not give.
export async function completePlan(
  client: Client,
  {body: givenBody, own, plan: given, complete}: CheckedPlan,
  {slot, guarantee, clock, isRouteOnly = false, isSandbox, addAccount, findKeyUse}: PayWizardSettings,
): Promise<CompletedPlan> {
  const hasReceive = given.content.receive !== undefined
  const isGuaranteeSet = guarantee !== undefined || given.isGuaranteed || hasReceive
  const findUse = (body: Body, key: string) => findKeyUse(complete({body, key}))
  const options: QuoteWizardOptions = {
    withoutQuestions: [
      ...(isRouteOnly ? optionalPaths : isGuaranteeSet ? ['guaranteeQuote'] : []),
      ...(hasReceive ? [amountPath] : []),
    ],
    takesReceive: true,
    isSandbox,
    addAccount,
    lastQuestion: buildKeyQuestion(slot, findUse),
    validate: (body) => validatePlanBody(omitOwnFields(addFeeType(body)), body).problems,
  }
  const ask = async (answered?: Body): Promise<CompletedPlan> => {
    const whole = {...own, ...givenBody}
    const {body, quote} = await runQuoteWizard(client, whole, {...options, answered}, async (answers) => ({
      body: answers,
      quote: await requestQuote(client, complete({body: answers, key: ''}), clock),
    }))
    return {
      plan: complete({body, key: toText(body['key'])}),
      quote,
      askAgain: () => ask(body),
    }
  }
  return ask()
}
