// Whose key it is: which content belongs to it, whether another journal used it, and whether it was paid at another service.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {isSandboxId} from '../../values/urls.ts'
import {describeStatement} from '../../profiles/service-name.ts'
import type {CommitFindings, Intent} from '../journal/journal.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {isOtherPayment, listContentChanges, readMadeContent} from './compare.ts'
import {wasMadeElsewhere} from './find-transaction.ts'
import {keyUsed} from './payment-errors.ts'
import {
  type Payment,
  type PaymentContent,
  type PaymentState,
  isContentKnown,
  isSameContent,
  listUnknownFields,
  readContent,
  spendingStates,
} from './payment.ts'
import {recordCreated} from './record.ts'

// In these states nothing was armed, or what was armed made nothing.
const changeableStates: ReadonlySet<PaymentState> = new Set(['INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED'])

export const canChangeContent = ({state, content}: Payment): boolean =>
  changeableStates.has(state) && isContentKnown(content)

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

// An attempt that was made before the content was changed had the content of another payment.
const wasMadeForOther = (payment: Payment, transaction: LooseTransaction) =>
  wasMadeElsewhere(
    {...payment, attempts: payment.attempts.filter(({hadOtherContent}) => !hadOtherContent)},
    transaction,
  )

// For what is to arrive, another journal, or an attempt before this one, may have sent another amount.
function takeSentAmount(leased: LeasedPayment, transaction: LooseTransaction): LeasedPayment {
  const {content} = leased.payment
  const {sourceAmount} = readContent(transaction).source
  if (content.receive === undefined || sourceAmount === '') return leased
  return {...leased, payment: {...leased.payment, content: {...content, source: {...content.source, sourceAmount}}}}
}

// Records that the service has the transaction of this payment. Another journal, or an attempt with other content, may have paid
// somebody else with it, or another amount: then the key belongs to that payment.
export async function adopt(
  context: PaymentContext,
  leased: LeasedPayment,
  transaction: LooseTransaction,
): Promise<LeasedPayment> {
  const {content} = leased.payment
  const isOther = wasMadeForOther(leased.payment, transaction) && isOtherPayment(content, transaction)
  if (!isOther) return recordCreated(context, takeSentAmount(leased, transaction), transaction, 'ADOPTED')
  const other = {...leased, payment: {...leased.payment, content: readMadeContent(content, transaction)}}
  const {payment} = await recordCreated(context, other, transaction, 'ADOPTED')
  throw createKeyUsedError(payment, content)
}

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
    hint: describeChoice(context, first.serviceId),
  })
}

// Judges what the transaction that arms the payment has found: another process may have armed it under another name of the
// service since the run began.
export const rejectArmedElsewhere = (
  context: PaymentContext,
  payment: Payment,
  {elsewhere}: Pick<CommitFindings, 'elsewhere'>,
): void => rejectMade(context, payment, pickMade(elsewhere, payment))

// Finds out whether a key belongs to another payment already, before anything is sent.

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
