// The box that shows a person a priced payment before the yes.
import {readParty} from '../../accounts/parties.ts'
import type {Box} from '../../cli/output/box.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {buildPriceBox, buildRow} from '../../quotes/price-box.ts'
import {readServiceState} from '../../transport.ts'
import {normalizeAmount} from '../../values/money.ts'
import {toInstantMs} from '../../values/time.ts'
import type {PayRun} from '../context/open-context.ts'
import type {Payment} from '../protocol/payment.ts'

// The time for which the quote is still valid, by the service's clock.
export const calculateLifeMs = ({clock}: Pick<PayRun, 'clock'>, quote: LooseQuote) =>
  Math.max(0, (toInstantMs(quote.expiresAt) ?? 0) - clock.latest())

export interface Reviewed {
  payment: Pick<Payment, 'serviceId' | 'key' | 'content'>
  quote: LooseQuote
  isGuaranteed: boolean
  // The share of fees that are high.
  highFees: string | undefined
  // Remarks for whoever is asked.
  notes: readonly string[]
}

// The box has the names and banks of both ends, if the service could be asked for them. If svc pays
// for a program, it leaves out the key, which the program chose: the box says only what svc itself
// knows.
export async function buildPaymentBox(
  run: PayRun,
  {payment, quote, isGuaranteed, highFees, notes}: Reviewed,
): Promise<Box> {
  const {caller, client, journal, review} = run
  const {serviceId, key, content} = payment
  const title = {title: `Pay ${describePlace(caller)}`, isLive: caller.environment === 'live'}
  const {describeMagicAmount} = await readServiceState(caller)
  const party = await readParty(client, content.customerId)
  const price = {body: {...content, guaranteeQuote: isGuaranteed}, quote, lifeMs: calculateLifeMs(run, quote)}
  const sandboxRemark = describeMagicAmount?.(normalizeAmount(content.source.sourceAmount))
  const box = buildPriceBox(title, party, price, {key: review ? undefined : key, sandboxRemark, highFees})

  const [route = [], ...prices] = box.groups
  const payees = await journal.listPayees(serviceId, [content.destination.destinationPaymentAccountId])
  const isPaid = payees.some((payee) => payee.isPaid)
  const payee = buildRow('Payee', isPaid ? 'Paid before' : 'New: svc has never paid this account')
  const hasNames = party.customer !== undefined && party.accounts !== undefined
  const unread = hasNames ? [] : ['The names could not be read from the service: you see ids alone.']
  const noteRows = [...unread, ...notes].map((note) => buildRow('Note', note))
  return {...box, groups: [[...route, payee], ...prices, ...(noteRows.length > 0 ? [noteRows] : [])]}
}
