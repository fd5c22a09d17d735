// The wizard of `svc pay`: asks for the fields of a quote, and for the key of the payment.
import type {Client} from '../../client/client.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {addFeeType, validateQuote} from '../../quotes/quote-body.ts'
import {askLine} from '../../cli/wizard/line-prompt.ts'
import {
  type QuoteWizardOptions,
  type QuoteWizardStart,
  optionalPaths,
  runQuoteWizard,
} from '../../quotes/wizard/quote-wizard.ts'
import {SvcError} from '../../errors.ts'
import type {ServiceState} from '../../transport.ts'
import {observeExpiry} from '../protocol/fetch-quote.ts'
import type {PayDraft} from './open-draft.ts'
import type {CompletedPlan} from './pay-answers.ts'
import {type CheckedPlan, type Plan, findKeyProblem, omitOwnFields} from './plan.ts'
import {planFile} from './plan-file.ts'
import type {ServerClock} from '../protocol/server-clock.ts'
import {createService} from '../protocol/service.ts'
import type {SlotTime} from './slot-time.ts'

export interface PayWizardSettings {
  slot: SlotTime
  // The value of --guarantee.
  guarantee: boolean | undefined
  clock: ServerClock
  // Whether fields that the interface does not have may be sent.
  allowsUnknownFields: boolean
  // Asks only for what the accounts leave open.
  isRouteOnly?: boolean | undefined
  // Absent if the service tells no balances.
  listBalances?: ServiceState['listBalances']
  // Absent where only the route is open, which is asked anew at once.
  draft?: PayDraft | undefined
  // Returns why the payment cannot have its key, if another one has it.
  findKeyUse: (plan: Plan) => Promise<string | undefined>
}

const keyHint = 'permanent name of this payment: running it again with the same key pays nothing more'

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
  try {
    return observeExpiry(clock, await createService(client).quote(plan.content, plan.isGuaranteed))
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'refused') throw error
    return undefined
  }
}

// Asks for everything that flags and file did not give.
export async function completePlan(
  client: Client,
  {body: givenBody, own, plan: given, complete}: CheckedPlan,
  {slot, guarantee, clock, isRouteOnly = false, listBalances, findKeyUse, draft}: PayWizardSettings,
): Promise<CompletedPlan> {
  const isGuaranteeSet = guarantee !== undefined || given.isGuaranteed
  const findUse = (body: Body, key: string) => findKeyUse(complete({body, key}))
  const options: QuoteWizardOptions = {
    command: 'pay',
    withoutQuestions: isRouteOnly ? optionalPaths : isGuaranteeSet ? ['guaranteeQuote'] : [],
    listBalances,
    lastQuestion: buildKeyQuestion(slot, findUse),
    validate: (body) => validateQuote(omitOwnFields(addFeeType(body)), () => planFile).problems,
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
  return ask({body: draft?.body, continued: draft?.continued})
}
