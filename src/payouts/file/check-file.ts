// The checks of a whole file before its first row is paid or stored: keys and routes, the slot, approvals, the limits that are known, new
// payees, and rows that may be duplicates.
import {
  LimitReached,
  type SpendingQuery,
  buildDayQuery,
  checkDay,
  checkSinglePayment,
} from '../../controls/check-spending.ts'
import {
  type CoolDownRules,
  describeHeld,
  findHeldPayees,
  getCoolDownRules,
  waitHint,
} from '../../controls/new-payees.ts'
import {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {withApprovalNotice} from '../../payments/pay/notify-payments.ts'
import {
  describeDuplicate,
  findClockObjection,
  learnTime,
  rejectSlotAhead,
  toDuplicateKey,
} from '../../payments/pay/objections.ts'
import {findEarlierSlots, isSameTemplate, settleEarlierSlots} from '../../payments/pay/slots.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {rejectPaidElsewhere} from '../../payments/protocol/key-use.ts'
import {checkKnownFees, toOutgoing} from '../../payments/protocol/limits.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {addAmounts} from '../../values/money.ts'
import {describeLines} from './records.ts'
import {type PayoutResult, toResult} from '../run/result.ts'
import {type OpenRun, isOpen} from '../run/run.ts'
import {type FileApproval, requireFileApproval} from './approve-file.ts'
import type {FileSlot} from './file-slot.ts'
import {type PayoutRow, rejectFile} from './rows.ts'

export interface FileRules {
  caller: Caller
  traits: ServiceTraits
  // The path, or - for standard input.
  file: string
  slot?: FileSlot | undefined
  // Whether only the rows that do not fit the limits are left out, not the whole file.
  isUpToCap: boolean
  allowsDuplicates: boolean
  isDryRun: boolean
  // How long earlier slots may take to be settled.
  timeoutMs: number | undefined
  // Who is told that an approval is missing, if anybody is.
  notifier?: Notifier | undefined
  notice: (text: string) => void
}

export interface CheckedFile {
  approval: FileApproval
  // Rows that do not fit the limits, whose payees wait, or that may be duplicates.
  stopped: PayoutResult[]
  // Why none of the file may be paid.
  refusal?: SvcError | undefined
}

export async function checkFile(run: OpenRun, rules: FileRules): Promise<CheckedFile> {
  const {caller, traits, file, slot, isDryRun, notifier, notice} = rules
  const usedKeys = [...run.told.values()].flatMap(({line, error}) =>
    error?.error === 'KEY_USED' ? [{line, message: error.message}] : [],
  )
  rejectFile(file, [...run.routeProblems, ...usedKeys])
  await rejectRowsElsewhere(run)
  await checkSlot(run, rules)
  const approval = await withApprovalNotice(
    {notifier, journal: traits.journal, file, noticeOfDryRun: isDryRun ? notice : undefined},
    () => requireFileApproval({...run, caller, traits, file, slot}),
  )
  const duplicateWindowMs = rules.allowsDuplicates ? 0 : caller.duplicateWindowMs
  const found = await checkRows(run, {duplicateWindowMs, coolDown: getCoolDownRules(caller, approval)})
  if (!isDryRun) await recordWaitingRows(run, found)
  const [duplicates, overLimit] = [found.filter(isDuplicate), found.filter((result) => !isDuplicate(result))]
  if (overLimit.length > 0 && !rules.isUpToCap) {
    return {approval, stopped: found, refusal: createRefusal(overLimit, run.rows, isDryRun)}
  }
  const refusal = duplicates.length > 0 ? createRefusal(duplicates, run.rows, isDryRun) : undefined
  return {approval, stopped: found, refusal}
}

// As with `svc pay`: the slot has come, the clock that chose it is right, and no earlier slot of a row is unsettled.
async function checkSlot(
  {context: ownContext, serviceId, ...run}: OpenRun,
  {slot, caller, isDryRun, timeoutMs, notice}: FileRules,
): Promise<void> {
  const left = listOpenRows(run)
  const customerId = left[0]?.content.customerId
  if (!slot || customerId === undefined) return
  const endsAt = performance.now() + (timeoutMs ?? ownContext.remainingMs())
  const context = {...ownContext, remainingMs: () => Math.max(0, endsAt - performance.now())}
  await rejectSlotAhead(context, customerId, slot)
  // The clock of the embedded sandbox may be moved, and is no reason to doubt that of this machine.
  if (!slot.time.named && caller.baseUrl !== sandboxAddress) {
    await learnTime(context, customerId)
    const objection = findClockObjection(context.clock, `the slot ${slot.name}`)
    if (objection) throw objection
  }
  if (!isDryRun) return settleEarlierSlots(context, serviceId, left, notice)
  for (const {earlier} of await findEarlierSlots(context, serviceId, left)) {
    notice(`The earlier slot ${earlier.key} is not settled: a run would settle it first.`)
  }
}

const payeeWaits = 'PAYEE_WAITS'
const isDuplicate = ({error}: PayoutResult) => error?.error === 'POSSIBLE_DUPLICATE'

// What an error says about rows that keep the whole file from being paid, by the code of the rows.
const refusals = {
  LIMIT_REACHED: {
    words: ['does not fit the limits', 'do not fit the limits'],
    hint: 'Change the file or the limits, or pay what fits, in the order of the file, with --up-to-cap',
  },
  [payeeWaits]: {
    words: ['pays a new payee, who waits', 'pay new payees, who wait'],
    hint: `${waitHint}, or pay the other rows with --up-to-cap`,
  },
  POSSIBLE_DUPLICATE: {
    words: ['may be a duplicate', 'may be duplicates'],
    hint: 'If they are meant as further payments, run it again with --allow-duplicates',
  },
} as const

const describeStopped = (stopped: readonly PayoutResult[], rows: readonly PayoutRow[], words: readonly string[]) =>
  `${stopped.length} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} ${words[stopped.length === 1 ? 0 : 1]} (${describeLines(stopped)})`

export function createRefusal(stopped: readonly PayoutResult[], rows: readonly PayoutRow[], isDryRun: boolean) {
  const codes = new Set(stopped.map(({error}) => error?.error))
  const code =
    codes.size === 1 && stopped[0]?.error ? (stopped[0].error.error as keyof typeof refusals) : 'LIMIT_REACHED'
  const {words, hint} = refusals[code]
  const paid = `so nothing ${isDryRun ? 'would be' : 'was'} paid`
  const message = `${describeStopped(stopped, rows, words)}, ${paid}: ${stopped[0]?.error?.message ?? ''}`
  return new SvcError({error: code, kind: 'limit', message, hint})
}

// The time that a new payee waits begins when the journal first has a payment to it.
async function recordWaitingRows({context, serviceId, rows}: OpenRun, stopped: readonly PayoutResult[]): Promise<void> {
  const {journal, owner} = context
  const waiting = new Set(stopped.filter(({error}) => error?.error === payeeWaits).map(({key}) => key))
  for (const {key, content} of rows.filter((row) => waiting.has(row.key))) {
    const acquired = await journal.acquireLease({serviceId, key, content}, owner)
    if ('lease' in acquired) await journal.releaseLease(acquired.lease)
  }
}

export interface CheckedRows {
  context: Pick<PaymentContext, 'controls' | 'clock' | 'journal' | 'service'>
  serviceId: string
  rows: readonly PayoutRow[]
  told: OpenRun['told']
}

const listOpenRows = ({rows, told}: Pick<CheckedRows, 'rows' | 'told'>) =>
  rows.filter(({key}) => {
    const result = told.get(key)
    return result && isOpen(result)
  })

interface RowRules {
  // 0 if duplicates are allowed, or not looked for.
  duplicateWindowMs: number
  coolDown?: CoolDownRules | undefined
}

// Returns the rows that are not to be paid. The service's time decides which day it is and how long ago a payment was made. It is
// requested only if payments in the journal stop a row.
export async function checkRows(file: CheckedRows, rules: RowRules): Promise<PayoutResult[]> {
  const {stopped, dependsOnTime} = await findStopped(file, rules)
  if (!dependsOnTime) return stopped
  await learnTime(file.context, file.rows[0]?.content.customerId ?? '')
  return (await findStopped(file, rules)).stopped
}

// Rows that an earlier run made or left unknown are in the journal's count already, and have to be settled whatever the limits say.
async function findStopped(file: CheckedRows, rules: RowRules) {
  const {context, serviceId} = file
  const rows = listOpenRows(file)
  const payees = rows.map(({content}) => content.destination.destinationPaymentAccountId)
  const held = rules.coolDown ? await findHeldPayees(context, serviceId, payees, rules.coolDown) : []
  const heldByAccount = new Map(held.map((payee) => [payee.destination, payee]))
  const limits = createLimitCheck(file)
  const duplicates = createDuplicateCheck(file, rules.duplicateWindowMs)
  const stopped: PayoutResult[] = []
  for (const row of rows) {
    const waiting = heldByAccount.get(row.content.destination.destinationPaymentAccountId)
    const overLimit = await limits.find(row)
    const duplicate = overLimit === undefined && !waiting ? await duplicates.find(row) : undefined
    const stop = (error: string, message: string) => stopped.push(toResult(row, 'STOPPED', {error, message}))
    if (overLimit !== undefined) stop('LIMIT_REACHED', overLimit)
    else if (waiting) stop(payeeWaits, describeHeld(waiting))
    else if (duplicate !== undefined) stop('POSSIBLE_DUPLICATE', duplicate)
  }
  return {stopped, dependsOnTime: stopped.length > 0 && (limits.hasSpent() || duplicates.hasPaid())}
}

// If one amount is not known, there is no sum: the amounts stay as they are, and stop every row.
function sumUp(amounts: string[]): string[] {
  const sum = addAmounts(amounts)
  return sum === undefined ? amounts : [sum]
}

// Checks each row against the payment cap, the destinations, developer fees that exceed --max-fee by themselves, and the daily cap with
// what the journal counts today. Each row that fits leaves less of the daily cap to those below it.
function createLimitCheck({context, serviceId}: CheckedRows) {
  const {spending = {}} = context.controls
  const amountsByCurrency = new Map<string, string[]>()
  let hasSpent = false
  const listAmounts = async ({currency, sinceMs}: SpendingQuery) => {
    const known = amountsByCurrency.get(currency)
    if (known) return known
    const amounts = await context.journal.listSpentAmounts(serviceId, '', {currency, sinceMs})
    hasSpent ||= amounts.length > 0
    // One sum instead of thousands of amounts for every row.
    const summed = sumUp(amounts)
    amountsByCurrency.set(currency, summed)
    return summed
  }
  return {
    // Whether the journal has payments of today.
    hasSpent: () => hasSpent,
    // Why the row does not fit.
    async find({content, limits}: PayoutRow): Promise<string | undefined> {
      const query = buildDayQuery(spending, toOutgoing(content), context.clock.latest())
      const amounts = query ? await listAmounts(query) : []
      try {
        checkSinglePayment(spending, toOutgoing(content))
        checkKnownFees(limits, content)
        checkDay(spending, toOutgoing(content), amounts, 'is paid or pending today, with the rows above')
      } catch (error) {
        if (error instanceof LimitReached) return error.message
        throw error
      }
      if (query) amountsByCurrency.set(query.currency, sumUp([...amounts, content.source.sourceAmount]))
      return undefined
    },
  }
}

// Finds the same amount to the same account in another row, or in a payment of the journal under another key within the profile's
// window, which is asked once for each account and currency. Of several rows that are alike, the first one is no duplicate.
function createDuplicateCheck({context, serviceId}: CheckedRows, windowMs: number) {
  const sinceMs = context.clock.latest() - windowMs
  const paidByRoute = new Map<string, Map<string, Payment[]>>()
  const firstRows = new Map<string, PayoutRow>()
  let hasPaid = false
  const readPaid = async (destination: string, currency: string) => {
    const route = JSON.stringify([destination, currency])
    const known = paidByRoute.get(route)
    if (known) return known
    const paid = await context.journal.listPaidTo({serviceId, destination, currency, sinceMs})
    const byContent = Map.groupBy(paid, ({content}) => toDuplicateKey(content))
    paidByRoute.set(route, byContent)
    return byContent
  }
  return {
    hasPaid: () => hasPaid,
    async find(row: PayoutRow): Promise<string | undefined> {
      if (windowMs === 0) return undefined
      const {sourceAmount, sourceCurrency} = row.content.source
      const [destination, currency] = [
        row.content.destination.destinationPaymentAccountId,
        sourceCurrency.toUpperCase(),
      ]
      const alike = toDuplicateKey(row.content)
      const first = firstRows.get(alike)
      if (!first) firstRows.set(alike, row)
      // What ended badly has to be paid again, under another key.
      const paid = (await readPaid(destination, currency))
        .get(alike)
        ?.find(
          ({key, ended, template}) => key !== row.key && ended === undefined && !isSameTemplate(template, row.template),
        )
      hasPaid ||= paid !== undefined
      if (paid) return `There is already ${describeDuplicate(paid)}`
      return first && `Line ${first.line} (${first.key}) also pays ${sourceAmount} ${currency} to ${destination}`
    },
  }
}

// Stops a payout file if the journal has a row of it under the id of another service, before the first row is sent.
async function rejectRowsElsewhere({context, serviceId, rows}: OpenRun): Promise<void> {
  for (const {key, content} of rows) await rejectPaidElsewhere(context, {serviceId, key, content})
}
