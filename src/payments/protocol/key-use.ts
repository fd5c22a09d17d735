// The use of a key: which content belongs to it, and whether it was paid at another service.
import {SvcError} from '../../errors.ts'
import {describeStatement} from '../../profiles/service.ts'
import {svc} from '../../values/text.ts'
import {isSandboxId} from '../../values/urls.ts'
import type {Intent} from '../journal/journal.ts'
import {isSameContent, listContentChanges} from './compare.ts'
import type {PaymentContext} from './context.ts'
import {
  type Payment,
  type PaymentContent,
  isContentKnown,
  notMadeStates,
  spendingStates,
  unsettledStates,
} from './payment.ts'

export const canChangeContent = ({state, content}: Payment): boolean =>
  notMadeStates.includes(state) && isContentKnown(content)

// The error of a key that has other content, which can change only while nothing can have been made
// under the key. `wasSent` says that this journal has sent a request too, which may have made
// another transaction.
export function createKeyUsedError(
  {key, ...known}: Pick<Payment, 'key' | 'state' | 'content'>,
  content: PaymentContent,
  wasSent = false,
): SvcError {
  const isUnsettled = unsettledStates.includes(known.state)
  const changes = isContentKnown(known.content) ? listContentChanges(known.content, content) : []
  const was = isUnsettled ? 'was, or may have been,' : 'was'
  const message = `The key ${key} belongs to a payment with other content, which ${was} made`

  const problems = changes.length > 0 ? changes : undefined
  if (wasSent) {
    const unsure = `${message}; whether what was sent from here was made too is not known`
    const hint = `Look for it in ${svc`transactions list`} before you choose another key`
    return new SvcError({error: 'OUTCOME_UNKNOWN', kind: 'unknownOutcome', message: unsure, hint, problems})
  }

  const hint = isUnsettled
    ? `Settle it first with ${svc`journal settle ${key}`}, or choose another key; nothing was sent`
    : `It keeps that content permanently: choose another key, or see ${svc`journal show ${key}`}; nothing was sent`
  return new SvcError({error: 'KEY_USED', kind: 'usage', message, hint, problems})
}

// Whether the intent has other content than the payment. If both say what is to arrive, the amounts
// to send may differ.
export const hasOtherContent = (payment: Payment, {content}: Pick<Intent, 'content'>) =>
  isContentKnown(content) && !isSameContent(payment.content, content)

// Throws if the content of a payment that was, or may have been, made would change.
export function requireSameContent(payment: Payment, intent: Pick<Intent, 'content'>): void {
  if (hasOtherContent(payment, intent) && !canChangeContent(payment)) throw createKeyUsedError(payment, intent.content)
}

type WantedPayment = Pick<Intent, 'serviceId' | 'key' | 'content'>

// A quote that was made elsewhere has no known content, but its key is the id of the quote.
const mayBeSame = (one: PaymentContent, other: PaymentContent) =>
  !isContentKnown(one) || !isContentKnown(other) || isSameContent(one, other)

// Throws if the payment was, or may have been, made under another name of the service. That may be
// the same service at another address, which would pay a second time, so a person has to say which
// it is. The transaction that arms the payment checks this again, since another process may have
// armed it elsewhere in the meantime. The database of an embedded sandbox is never another address
// of a service.
export function requireNotMadeElsewhere(
  {profileName}: PaymentContext,
  wanted: WantedPayment,
  elsewhere: readonly Payment[],
): void {
  const made = elsewhere.filter(
    ({serviceId, state, content}) =>
      serviceId !== wanted.serviceId &&
      !isSandboxId(serviceId) &&
      spendingStates.includes(state) &&
      mayBeSame(content, wanted.content),
  )

  const [first] = made
  if (!first || isSandboxId(wanted.serviceId)) return

  const places = made.map(({serviceId, state}) => `${serviceId} (${state})`).join(', ')
  const verb = profileName === undefined ? 'set' : 'run'
  throw new SvcError({
    error: 'KEY_AT_OTHER_SERVICE',
    kind: 'usage',
    message: `The journal has the payment ${wanted.key} with the same content at ${places}, which may be the same service as ${wanted.serviceId}`,
    hint: `If it is the same service, ${verb} \`${describeStatement(profileName, first.serviceId)}\` and run the command again; if it is another one, use another key. Nothing was sent`,
  })
}

// Throws if the payment was made elsewhere, unless it was made at this service too, and is only
// reported.
export async function requireNotPaidElsewhere(context: PaymentContext, wanted: WantedPayment): Promise<void> {
  const found = await context.journal.findByKey(wanted.key)
  const isMadeHere = found.some(({serviceId, state}) => serviceId === wanted.serviceId && state === 'CREATED')
  if (!isMadeHere) requireNotMadeElsewhere(context, wanted, found)
}

// Returns the payment that the journal has under this key, if any. Throws if the key cannot have
// this content: running the same payment again pays nothing more.
export async function requireFreeKey(context: PaymentContext, wanted: WantedPayment): Promise<Payment | undefined> {
  await requireNotPaidElsewhere(context, wanted)
  const known = await context.journal.find(wanted.serviceId, wanted.key)
  if (known) requireSameContent(known, wanted)
  return known
}
