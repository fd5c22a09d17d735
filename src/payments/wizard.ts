// The wizard of `svc pay`: asks for the fields of a quote, and for the key of the payment.
import type {Client} from '../client/client.ts'
import type {LooseQuote} from '../contract/loose.ts'
import type {Body} from '../cli/body/assignments.ts'
import {NavigationRequest} from '../cli/wizard/navigation.ts'
import {askLine} from '../cli/wizard/line-prompt.ts'
import {runQuoteWizard} from '../quotes/wizard/quote-wizard.ts'
import {SvcError, interrupted} from '../errors.ts'

export interface PayWizardSettings {
  // Returns what is wrong with a key.
  findKeyProblem: (key: string) => string | undefined
  // Whether flags, file or limits already decide about the guarantee.
  isGuaranteeSet: boolean
  // Requests a quote for a complete body, as the payment will.
  requestQuote: (body: Body) => Promise<LooseQuote>
}

export interface PayAnswers {
  body: Body
  key: string
  // The quote of these answers. Absent if the service could not be reached.
  quote?: LooseQuote | undefined
}

const keyHint = 'permanent name of this payment: running it again with the same key pays nothing more'

// Esc and Shift-Tab end the command here. Nothing has been sent.
async function askKey(findKeyProblem: PayWizardSettings['findKeyProblem']): Promise<string> {
  try {
    return await askLine({message: 'Key of this payment:', hint: keyHint, check: findKeyProblem})
  } catch (error) {
    if (error instanceof NavigationRequest) throw interrupted()
    throw error
  }
}

// Lets the user correct the answers if the service rejects the quote. An unreachable service is tried again when paying.
async function rejectUnquoted(
  requestQuote: PayWizardSettings['requestQuote'],
  body: Body,
): Promise<LooseQuote | undefined> {
  try {
    return await requestQuote(body)
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'refused') throw error
    return undefined
  }
}

// Asks for everything that flags and file did not give.
export async function askForPlan(
  client: Client,
  given: {body: Body; key: string | undefined},
  {findKeyProblem, isGuaranteeSet, requestQuote}: PayWizardSettings,
): Promise<PayAnswers> {
  const withoutQuestions = isGuaranteeSet ? ['guaranteeQuote'] : []
  const answers = await runQuoteWizard(client, given.body, {command: 'pay', withoutQuestions}, async (body) => ({
    body,
    quote: await rejectUnquoted(requestQuote, body),
  }))
  return {...answers, key: given.key ?? (await askKey(findKeyProblem))}
}
