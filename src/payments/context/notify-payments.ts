// Tells a person about payments that need one: stopped, ended badly, unknown for too long, or paid
// from a wallet without money.
import path from 'node:path'
import {runAfterOutput} from '../../cli/exit.ts'
import type {Result} from '../../cli/output/result.ts'
import type {Approval} from '../../controls/approvals.ts'
import {SvcError, ignoreFailure} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {isRecord, readText} from '../../values/records.ts'
import {quoteForShell} from '../../values/text.ts'
import type {Intent, Journal} from '../journal/journal.ts'
import {withJournal} from '../journal/open-journal.ts'
import {isAboutBalance} from '../protocol/errors.ts'
import {getLastAttempt, unsettledStates} from '../protocol/payment.ts'

type NotifiedPayment = Pick<Intent, 'key' | 'content'>

// Describes a payment by its key and what is sent, or what is to arrive while the amount to send is
// not known.
function describePayment({key, content: {source, destination, receive}}: NotifiedPayment) {
  const next = `svc journal show ${quoteForShell(key)}`
  return receive !== undefined && source.sourceAmount === ''
    ? {key, amount: receive, currency: destination.destinationCurrency.toUpperCase(), next}
    : {key, amount: source.sourceAmount, currency: source.sourceCurrency.toUpperCase(), next}
}

// Notifies of an empty wallet, once a day however many payments it fails. `error` is the code of
// the service.
export function notifyDrainedWallet(
  notifier: Notifier,
  {key, content: {source}}: NotifiedPayment,
  error: string,
): void {
  const [account, currency] = [source.sourcePaymentAccountId, source.sourceCurrency.toUpperCase()]
  const day = new Date().toISOString().slice(0, 10)
  notifier.add({event: 'wallet.drained', facts: [account, currency, day], detail: {account, currency, error, key}})
}

// Notifies of a bad ending, once, since a key has one transaction.
export function notifyBadEnding(
  notifier: Notifier,
  {status, transactionId, ...payment}: NotifiedPayment & {status: string; transactionId?: string | undefined},
): void {
  const own = {status, ...(transactionId && {transactionId}), exitCode: 11}
  notifier.add({event: 'payment.ended', facts: [payment.key], detail: {...describePayment(payment), ...own}})
}

// Runs one payment, and stores what a person has to know before its result is printed. Other errors
// go away by themselves, or the exit code says enough. The reason of a stop is svc's own sentence:
// words of the service may contain personal data.
export async function withNotifications(
  notifier: Notifier | undefined,
  payment: NotifiedPayment,
  work: () => Promise<Result>,
): Promise<Result> {
  const tell = ({kind, error, sentence: reason}: SvcError, value?: unknown) => {
    if (!notifier) return
    const transactionId = isRecord(value) ? readText(value['transactionId']) : undefined
    if (isAboutBalance(error)) notifyDrainedWallet(notifier, payment, error)
    else if (kind === 'endedBadly') {
      notifyBadEnding(notifier, {...payment, transactionId, status: error.replace('TRANSACTION_', '')})
    } else if (kind === 'limit') {
      const detail = {...describePayment(payment), error, exitCode: 10, reason}
      notifier.add({event: 'payment.stopped', facts: [payment.key, error], detail})
    }
  }

  try {
    const result = await work()
    if (result?.failure) tell(result.failure, result.kind === 'item' ? result.value : undefined)
    return result
  } catch (error) {
    if (error instanceof SvcError) tell(error)
    throw error
  }
}

// Notifies of payments that are unknown for too long. The journal knows them, whatever became of
// the process that sent them. The time counts from when their bytes may first have been sent, by
// the clock of this machine.
export async function notifyUnknownPayments(notifier: Notifier, journal: Journal, serviceId: string): Promise<void> {
  for (const payment of await journal.list({serviceId, states: unsettledStates})) {
    const {key, state, attempts, updatedAt} = payment
    const {armed, quote} = getLastAttempt(payment) ?? {}
    const sinceMs = (armed?.at ?? updatedAt) - (quote?.aheadMs ?? 0)
    if (Date.now() - sinceMs < notifier.unknownAfterMs) continue
    const next = `svc journal settle ${quoteForShell(key)}`
    notifier.add({
      event: 'payment.unknown',
      facts: [key, String(attempts.length)],
      detail: {...describePayment(payment), state, since: new Date(sinceMs).toISOString(), exitCode: 7, next},
    })
  }
}

export interface NotifierSettings {
  caller: Caller
  traits: ServiceTraits
  // The value of --on-result.
  command?: string | undefined
  notice: (text: string) => void
}

// The notifier of a caller, if somebody is to be told.
export async function openNotifier(settings: NotifierSettings): Promise<Notifier | undefined> {
  const {caller, traits, command, notice} = settings
  if (!command && !caller.notify) return undefined
  const {createNotifier} = await import('../../notifications/notifier.ts')
  return createNotifier({caller, serviceId: traits.serviceId, journal: traits.journal, command, notice})
}

// Opens the notifier of one run, which delivers when the command has printed its result. A
// notification that could not be delivered is left to the next run.
export async function openRunNotifier(settings: NotifierSettings): Promise<Notifier | undefined> {
  const notifier = await openNotifier(settings)
  const {serviceId, journal} = settings.traits

  if (!notifier) return undefined
  runAfterOutput(async () => {
    try {
      await ignoreFailure(withJournal(journal, (opened) => notifyUnknownPayments(notifier, opened, serviceId)))
      await notifier.deliver()
    } finally {
      notifier.close()
    }
  })
  return notifier
}

interface ApprovalNotice {
  notifier?: Notifier | undefined
  journal: JournalAddress
  // The file that is to be approved.
  file: string
  // Present in a dry run, which only says what is missing.
  noticeOfDryRun?: ((text: string) => void) | undefined
}

// Returns the approval that the work finds. If it is missing, those who may give it are told.
export async function withApprovalNotice<T extends Approval>(
  {notifier, journal, file, noticeOfDryRun}: ApprovalNotice,
  work: () => Promise<T>,
): Promise<T | Approval> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'limit') throw error
    if (noticeOfDryRun) {
      noticeOfDryRun(`${error.message}.`)
      return {approvals: [], isApproved: false}
    }

    const {NotApproved} = await import('../../controls/approvals.ts')
    if (error instanceof NotApproved) {
      const [{enterApprovalAsked}, {notifyNotApproved}] = await Promise.all([
        import('../../controls/approvals-asked.ts'),
        import('../../notifications/notify-not-approved.ts'),
      ])

      const name = path.basename(file)
      // The payment is refused whether this can be written or not.
      await ignoreFailure(withJournal(journal, (opened) => enterApprovalAsked(opened, error, name)))
      notifyNotApproved(notifier, error, {name})
    }
    throw error
  }
}
