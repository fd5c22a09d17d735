// Whose key it is: which content belongs to it, and whether it was paid at another service.
import {SvcError} from '../../errors.ts'
import {describeStatement} from '../../profiles/service.ts'
import {quoteForShell} from '../../values/text.ts'
import {isSandboxId} from '../../values/urls.ts'
import type {Intent} from '../journal/journal.ts'
import {compareContent, isSameContent, listContentChanges} from './compare.ts'
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

// The content of a key can change only while nothing can have been made under it.
export function createKeyUsedError(payment: Payment, content: PaymentContent): SvcError {
  const {key, state} = payment
  const isUnsettled = unsettledStates.includes(state)
  const changes = isContentKnown(payment.content) ? listContentChanges(payment.content, content) : []
  const [name, maybe] = [quoteForShell(key), isUnsettled ? ', or may have been,' : '']
  return new SvcError({
    error: 'KEY_USED',
    kind: 'usage',
    message: `The key ${key} belongs to a payment with other content, which was${maybe} made`,
    hint: isUnsettled
      ? `Settle it first with \`svc journal settle ${name}\`, or choose another key; nothing was sent`
      : `It keeps that content permanently: choose another key, or see \`svc journal show ${name}\`; nothing was sent`,
    problems: changes.length > 0 ? changes : undefined,
  })
}

// What is to arrive stands for a payment that says so. The amount that brings it is found anew as long as nothing was sent.
export const hasOtherContent = (payment: Payment, {content}: Pick<Intent, 'content'>) =>
  isContentKnown(content) &&
  (!isSameContent(payment.content, content) ||
    (canChangeContent(payment) && compareContent(payment.content, content).length > 0))

// Finds a payment that the journal has under the name of another service. It may be the same service at another address, which
// would then be paid a second time, so a person has to say which it is.
type WantedPayment = Pick<Intent, 'serviceId' | 'key' | 'content'>

// A quote that was made elsewhere has no known content, but its key is the id of the quote.
const mayBeSame = (one: PaymentContent, other: PaymentContent) =>
  !isContentKnown(one) || !isContentKnown(other) || isSameContent(one, other)

// Only what was made, or may have been, counts. The database of an embedded sandbox is no other address of a service.
const pickMade = (payments: readonly Payment[], {serviceId, content}: WantedPayment): Payment[] =>
  isSandboxId(serviceId)
    ? []
    : payments.filter(
        (payment) =>
          spendingStates.includes(payment.state) &&
          !isSandboxId(payment.serviceId) &&
          mayBeSame(payment.content, content),
      )

// A payment that was made at this service too is only reported, so it does not matter where else it was made.
async function findPaidElsewhere(context: PaymentContext, wanted: WantedPayment): Promise<Payment[]> {
  const {serviceId, key} = wanted
  const made = pickMade(await context.journal.findElsewhere(serviceId, key), wanted)
  if (made.length === 0) return []
  return (await context.journal.find(serviceId, key))?.state === 'CREATED' ? [] : made
}

// Says how to name the service, if it is the same one.
function describeChoice({profileName}: PaymentContext, otherId: string): string {
  const verb = profileName === undefined ? 'set' : 'run'
  const same = `${verb} \`${describeStatement(profileName, otherId)}\` and run the command again`
  return `If it is the same service, ${same}; if it is another one, use another key. Nothing was sent`
}

// Stops a payment that was, or may have been, made under another name of the service. Judged once more in the transaction that arms
// it: another process may have armed it there since the run began.
export function rejectMadeElsewhere(
  context: PaymentContext,
  wanted: WantedPayment,
  elsewhere: readonly Payment[],
): void {
  const error = findMadeElsewhereError(context, wanted, elsewhere)
  if (error) throw error
}

function findMadeElsewhereError(context: PaymentContext, wanted: WantedPayment, elsewhere: readonly Payment[]) {
  const made = pickMade(elsewhere, wanted)
  const [first] = made
  if (!first) return undefined
  const places = made.map(({serviceId: id, state}) => `${id} (${state})`).join(', ')
  return new SvcError({
    error: 'KEY_AT_OTHER_SERVICE',
    kind: 'usage',
    message: `The journal has the payment ${wanted.key} with the same content at ${places}, which may be the same service as ${wanted.serviceId}`,
    hint: describeChoice(context, first.serviceId),
  })
}

export async function rejectPaidElsewhere(context: PaymentContext, wanted: WantedPayment): Promise<void> {
  rejectMadeElsewhere(context, wanted, await findPaidElsewhere(context, wanted))
}

// Returns why a payment cannot have its key. A payment with the same content may: running it again pays nothing more.
export async function findKeyUse(context: PaymentContext, intent: Intent): Promise<string | undefined> {
  const {serviceId, key, content} = intent
  const known = await context.journal.find(serviceId, key)
  const isUsed = known && !isSameContent(known.content, content) && !canChangeContent(known)
  if (isUsed) return createKeyUsedError(known, content).message
  return findMadeElsewhereError(context, intent, await findPaidElsewhere(context, intent))?.message
}
