// Whose key it is: which content belongs to it, and whether it was paid at another service.
import {SvcError} from '../../errors.ts'
import {describeStatement} from '../../profiles/service.ts'
import {isSandboxId} from '../../values/urls.ts'
import type {Intent} from '../journal/journal.ts'
import {compareContent, isSameContent, listContentChanges} from './compare.ts'
import type {PaymentContext} from './context.ts'
import {keyUsed} from './errors.ts'
import {
  type Payment,
  type PaymentContent,
  isContentKnown,
  listUnknownFields,
  notMadeStates,
  spendingStates,
} from './payment.ts'

export const canChangeContent = ({state, content}: Payment): boolean =>
  notMadeStates.includes(state) && isContentKnown(content)

// Values of fields that the interface does not have may be personal data, so the error has only their names.
function listChangesForError(before: PaymentContent, after: PaymentContent): string[] {
  if (!isContentKnown(before)) return []
  const unknownFields = Object.keys({...listUnknownFields(before), ...listUnknownFields(after)})
  return listContentChanges(before, after).map((change) => {
    const unknown = unknownFields.find((name) => change.startsWith(`${name} `))
    return unknown === undefined ? change : `${unknown} differs`
  })
}

export const createKeyUsedError = (payment: Payment, content: PaymentContent) =>
  keyUsed(payment, listChangesForError(payment.content, content))

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
export async function findPaidElsewhere(context: PaymentContext, wanted: WantedPayment): Promise<Payment[]> {
  const {serviceId, key} = wanted
  const made = pickMade(await context.journal.findElsewhere(serviceId, key), wanted)
  if (made.length === 0) return []
  return (await context.journal.find(serviceId, key))?.state === 'CREATED' ? [] : made
}

// Says how to name the service, if it is the same one.
export function describeChoice({profileName}: PaymentContext, otherId: string): string {
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
  const made = pickMade(elsewhere, wanted)
  const [first] = made
  if (!first) return
  const {serviceId, key} = wanted
  const places = made.map(({serviceId: id, state}) => `${id} (${state})`).join(', ')
  throw new SvcError({
    error: 'KEY_AT_OTHER_SERVICE',
    kind: 'usage',
    message: `The journal has the payment ${key} with the same content at ${places}, which may be the same service as ${serviceId}`,
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
  if (known && !isSameContent(known.content, content) && !canChangeContent(known)) {
    return createKeyUsedError(known, content).message
  }
  try {
    await rejectPaidElsewhere(context, intent)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error.message
    throw error
  }
}
