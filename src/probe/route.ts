// Reads the accounts of a probe from flags, and asks a person for what is missing.
import {rejectProblems} from '../cli/body/reject-problems.ts'
import type {Body} from '../cli/body/assignments.ts'
import {mergeBodies} from '../cli/body/body.ts'
import {getValue, withValue} from '../cli/wizard/body-paths.ts'
import type {Client} from '../client/client.ts'
import {badUsage} from '../errors.ts'
import {type PaymentContent, isSameContent, toContent} from '../payments/protocol/payment-content.ts'
import {type QuoteFlags, readQuoteBody, validateQuote} from '../quotes/quote-body.ts'
import {amountDefault} from './find-amount.ts'

const amountPath = 'source.sourceAmount'

export interface GivenRoute {
  // The body of a quote as far as it was given, with an amount in any case.
  body: Body
  // The flags that are missing.
  missing: string[]
  isAmountGiven: boolean
}

export async function readRoute(flags: QuoteFlags): Promise<GivenRoute> {
  const read = await readQuoteBody(flags)
  const isAmountGiven = getValue(read, amountPath) !== undefined
  const body = isAmountGiven ? read : withValue(read, amountPath, amountDefault)
  const {missing, wrong} = validateQuote(body)
  rejectProblems(wrong, body)
  return {body, missing, isAmountGiven}
}

// A probe continues with the accounts with which it began.
export function rejectOtherRoute(content: PaymentContent, {body, isAmountGiven}: GivenRoute): void {
  const {sourceAmount} = content.source
  const amount = isAmountGiven ? {} : {source: {sourceAmount}}
  const asked = mergeBodies(content, mergeBodies(body, amount))
  if (isSameContent(content, toContent(asked as never))) return
  throw badUsage(
    'A probe of this service was started with other accounts or another amount',
    'Leave them out to continue it, or start again with --restart; nothing was sent',
  )
}

// The amount and the price do not matter to a probe, so only the accounts are asked for.
export async function askForRoute(client: Client, {body}: GivenRoute): Promise<Body> {
  const {runQuoteWizard} = await import('../quotes/wizard/quote-wizard.ts')
  const withoutQuestions = ['guaranteeQuote', 'developerFee.developerFeeAmount', 'developerFee.developerFeeType']
  return runQuoteWizard(client, body, {command: 'probe', withoutQuestions}, async (whole) => whole)
}
