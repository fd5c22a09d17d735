// Completes the route of a payment from its accounts, or from what an earlier run of its key has
// sent.
import {listAccounts} from '../../accounts/find-account.ts'
import {toText} from '../../cli/output/view.ts'
import {type LoosePaymentAccount, readCode} from '../../contract/loose.ts'
import {badUsage} from '../../errors.ts'
import {type CompletedRoute, completeRoute, lacksDetails} from '../../quotes/complete-route.ts'
import {findFineAmounts} from '../../quotes/quote-body.ts'
import {accountPaths, listDetails} from '../../quotes/route-fields.ts'
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {canChangeContent} from '../protocol/key-use.ts'
import {type Payment, type PaymentContent, isContentKnown} from '../protocol/payment.ts'
import type {OpenPaymentContext} from '../context/open-context.ts'

// Whether the content is for the same customer and the same accounts.
const isBetweenSame = (content: PaymentContent, given: Body): boolean =>
  isContentKnown(content) &&
  readCode(content.customerId) === readCode(given['customerId']) &&
  accountPaths.every((path) => toText(getValue(content, path)) === toText(getValue(given, path)))

// Throws if an amount is finer than its currency. An amount that came with its currency was checked
// before, with the rest of the plan or row.
export function rejectFineAmounts(body: Body): void {
  const [problem] = [
    ...findFineAmounts(body, 'source.sourceAmount', 'source.sourceCurrency'),
    ...findFineAmounts(body, 'receive', 'destination.destinationCurrency'),
  ]
  if (problem) throw badUsage(`The amount ${problem.message}`, 'Nothing was sent')
}

// A payment that may have been sent keeps its route, and its accounts are not read.
export async function decideRoute(
  {journal, client}: Pick<OpenPaymentContext, 'journal' | 'client'>,
  {serviceId, key}: Pick<Payment, 'serviceId' | 'key'>,
  given: Body,
  read = (customerId: string): Promise<readonly LoosePaymentAccount[]> => listAccounts(client, customerId),
): Promise<CompletedRoute> {
  if (!lacksDetails(given, '')) return {body: given, choices: []}
  const known = await journal.find(serviceId, key)
  if (!known || canChangeContent(known) || !isBetweenSame(known.content, given)) {
    const completed = completeRoute(await read(toText(given['customerId'])), given, '')
    if (completed.choices.length === 0) rejectFineAmounts(completed.body)
    return completed
  }
  const body = listDetails('')
    .filter(({path}) => getValue(given, path) === undefined)
    .reduce((filled, {path}) => withValue(filled, path, getValue(known.content, path)), given)
  return {body, choices: []}
}
