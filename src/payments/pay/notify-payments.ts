// Tells a person about payments that need one: stopped, ended badly, unknown for too long, or paid from a wallet without money.
import path from 'node:path'
import {runAfterOutput} from '../../cli/exit.ts'
import type {Approval} from '../../controls/approvals.ts'
import {SvcError} from '../../errors.ts'
import type {Result} from '../../cli/output/result.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {quoteForShell} from '../../values/text.ts'
import type {Intent, Journal} from '../journal/journal.ts'
import {withJournal} from '../journal/open-journal.ts'
import {isAboutBalance} from '../protocol/errors.ts'
import {type Payment, getLastAttempt, unsettledStates} from '../protocol/payment.ts'

interface NotifiedPayment extends Pick<Intent, 'key' | 'content'> {
  transactionId?: string | undefined
}

// The key with what is to arrive, if it says that and the amount that brings it was not found yet.
function describePayment({key, content: {source, destination, receive}}: NotifiedPayment) {
  return receive !== undefined && source.sourceAmount === ''
    ? {key, amount: receive, currency: destination.destinationCurrency.toUpperCase()}
    : {key, amount: source.sourceAmount, currency: source.sourceCurrency.toUpperCase()}
}

const describeShow = (key: string) => `svc journal show ${quoteForShell(key)}`

// Told once a day for a wallet, however many payments it fails. `error` is the code of the service.
export function notifyDrained(notifier: Notifier, {key, content: {source}}: NotifiedPayment, error: string): void {
  const [account, currency] = [source.sourcePaymentAccountId, source.sourceCurrency.toUpperCase()]
  const day = new Date().toISOString().slice(0, 10)
  notifier.add({event: 'wallet.drained', facts: [account, currency, day], detail: {account, currency, error, key}})
}

// A key has one transaction, so it is told once.
export function notifyEnded(notifier: Notifier, payment: NotifiedPayment & {status: string}): void {
  const {key, status, transactionId} = payment
  const own = {status, ...(transactionId && {transactionId}), exitCode: 11, next: describeShow(key)}
  notifier.add({event: 'payment.ended', facts: [key], detail: {...describePayment(payment), ...own}})
}

// The error of a payment, if it needs a person. Other errors go away by themselves, or are told by the exit code alone.
function notifyFailure(notifier: Notifier, payment: NotifiedPayment, {kind, error, sentence}: SvcError): void {
  const {key} = payment
  const detail = {...describePayment(payment), error, next: describeShow(key)}
  const facts = [key, error]
  if (isAboutBalance(error)) notifyDrained(notifier, payment, error)
  else if (kind === 'limit') {
    // svc's own sentence. Those of the service may contain personal data.
    notifier.add({event: 'payment.stopped', facts, detail: {...detail, exitCode: 10, reason: sentence}})
  } else if (kind === 'endedBadly') {
    notifyEnded(notifier, {...payment, status: error.replace('TRANSACTION_', '')})
  } else if (kind === 'unknownOutcome' && error === 'SEVERAL_TRANSACTIONS') {
    // They stay unknown until somebody decides.
    notifier.add({event: 'payment.unknown', facts, detail: {...detail, exitCode: 7}})
  }
}

const readTransactionId = (result: Result) =>
  result?.kind === 'item' && 'transactionId' in result.value ? {transactionId: String(result.value.transactionId)} : {}

// Runs one payment, and stores what a person has to know before its result is printed.
export async function withNotifications(
  notifier: Notifier | undefined,
  payment: NotifiedPayment,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!notifier) return work()
  try {
    const result = await work()
    if (result?.failure) notifyFailure(notifier, {...payment, ...readTransactionId(result)}, result.failure)
    return result
  } catch (error) {
    if (error instanceof SvcError) notifyFailure(notifier, payment, error)
    throw error
  }
}

// When its bytes may first have been sent, by the clock of this machine.
function getUnknownSinceMs(payment: Payment): number {
  const {armedAt, serverAheadMs} = getLastAttempt(payment) ?? {}
  return armedAt === undefined ? payment.updatedAt : armedAt - (serverAheadMs ?? 0)
}

// The journal knows which payments are unknown, whatever became of the process that sent them.
export async function notifyUnknown(notifier: Notifier, journal: Journal, serviceId: string): Promise<void> {
  for (const payment of await journal.list({serviceId, states: unsettledStates})) {
    const sinceMs = getUnknownSinceMs(payment)
    if (Date.now() - sinceMs < notifier.unknownAfterMs) continue
    const {key, state, attempts} = payment
    const next = `svc journal settle ${quoteForShell(key)}`
    notifier.add({
      event: 'payment.unknown',
      facts: [key, String(attempts.length)],
      detail: {...describePayment(payment), state, since: new Date(sinceMs).toISOString(), exitCode: 7, next},
    })
  }
}

interface NotifierSettings {
  caller: Caller
  traits: ServiceTraits
  // The value of --on-result.
  command?: string | undefined
  notice: (text: string) => void
}

// The notifier of a caller, if somebody is to be told.
export async function openNotifier({caller, traits, ...settings}: NotifierSettings): Promise<Notifier | undefined> {
  if (!settings.command && !caller.notify) return undefined
  const {createNotifier} = await import('../../notifications/notifier.ts')
  const {serviceId, journal} = traits
  return createNotifier({caller, serviceId, journal, ...settings})
}

// The same for one run: it delivers when the command has printed its result, or the next run does.
export async function openRunNotifier(settings: NotifierSettings): Promise<Notifier | undefined> {
  const notifier = await openNotifier(settings)
  if (notifier) runAfterOutput(() => finishNotifications(notifier, settings.traits))
  return notifier
}

// What fails here is tried again by the next run.
async function finishNotifications(notifier: Notifier, {serviceId, journal}: ServiceTraits): Promise<void> {
  try {
    await withJournal(journal, (opened) => notifyUnknown(notifier, opened, serviceId)).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
    await notifier.deliver()
  } finally {
    notifier.close()
  }
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
    const [{NotApproved}, {enterApprovalAsked}, {notifyNotApproved}] = await Promise.all([
      import('../../controls/approvals.ts'),
      import('../../controls/approvals-asked.ts'),
      import('../../notifications/notify-not-approved.ts'),
    ])
    if (error instanceof NotApproved) {
      const name = path.basename(file)
      // It is refused whether this can be written or not.
      await withJournal(journal, (opened) => enterApprovalAsked(opened, error, name)).catch((failure: unknown) => {
        if (!(failure instanceof SvcError)) throw failure
      })
      notifyNotApproved(notifier, error, {name})
    }
    throw error
  }
}
