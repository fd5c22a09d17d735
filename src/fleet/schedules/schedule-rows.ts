// Reads what schedules pay: the plan or the payout file of each, completed with what the accounts decide, and checked against the
// limits of the profile.
import {createHash} from 'node:crypto'
import {SvcError, badUsage} from '../../errors.ts'
import {lacksDetails} from '../../quotes/complete-route.ts'
import {hasShortIds} from '../../quotes/resolve-route.ts'
import {toDuplicateKey} from '../../payments/controls/objections.ts'
import {LimitReached, checkDailyLimit, checkKnownFees, checkPaymentLimits} from '../../payments/protocol/limits.ts'
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  withPaymentContext,
} from '../../payments/run/open-context.ts'
import {toComparableText} from '../../payments/protocol/payment.ts'
import {isValidKey} from '../../payments/plan/slots.ts'
import {completeRows, createAccountReader} from '../../payouts/file/complete-rows.ts'
import {type PayoutRow, readPayouts, rejectFile, rejectReceiveRows} from '../../payouts/file/rows.ts'
import type {Caller} from '../../profiles/caller.ts'
import {addAmounts} from '../../values/money.ts'
import type {WrittenSchedule} from './schedule-file.ts'
import {type ScheduleTerms, type Sums, deriveKey} from './schedule.ts'

export interface WantedSchedule {
  label: string
  terms: ScheduleTerms
  rows: readonly PayoutRow[]
}

const concurrentReads = 4

function toPlanRow({name, plan: {plan, body}}: WrittenSchedule & {kind: 'pay'}): PayoutRow {
  const {content, limits, isGuaranteed} = plan
  const isIncomplete = hasShortIds(body, '') || lacksDetails(body, '')
  return {line: 1, key: name, content, limits, isGuaranteed, ...(isIncomplete && {incomplete: body})}
}

function rejectPlan({label}: WrittenSchedule, problems: ReadonlyArray<{message: string}>): void {
  const [first] = problems
  if (first) throw badUsage(`${label}.pay: ${first.message}`, 'Change the plan; nothing was changed')
}

async function complete(
  context: OpenPaymentContext,
  serviceId: string,
  written: WrittenSchedule,
  rows: readonly PayoutRow[],
): Promise<readonly PayoutRow[]> {
  const readAccounts = createAccountReader(context.client)
  const file = {context, serviceId, rows, readAccounts, concurrency: concurrentReads}
  const {rows: completed, problems} = await completeRows(file)
  if (written.kind === 'pay') rejectPlan(written, problems)
  else rejectFile(written.path, problems)
  return completed
}

function sumUp(rows: readonly PayoutRow[]): Sums {
  const byCurrency = Map.groupBy(rows, ({content}) => content.source.sourceCurrency.toUpperCase())
  return [...byCurrency]
    .map(([currency, own]) => ({
      currency,
      amount: addAmounts(own.map(({content}) => content.source.sourceAmount)) ?? '?',
    }))
    .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
}

const hashRows = (rows: readonly PayoutRow[]) => {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(`${toComparableText(row)}\n`)
  return hash.digest('hex')
}

// The key of a slot is longer than that of the row.
function rejectLongKeys(written: WrittenSchedule, rows: readonly PayoutRow[]): void {
  if (written.kind === 'pay') return
  const problems = rows
    .filter((row) => !isValidKey(deriveKey(written, row, new Date(0)).key))
    .map(({line}) => ({line, message: `key is too long to have ${written.name} and a slot before it`}))
  rejectFile(written.path, problems)
}

export interface RowSettings extends Pick<PaymentContextSettings, 'traits' | 'connect'> {
  notice: (text: string) => void
}

// The service is asked only if a plan or a file leaves something to the accounts.
export async function readScheduleRows(
  schedules: readonly WrittenSchedule[],
  {traits, connect, notice}: RowSettings,
): Promise<WantedSchedule[]> {
  const read: Array<{written: WrittenSchedule; rows: readonly PayoutRow[]}> = []
  for (const written of schedules) {
    if (written.kind === 'pay') {
      const row = toPlanRow(written)
      rejectReceiveRows(written.label, [row])
      read.push({written, rows: [row]})
      continue
    }
    const {rows, remarks} = await readPayouts(written.path)
    for (const remark of remarks) notice(remark)
    rejectReceiveRows(written.path, rows)
    rejectLongKeys(written, rows)
    read.push({written, rows})
  }
  if (read.some(({rows}) => rows.some(({incomplete}) => incomplete))) {
    await withPaymentContext({traits, connect, isOnlyRead: true}, async (context) => {
      for (const each of read) each.rows = await complete(context, traits.serviceId, each.written, each.rows)
    })
  }
  return read.map(({written, rows}) => toWanted(written, rows))
}

function toWanted(written: WrittenSchedule, rows: readonly PayoutRow[]): WantedSchedule {
  const {label, name, kind, cron, zone, missed, isPaused, allowsDuplicates, key, file} = written
  const terms = {
    name,
    kind,
    cron,
    zone,
    missed,
    isPaused,
    allowsDuplicates,
    ...(key !== undefined && {key}),
    ...(file !== undefined && {file}),
    digest: hashRows(rows),
    rowCount: rows.length,
    sums: sumUp(rows),
  }
  return {label, terms, rows}
}

const problemsShownMax = 50

const nameRow = ({terms}: WantedSchedule, {line, key}: PayoutRow) =>
  terms.kind === 'pay' ? terms.name : `${terms.name}, line ${line} (${key})`

// One slot is checked like payments of an otherwise empty day. The workers check again when they pay.
function listLimitProblems({spending = {}}: Caller, wanted: WantedSchedule): string[] {
  const collect = (name: string, check: () => void): string[] => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof LimitReached) return [`${name}: ${error.message}`]
      throw error
    }
  }
  const {rows, terms} = wanted
  const single = rows.flatMap((row) =>
    collect(nameRow(wanted, row), () => {
      checkPaymentLimits(spending, row.content)
      checkKnownFees(row.limits, row.content)
    }),
  )
  const whole = terms.sums.flatMap(({currency, amount}) => {
    const row = rows.find(({content}) => content.source.sourceCurrency.toUpperCase() === currency)
    if (!row) return []
    const content = {...row.content, source: {...row.content.source, sourceAmount: amount}}
    return collect(terms.name, () => checkDailyLimit(spending, content, []))
  })
  return [...single, ...(single.length === 0 ? whole : [])]
}

// Of several rows that are alike, the first one is no duplicate.
function listDuplicateProblems(wanted: WantedSchedule): string[] {
  if (wanted.terms.allowsDuplicates) return []
  const first = new Map<string, PayoutRow>()
  return wanted.rows.flatMap((row) => {
    const alike = toDuplicateKey(row.content)
    const other = first.get(alike)
    if (!other) first.set(alike, row)
    const {source, destination} = row.content
    const what = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()} to ${destination.destinationPaymentAccountId}`
    return other ? [`${nameRow(wanted, row)}: line ${other.line} (${other.key}) also pays ${what}`] : []
  })
}

const cut = (problems: readonly string[]) =>
  problems.length > problemsShownMax
    ? [...problems.slice(0, problemsShownMax), `… and ${problems.length - problemsShownMax} more`]
    : problems

interface ProblemWords {
  error: 'LIMIT_REACHED' | 'POSSIBLE_DUPLICATE'
  what: string
  hint: string
}

function createProblemError({label}: Caller, problems: readonly string[], {error, what, hint}: ProblemWords): SvcError {
  const [only = ''] = problems
  return new SvcError({
    error,
    kind: 'limit',
    message: `${problems.length === 1 ? only : `${problems.length} ${what}`} (${label})`,
    hint: `Nothing was changed; ${hint}`,
    problems: problems.length > 1 ? cut(problems) : undefined,
  })
}

const overLimit: ProblemWords = {
  error: 'LIMIT_REACHED',
  what: 'payments exceed the limits',
  hint: 'change the schedule, or the limits with `svc profiles set`',
}

const possibleDuplicate: ProblemWords = {
  error: 'POSSIBLE_DUPLICATE',
  what: 'rows may be duplicates',
  hint: 'if they are meant, set allowDuplicates: true for the schedule',
}

// Why these schedules may not be applied as they are.
export function findRowError(caller: Caller, schedules: readonly WantedSchedule[]): SvcError | undefined {
  const limits = schedules.flatMap((wanted) => listLimitProblems(caller, wanted))
  if (limits.length > 0) return createProblemError(caller, limits, overLimit)
  const duplicates = caller.duplicateWindowMs === 0 ? [] : schedules.flatMap(listDuplicateProblems)
  return duplicates.length > 0 ? createProblemError(caller, duplicates, possibleDuplicate) : undefined
}
