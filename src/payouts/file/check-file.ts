// The checks of a whole file before its first row is paid or stored: keys and routes, the slot,
// approvals, the limits that are known, new payees, and rows that may be duplicates.
import type {Approval} from '../../controls/approvals.ts'
import {
  type SpentSum,
  addSpent,
  buildDayQuery,
  findDayProblems,
  findPaymentProblems,
  nothingSpent,
} from '../../controls/check-spending.ts'
import {
  type CoolDownRules,
  adviseHeld,
  describeHeld,
  findHeldPayees,
  getCoolDownRules,
} from '../../controls/new-payees.ts'
import {createRefusal} from '../../controls/limits.ts'
import type {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {withApprovalNotice} from '../../payments/context/notify-payments.ts'
import {findClockObjection, requireSlotNotAhead} from '../../payments/context/objections.ts'
import {learnTime} from '../../payments/protocol/lists/walk-list.ts'
import {findEarlierSlots, settleEarlierSlots} from '../../payments/pay/slots.ts'
import {describeDuplicate, duplicateCode, pickDuplicates, toDuplicateKey} from '../../payments/protocol/duplicates.ts'
import {requireNotPaidElsewhere} from '../../payments/protocol/key-use.ts'
import {findKnownFeeProblems, toOutgoing} from '../../payments/protocol/limits.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {countNoun} from '../../values/text.ts'
import {describeLines} from './records.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import {type PayoutResult, toResult} from '../run/result.ts'
import {type OpenRun, isOpen} from '../run/run.ts'
import {type FileToApprove, requireFileApproval} from './approve-file.ts'
import {type PayoutRow, rejectFile} from './rows.ts'

export interface FileRules extends FileToApprove {
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
  approval: Approval
  // Rows that do not fit the limits, whose payees wait, or that may be duplicates.
  stopped: PayoutResult[]
  // 0 if duplicates are allowed.
  duplicateWindowMs: number
  // Why none of the file may be paid.
  refusal?: SvcError | undefined
}

// A database is asked for so many rows with one statement.
const rowsPerRead = 500

export async function checkFile(run: OpenRun, rules: FileRules): Promise<CheckedFile> {
  const {caller, traits, file, isDryRun, notifier, notice} = rules
  const usedKeys = [...run.told.values()].flatMap(({line, error}) =>
    error?.error === 'KEY_USED' ? [{line, message: error.message}] : [],
  )
  rejectFile(file, [...run.problems, ...usedKeys])
  // A row that the journal has under the id of another service stops the file before the first one
  // is sent.
  await forEachConcurrently(run.rows, rowsPerRead, ({key, content}) =>
    requireNotPaidElsewhere(run.context, {...run, key, content}),
  )
  await checkSlot(run, rules)
  const approval = await withApprovalNotice(
    {notifier, journal: traits.journal, file, noticeOfDryRun: isDryRun ? notice : undefined},
    () => requireFileApproval(run, rules),
  )
  const duplicateWindowMs = rules.allowsDuplicates ? 0 : caller.duplicateWindowMs
  const found = await checkRows(run, {duplicateWindowMs, coolDown: getCoolDownRules(caller, approval, isDryRun)})
  const overLimit = rules.isUpToCap ? [] : found.filter((result) => !isDuplicate(result))
  const refused = overLimit.length > 0 ? overLimit : found.filter(isDuplicate)
  return {
    approval,
    stopped: found,
    duplicateWindowMs,
    refusal: refused.length > 0 ? refuseRows(refused, run.rows, isDryRun) : undefined,
  }
}

// As with `svc pay`: the slot has come, the clock that chose it is right, and no earlier slot of a
// row is unsettled.
async function checkSlot(
  {context: ownContext, serviceId, ...run}: OpenRun,
  {slot, caller, isDryRun, timeoutMs, notice}: FileRules,
): Promise<void> {
  const left = listOpenRows(run)
  const customerId = left[0]?.content.customerId
  if (!slot || customerId === undefined) return
  const endsAt = performance.now() + (timeoutMs ?? ownContext.remainingMs())
  const context = {...ownContext, remainingMs: () => Math.max(0, endsAt - performance.now())}
  await requireSlotNotAhead(context, customerId, slot)
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
const isDuplicate = ({error}: PayoutResult) => error?.error === duplicateCode

// Words about rows that keep the whole file from being paid, by the code of the rows.
const refusals = {
  LIMIT_REACHED: {
    words: ['does not fit the limits', 'do not fit the limits'],
    hint: () => 'Change the file or the limits, or pay what fits, in the order of the file, with --up-to-cap',
  },
  [payeeWaits]: {
    words: ['pays a new payee, who waits', 'pay new payees, who wait'],
    hint: () => `${adviseHeld()}, or pay the other rows with --up-to-cap`,
  },
  [duplicateCode]: {
    words: ['may be a duplicate', 'may be duplicates'],
    hint: () => 'If they are meant as further payments, run it again with --allow-duplicates',
  },
} as const

export function refuseRows(stopped: readonly PayoutResult[], {length: total}: readonly PayoutRow[], isDryRun: boolean) {
  const [first] = stopped
  const isOne = stopped.every(({error}) => error?.error === first?.error?.error)
  const code = isOne ? (first?.error?.error as keyof typeof refusals) : 'LIMIT_REACHED'
  const {words, hint} = refusals[code]
  const which = `${stopped.length} of ${countNoun(total, 'row')} ${words[stopped.length === 1 ? 0 : 1]} (${describeLines(stopped)})`
  const message = `${which}, so nothing ${isDryRun ? 'would be' : 'was'} paid: ${first?.error?.message ?? ''}`
  return createRefusal(code, message, hint())
}

function listOpenRows({rows, told}: Pick<OpenRun, 'rows' | 'told'>): PayoutRow[] {
  const open = new Set([...told.values()].filter(isOpen).map(({key}) => key))
  return rows.filter(({key}) => open.has(key))
}

interface RowRules {
  // 0 if duplicates are allowed, or not looked for.
  duplicateWindowMs: number
  coolDown: CoolDownRules
}

// Returns the rows that are not to be paid. The service's time decides which day it is and how long
// ago a payment was made. It is requested only if a row would be stopped, or if payees may have to
// wait: a clock of this machine that is ahead would stop none.
async function checkRows(run: OpenRun, rules: RowRules): Promise<PayoutResult[]> {
  const learn = () => learnTime(run.context, run.rows[0]?.content.customerId ?? '')
  const needsTime = rules.coolDown.coolDownMs > 0 && !run.context.clock.isObserved()
  if (needsTime) await learn()
  const stopped = await findStopped(run, rules)
  if (stopped.length === 0 || needsTime) return stopped
  await learn()
  return findStopped(run, rules)
}

// Why a row is not to be paid.
type FindStop = (row: PayoutRow) => Promise<{error: keyof typeof refusals; message: string} | undefined>

const getPayee = ({content}: PayoutRow) => content.destination.destinationPaymentAccountId

// Rows that an earlier run made or left unknown are in the journal's count already, and have to be
// settled whatever the limits say.
async function findStopped(run: OpenRun, {duplicateWindowMs, coolDown}: RowRules): Promise<PayoutResult[]> {
  const open = listOpenRows(run)
  const held = await findHeldPayees(run.context, run.serviceId, open.map(getPayee), coolDown)
  const waits = new Map(held.map((payee) => [payee.destination, {error: payeeWaits, message: describeHeld(payee)}]))
  const limitCheck = createLimitCheck(run)
  const findDuplicate = duplicateWindowMs === 0 ? () => undefined : createDuplicateCheck(run, duplicateWindowMs)
  const stopped: PayoutResult[] = []
  for (const row of open) {
    const stop = (await limitCheck.find(row)) ?? waits.get(getPayee(row)) ?? (await findDuplicate(row))
    if (stop) stopped.push(toResult(row, 'STOPPED', stop))
    else limitCheck.add(row)
  }
  return stopped
}

// The payment cap, the destinations, developer fees that exceed --max-fee by themselves, and the
// daily cap with what the journal counts today. Each row that is to be paid leaves less of the
// daily cap to those below it.
function createLimitCheck({context, serviceId}: OpenRun): {find: FindStop; add: (row: PayoutRow) => void} {
  const {spending = {}} = context.controls
  const sums = new Map<string, SpentSum>()
  return {
    async find({content, limits}) {
      const outgoing = toOutgoing(content)
      const query = buildDayQuery(spending, outgoing, context.clock.earliest())
      const spent = query
        ? (sums.get(query.currency) ?? (await context.journal.sumSpent(serviceId, query)))
        : nothingSpent
      if (query) sums.set(query.currency, spent)

      const [message] = [
        ...findPaymentProblems(spending, outgoing),
        ...findKnownFeeProblems(limits, content),
        ...findDayProblems(spending, outgoing, spent, 'is paid or pending today, with the rows above'),
      ]
      return message === undefined ? undefined : {error: 'LIMIT_REACHED', message}
    },
    add({content: {source}}) {
      const currency = source.sourceCurrency.toUpperCase()
      const spent = sums.get(currency)
      if (spent) sums.set(currency, addSpent(spent, source.sourceAmount))
    },
  }
}

// The same amount to the same account in another row, or in a payment of the journal under another
// key within the profile's window, which is asked once for each account and currency. Of several
// rows that are alike, the first one is no duplicate.
function createDuplicateCheck({context, serviceId}: OpenRun, windowMs: number): FindStop {
  const sinceMs = context.clock.earliest() - windowMs
  const paidByRoute = new Map<string, Promise<Map<string, Payment[]>>>()
  const firstRows = new Map<string, PayoutRow>()
  const readPaid = (destination: string, currency: string) => {
    const route = JSON.stringify([destination, currency])
    const read =
      paidByRoute.get(route) ??
      context.journal
        .listPaidTo({serviceId, destination, currency, sinceMs})
        .then((paid) => Map.groupBy(paid, ({content}) => toDuplicateKey(content)))
    paidByRoute.set(route, read)
    return read
  }
  return async (row) => {
    const {source} = row.content
    const [currency, account] = [source.sourceCurrency.toUpperCase(), getPayee(row)]
    const alike = toDuplicateKey(row.content)
    const first = firstRows.get(alike)
    if (!first) firstRows.set(alike, row)
    const [paid] = pickDuplicates(row, (await readPaid(account, currency)).get(alike) ?? [])
    if (paid) return {error: duplicateCode, message: `There is already ${describeDuplicate(paid)}`}
    const message = `Line ${first?.line} (${first?.key}) also pays ${source.sourceAmount} ${currency} to ${account}`
    return first && {error: duplicateCode, message}
  }
}
