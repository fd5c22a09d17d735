// The wizard of `svc pay`: asks for the fields of a quote, and for the key of the payment.
import type {Client} from '../client/client.ts'
import type {LooseQuote} from '../contract/loose.ts'
import {readNavigation} from '../cli/wizard/navigation.ts'
import {askLine} from '../cli/wizard/line-prompt.ts'
import {optionalPaths, runQuoteWizard} from '../quotes/wizard/quote-wizard.ts'
import {SvcError, interrupted} from '../errors.ts'
import type {ServiceState} from '../transport.ts'
import {observeExpiry} from './fetch-quote.ts'
import {stoppedAfterQuote} from './payment-errors.ts'
import {type CheckedPlan, type Plan, findKeyProblem} from './plan.ts'
import type {ServerClock} from './server-clock.ts'
import {createService} from './service.ts'
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
  // Returns why the payment cannot have its key, if another one has it.
  findKeyUse: (plan: Plan) => Promise<string | undefined>
}

export interface CompletedPlan {
  plan: Plan
  // The quote of these answers. Absent if the service could not be reached.
  quote?: LooseQuote | undefined
}

const keyHint = 'permanent name of this payment: running it again with the same key pays nothing more'

// Esc, Shift-Tab and Ctrl-C end the command here, after the quote of the answers was requested.
async function askKey(slot: SlotTime, findUse: (key: string) => Promise<string | undefined>): Promise<string> {
  try {
    return await askLine({
      message: 'Key of this payment:',
      hint: keyHint,
      check: (text) => findKeyProblem(text, slot),
      validate: async (text) => {
        const use = await findUse(text)
        return use && `${use}. Choose another key`
      },
    })
  } catch (error) {
    readNavigation(error)
    throw interrupted(stoppedAfterQuote)
  }
}

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
  {body: givenBody, plan: given, complete}: CheckedPlan,
  {slot, guarantee, clock, isRouteOnly = false, listBalances, findKeyUse}: PayWizardSettings,
): Promise<CompletedPlan> {
  const isGuaranteeSet = guarantee !== undefined || given.isGuaranteed
  const withoutQuestions = isRouteOnly ? optionalPaths : isGuaranteeSet ? ['guaranteeQuote'] : []
  const options = {command: 'pay', withoutQuestions, listBalances} as const
  const {body, quote} = await runQuoteWizard(client, givenBody, options, async (answers) => ({
    body: answers,
    quote: await requestQuote(client, complete({body: answers, key: ''}), clock),
  }))
  const findUse = (key: string) => findKeyUse(complete({body, key}))
  const key = given.key === '' ? await askKey(slot, findUse) : given.key
  return {plan: complete({body, key}), quote}
}
