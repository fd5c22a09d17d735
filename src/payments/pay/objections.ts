// What speaks against sending a payment that was not made yet: a clock that names the wrong slot, a possible duplicate, or a new
// payee that has to wait.
import type {Approval} from '../../controls/approvals.ts'
import {type CoolDownRules, createPayeeWaitsError, findHeldPayees} from '../../controls/new-payees.ts'
import {SvcError} from '../../errors.ts'
import {normalizeAmount} from '../../values/money.ts'
import {formatDuration, formatUtcTime} from '../../values/time.ts'
import type {Intent} from '../journal/journal.ts'
import {type SlotTime, isSameTemplate, isSlotAhead} from './slots.ts'
import type {ServerClock} from '../protocol/clock.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {noteBadEnding} from '../protocol/drive.ts'
import {type Payment, type PaymentContent, getLastAttempt, spendingStates} from '../protocol/payment.ts'
import {fetchOwnTransactions} from '../protocol/search.ts'

// A slot that a clock chose is trusted up to this difference from another clock.
const clockDifferenceMaxMs = 120_000

// A wrong clock chooses the wrong slot: svc would report another slot as paid, or pay one before its time.
export function findClockObjection({observedAheadMs}: Pick<ServerClock, 'observedAheadMs'>, key: string) {
  const behindMs = observedAheadMs() ?? 0
  const differenceMs = Math.abs(behindMs)
  if (differenceMs < clockDifferenceMaxMs) return undefined
  const difference = `${formatDuration(differenceMs)} ${behindMs > 0 ? 'behind' : 'ahead of'}`
  return new SvcError({
    error: 'CLOCK_DIFFERS',
    kind: 'limit',
    message: `Nothing was sent for ${key}: the clock of this machine is ${difference} that of the service, so the slot may be the wrong one`,
    hint: 'Set the clock right, or name the slot with --slot',
  })
}

// The later of both clocks: a slot has begun as soon as it has by one of them. The clock of a sandbox may be moved.
export const getLatestTimeMs = ({latest}: Pick<ServerClock, 'latest'>): number => Math.max(Date.now(), latest())

// Any reply tells the service's time. Nothing is concluded from one that does not come.
export async function learnTime({service}: Pick<PaymentContext, 'service'>, customerId: string): Promise<void> {
  const pages = service.transactions(customerId, {isFirstPageEnough: true})
  await pages[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
}

// Throws if the slot has not begun by this machine's clock, nor by the service's, which is asked. Paid before its time, a slot would
// not be paid when it comes.
export async function rejectSlotAhead(
  context: Pick<PaymentContext, 'service' | 'clock'>,
  customerId: string,
  {template, time}: {template: string; time: SlotTime},
): Promise<void> {
  if (!isSlotAhead(template, time, Date.now())) return
  await learnTime(context, customerId)
  if (!isSlotAhead(template, time, getLatestTimeMs(context.clock))) return
  throw new SvcError({
    error: 'SLOT_AHEAD',
    kind: 'limit',
    message: `Nothing was sent: the slot ${time.named?.text ?? ''} has not come yet`,
    hint: 'Run it then',
  })
}

interface ObjectionSettings {
  // Which payees wait. Absent if nobody does.
  coolDown?: CoolDownRules | undefined
  // Whether it is still approved.
  approval: Pick<Approval, 'recheck'>
  // Whether the slot of the key was taken from this machine's clock.
  isSlotFromClock: boolean
  // 0 if duplicates are allowed.
  duplicateWindowMs: number
}

export async function findObjection(
  context: PaymentContext,
  intent: Intent,
  {isSlotFromClock, duplicateWindowMs, coolDown, approval}: ObjectionSettings,
): Promise<SvcError | undefined> {
  const {serviceId, key, content} = intent
  const withdrawn = await approval.recheck?.()
  if (withdrawn) return withdrawn
  const clockObjection = isSlotFromClock ? findClockObjection(context.clock, key) : undefined
  if (clockObjection) return clockObjection
  const found = await findDuplicatesNow(context, {intent, windowMs: duplicateWindowMs})
  if (found.length > 0) return duplicateFound(key, found)
  const payee = content.destination.destinationPaymentAccountId
  const [held] = coolDown ? await findHeldPayees(context, serviceId, [payee], coolDown) : []
  return held && createPayeeWaitsError(`The payment ${key}`, held)
}

const toDuplicate = ({destination}: PaymentContent, side: string, currency: string, amount: string) =>
  JSON.stringify([destination.destinationPaymentAccountId, side, currency.toUpperCase(), normalizeAmount(amount)])

// Equal for two payments of the same amount and currency to the same account.
export const toDuplicateKey = (content: PaymentContent): string =>
  toDuplicate(content, 'sent', content.source.sourceCurrency, content.source.sourceAmount)

// Equal for two payments that let the same amount arrive at the same account. Undefined for those that do not say what is to arrive.
const toReceiveKey = (content: PaymentContent): string | undefined =>
  content.receive === undefined
    ? undefined
    : toDuplicate(content, 'received', content.destination.destinationCurrency, content.receive)

interface DuplicateQuery {
  intent: Intent
  // Payments that are older do not count. 0 turns the check off.
  windowMs: number
}

// Returns the payments that were, or may have been, made in the window, oldest first. Those that ended badly do not count, and
// neither do other slots of the same template. If the key itself was, or may have been, paid, there are none: running it again
// shows or settles that payment.
export async function findDuplicates(
  {journal, clock}: Pick<PaymentContext, 'journal' | 'clock'>,
  {intent, windowMs}: DuplicateQuery,
): Promise<Payment[]> {
  if (windowMs === 0) return []
  const {serviceId, key, content} = intent
  const own = await journal.find(serviceId, key)
  if (own && spendingStates.includes(own.state)) return []
  const query = {
    serviceId,
    destination: content.destination.destinationPaymentAccountId,
    currency: content.source.sourceCurrency,
    sinceMs: clock.latest() - windowMs,
  }
  const [wanted, received] = [toDuplicateKey(content), toReceiveKey(content)]
  const paid = await journal.listPaidTo(query)
  return paid.filter(
    (payment) =>
      payment.key !== key &&
      payment.ended === undefined &&
      !isSameTemplate(payment.template, intent.template) &&
      (toDuplicateKey(payment.content) === wanted ||
        (received !== undefined && toReceiveKey(payment.content) === received)),
  )
}

// Learns from the service's list how the payment ended, and the service's time. A list that cannot be read changes nothing.
async function refreshEnding(context: PaymentContext, payment: Payment): Promise<void> {
  try {
    const {matches} = await fetchOwnTransactions(context, payment)
    const transaction = matches.find(({transactionId}) => transactionId === payment.transactionId)
    if (transaction) await noteBadEnding(context, payment, transaction)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
  }
}

const refreshedMax = 5

// Like findDuplicates, without those that the service's list shows to have ended badly by now. Nothing is requested if the
// journal has none.
export async function findDuplicatesNow(context: PaymentContext, query: DuplicateQuery): Promise<Payment[]> {
  const found = await findDuplicates(context, query)
  // If there are more, those that are left are reason enough to ask.
  for (const payment of found.slice(-refreshedMax)) await refreshEnding(context, payment)
  return found.length === 0 ? [] : findDuplicates(context, query)
}

const stateWords: Readonly<Record<string, string>> = {CREATED: 'made', ARMED: 'being sent', UNKNOWN: 'maybe made'}

// Says under which key, when, how much, to where, and what is known of it.
export function describeDuplicate(payment: Payment): string {
  const {key, content, state, madeAt, updatedAt} = payment
  const {source, destination} = content
  const when = formatUtcTime(madeAt ?? getLastAttempt(payment)?.armedAt ?? updatedAt)
  const amount = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  const to = destination.destinationPaymentAccountId
  return `${amount} to ${to} under the key ${key}, ${stateWords[state] ?? state} at ${when}`
}

const namedMax = 3

// Names the latest of them.
export function describeDuplicates(duplicates: readonly Payment[]): string {
  const named = duplicates.slice(-namedMax).map(describeDuplicate).join('; and ')
  const rest = duplicates.length - namedMax
  return rest > 0 ? `${named}; and ${rest} more` : named
}

export const duplicateFound = (key: string, duplicates: readonly Payment[]) =>
  new SvcError({
    error: 'POSSIBLE_DUPLICATE',
    kind: 'limit',
    message: `The payment ${key} was not sent, since it may be a duplicate: there is already ${describeDuplicates(duplicates)}`,
    hint: 'If it is meant as another payment, run it again with --allow-duplicates',
  })
