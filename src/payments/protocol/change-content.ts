// Changes the content of a key, which is possible as long as nothing can have been made under it.
import {describeOperator} from '../../profiles/operator.ts'
import {normalizeAmount} from '../../values/money.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {filterMatches, findMatches} from './find-transaction.ts'
import type {Payment, PaymentState} from './payment.ts'
import {type PaymentContent, isContentKnown, listUnknownFields, toComparableText} from './payment-content.ts'
import {keyUsed} from './payment-errors.ts'
import {commitChange, recordCreated} from './record.ts'

// In these states nothing was armed, or what was armed made nothing.
const changeableStates: ReadonlySet<PaymentState> = new Set(['INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED'])

export const canChangeContent = ({state, content}: Payment): boolean =>
  changeableStates.has(state) && isContentKnown(content)

// The content by the names of the flags.
export function describeContent(content: PaymentContent): Record<string, string> {
  const {customerId, source, destination, developerFee} = content
  const unknownFields = Object.entries(listUnknownFields(content))
  return {
    customer: customerId.toLowerCase(),
    amount: `${normalizeAmount(source.sourceAmount)} ${source.sourceCurrency.toUpperCase()}`,
    from: source.sourcePaymentAccountId,
    'from-method': source.sourcePaymentMethod,
    to: destination.destinationPaymentAccountId,
    'to-method': destination.destinationPaymentMethod,
    'to-currency': destination.destinationCurrency.toUpperCase(),
    'developer-fee': developerFee
      ? `${normalizeAmount(developerFee.developerFeeAmount)} ${developerFee.developerFeeType}`
      : 'none',
    ...Object.fromEntries(unknownFields.map(([path, value]) => [path, toComparableText(value)])),
  }
}

export interface ContentChange {
  // The name of the flag.
  name: string
  from: string
  to: string
}

export function compareContent(before: PaymentContent, after: PaymentContent): ContentChange[] {
  const [fieldsBefore, fieldsAfter] = [describeContent(before), describeContent(after)]
  return [...new Set([...Object.keys(fieldsBefore), ...Object.keys(fieldsAfter)])]
    .filter((name) => fieldsAfter[name] !== fieldsBefore[name])
    .map((name) => ({name, from: fieldsBefore[name] ?? 'none', to: fieldsAfter[name] ?? 'none'}))
}

// Lists what differs, by the name of the flag: "amount 10 USDC → 12 USDC".
export const listContentChanges = (before: PaymentContent, after: PaymentContent): string[] =>
  compareContent(before, after).map(({name, from, to}) => `${name} ${from} → ${to}`)

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

// The service's list is searched first: another host may have paid the old content, and then it is permanent.
export async function changeContent(
  context: PaymentContext,
  leased: LeasedPayment,
  content: PaymentContent,
): Promise<LeasedPayment> {
  const {payment} = leased
  if (!canChangeContent(payment)) throw createKeyUsedError(payment, content)
  const listed = await context.lookAgain?.(payment)
  const [match] = listed ? filterMatches(payment, listed) : await findMatches(context, payment)
  if (match) {
    const {payment: adopted} = await recordCreated(context, leased, match, 'ADOPTED')
    throw createKeyUsedError(adopted, content)
  }
  const changes = listContentChanges(payment.content, content)
  const {user, host} = describeOperator()
  const entry = {what: 'CONTENT_CHANGED', detail: {changes: changes.join('; '), user, host}}
  const changed = await commitChange(context, leased, {content, state: 'INTENDED'}, entry)
  context.checkpoint('changed')
  context.onContentChanged?.(changed.payment, changes)
  return changed
}
