// Finds a payment that the journal has under the id of another service. It may be the same service at another address, which
// would then be paid a second time, so a person has to say which it is.
import {SvcError} from '../../errors.ts'
import {isSandboxId} from '../../profiles/profiles.ts'
import {describeStatement} from '../../profiles/update-service.ts'
import type {PaymentContext} from './context.ts'
import type {CommitFindings, Intent} from '../journal/journal.ts'
import {type Payment, spendingStates} from './payment.ts'
import {type PaymentContent, isContentKnown, isSameContent} from './payment-content.ts'

type WantedPayment = Pick<Intent, 'serviceId' | 'key' | 'content'>

// A quote that was made elsewhere has no known content, but its key is the id of the quote.
const mayBeSame = (one: PaymentContent, other: PaymentContent) =>
  !isContentKnown(one) || !isContentKnown(other) || isSameContent(one, other)

// Only what was made, or may have been, counts. The database of an embedded sandbox is no other address of a service.
const pickMade = (payments: readonly Payment[], content: PaymentContent): Payment[] =>
  payments.filter(
    (payment) =>
      spendingStates.includes(payment.state) && !isSandboxId(payment.serviceId) && mayBeSame(payment.content, content),
  )

// A payment that was made at this service too is only reported, so it does not matter where else it was made.
export async function findPaidElsewhere(context: PaymentContext, wanted: WantedPayment): Promise<Payment[]> {
  if (context.identity?.isStated) return []
  const {serviceId, key, content} = wanted
  const made = pickMade(await context.journal.findElsewhere(serviceId, key), content)
  if (made.length === 0) return []
  return (await context.journal.find(serviceId, key))?.state === 'CREATED' ? [] : made
}

// Says how to state which service it is.
export function describeChoice({identity}: PaymentContext, otherId: string, serviceId: string): string {
  const profileName = identity?.profileName
  const verb = profileName === undefined ? 'set' : 'run'
  const [same, another] = [otherId, serviceId].map((id) => `${verb} \`${describeStatement(profileName, id)}\``)
  return `If it is the same service, ${same}; if it is another one, ${another}; then run the command again. Nothing was sent`
}

export async function rejectPaidElsewhere(context: PaymentContext, wanted: WantedPayment): Promise<void> {
  rejectMade(context, wanted, await findPaidElsewhere(context, wanted))
}

function rejectMade(
  context: PaymentContext,
  {serviceId, key}: WantedPayment,
  [first, ...more]: readonly Payment[],
): void {
  if (!first) return
  const places = [first, ...more].map(({serviceId: id, state}) => `${id} (${state})`).join(', ')
  throw new SvcError({
    error: 'KEY_AT_OTHER_SERVICE',
    kind: 'usage',
    message: `The journal has the payment ${key} with the same content at ${places}, which may be the same service as ${serviceId}`,
    hint: describeChoice(context, first.serviceId, serviceId),
  })
}

// Judges what the transaction that arms the payment has found: another process may have armed it under another id of the
// service since the run began.
export function rejectArmedElsewhere(
  context: PaymentContext,
  payment: Payment,
  {underOtherIds, elsewhere}: Pick<CommitFindings, 'underOtherIds' | 'elsewhere'>,
): void {
  const isMadeHere = underOtherIds.some(({state}) => state === 'CREATED')
  if (!isMadeHere && !context.identity?.isStated) rejectMade(context, payment, pickMade(elsewhere, payment.content))
  const current = underOtherIds.find(({state}) => spendingStates.includes(state))
  if (!current) return
  throw new SvcError({
    error: 'PAYMENT_IN_PROGRESS',
    kind: 'pending',
    message: `Another process has begun to send the payment ${payment.key}, as one of ${current.serviceId}`,
    hint: 'Run the same command again later',
  })
}
