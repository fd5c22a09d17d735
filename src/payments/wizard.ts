// The conversation of `svc pay`: what a quote asks for, and the key that names the payment for ever.
import type {Client} from '../client/client.ts'
import type {Body} from '../cli/body/assignments.ts'
import {NavigationRequest} from '../cli/wizard/navigation.ts'
import {askLine} from '../cli/wizard/line-prompt.ts'
import {runQuoteWizard} from '../quotes/wizard/quote-wizard.ts'
import {SvcError, interrupted} from '../errors.ts'

export interface PayWizardSettings {
  // What is wrong with a key, or undefined.
  findKeyProblem: (key: string) => string | undefined
  // Limits on what arrives ask for a guarantee by themselves.
  isGuaranteeSet: boolean
}

const keyHint = 'one payment, for ever: run it again with the same key and nothing more is paid'

// Whoever leaves here, with Esc or Shift-Tab, has sent nothing.
async function askKey(findKeyProblem: PayWizardSettings['findKeyProblem']): Promise<string> {
  try {
    return await askLine({message: 'Key of this payment:', hint: keyHint, check: findKeyProblem})
  } catch (error) {
    if (error instanceof NavigationRequest) throw interrupted()
    throw error
  }
}

// What the service does not quote is changed while it can be. A service that does not answer is asked again later.
async function rejectUnquoted(client: Client, body: Body): Promise<void> {
  try {
    await client.quotes.create({body: body as never})
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'refused') throw error
  }
}

// Completes what flags and file have said, by asking.
export async function askForPlan(
  client: Client,
  given: {body: Body; key: string | undefined},
  {findKeyProblem, isGuaranteeSet}: PayWizardSettings,
): Promise<{body: Body; key: string}> {
  const withoutQuestions = isGuaranteeSet ? ['guaranteeQuote'] : []
  const body = await runQuoteWizard(client, given.body, {command: 'pay', withoutQuestions}, async (whole) => {
    await rejectUnquoted(client, whole)
    return whole
  })
  return {body, key: given.key ?? (await askKey(findKeyProblem))}
}
