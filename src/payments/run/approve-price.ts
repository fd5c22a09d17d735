// Lets a person approve the price of a payment. The quote that was approved is the one that is executed.
import type {LooseQuote} from '../../contract/loose.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PaymentOrder} from '../protocol/pay.ts'
import {ApprovedQuoteExpired} from '../protocol/payment-errors.ts'
import {rehearse} from './rehearse.ts'
import {hasRunOut} from '../protocol/send.ts'
import type {ResolvedKey} from '../plan/slots.ts'

const ranOutNotice = 'The quote ran out before it could be used; this is the new price.'

export interface ApprovalSettings {
  // A quote of this payment that was requested before. It is shown while it is valid.
  earlierQuote?: LooseQuote | undefined
  // Shows the price and asks for a yes. Throws if there is none.
  ask: (quote: LooseQuote) => Promise<void>
  notify: (text: string) => void
}

// Returns the order with the approved quote. A payment that was already made needs no approval.
export async function approvePrice(
  context: PaymentContext,
  order: PaymentOrder,
  slot: ResolvedKey,
  {earlierQuote, ask, notify}: ApprovalSettings,
): Promise<PaymentOrder> {
  for (let earlier = earlierQuote; ; earlier = undefined) {
    const rehearsed = await rehearse(context, order, slot, earlier)
    if ('made' in rehearsed) return order
    const {quote, stop, findings} = rehearsed
    if (stop) throw stop
    for (const finding of findings) notify(finding)
    await ask(quote)
    if (!hasRunOut(context, quote)) return {...order, approvedQuote: quote}
    notify(ranOutNotice)
  }
}

// Pays the approved order. If its quote runs out before it is sent, for example while another process is waited for, the new
// price has to be approved, too.
export async function payApproved<T>(
  approve: () => Promise<PaymentOrder>,
  pay: (order: PaymentOrder) => Promise<T>,
  notify: (text: string) => void,
): Promise<T> {
  for (;;) {
    const order = await approve()
    try {
      return await pay(order)
    } catch (error) {
      if (!(error instanceof ApprovedQuoteExpired)) throw error
      notify(ranOutNotice)
    }
  }
}
