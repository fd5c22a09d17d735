// Opens the context of a probe: the journal first, then the service and its clock.
import {setTimeout as sleep} from 'node:timers/promises'
import {Big} from 'big.js'
import {type Body, getValue, withValue} from '../values/body-paths.ts'
import {mergeBodies} from '../cli/body/body.ts'
import {rejectProblems} from '../cli/body/reject-problems.ts'
import {startLiveLine} from '../cli/output/live-line.ts'
import {canShowLiveLine} from '../cli/output/streams.ts'
import type {Client} from '../client/client.ts'
import type {Connection} from '../client/connection.ts'
import {SvcError, badUsage} from '../errors.ts'
import {joinFormerIds} from '../payments/journal/entries.ts'
import {openJournal} from '../payments/journal/open-journal.ts'
import {type PaymentContent, isSameContent, toContent} from '../payments/protocol/payment.ts'
import {createServerClock, createService} from '../payments/protocol/service.ts'
import type {Caller} from '../profiles/caller.ts'
import {type QuoteFlags, readQuoteBody, validateQuote} from '../quotes/quote-body.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import {formatClock} from '../values/time.ts'
import type {ProbeContext, ProbeTime} from './context.ts'
import {observeError} from './outcomes.ts'
import {type ProbeFile, type ProbeState, isLater, isOrdinary} from './probe-state.ts'
import {listNeededFirstTries, listOpenTries, needsControlTry} from './run-probe.ts'

// The Date header has whole seconds, and a reply takes its time.
const dateStepMs = 1_000

interface ProbeSettings {
  // Connects to the service. Every reply must be passed to `onReply`.
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
  file: Pick<ProbeFile, 'save'>
  state: ProbeState
  controls?: ProbeContext['controls'] | undefined
  // The ids that the service had before.
  formerIds?: readonly string[] | undefined
  journal: JournalAddress
  isQuick: boolean
  timeoutMs?: number | undefined
  report?: ProbeContext['report'] | undefined
  checkpoint?: ProbeContext['checkpoint'] | undefined
  time?: ProbeTime | undefined
}

const machineTime: ProbeTime = {now: () => Date.now(), sleep: (ms) => sleep(ms)}

interface OpenProbeContext extends ProbeContext {
  close(): Promise<void>
}

export async function openProbe(settings: ProbeSettings): Promise<OpenProbeContext> {
  const {connect, file, state, controls = {}, isQuick, timeoutMs, time = machineTime} = settings
  const clock = createServerClock(time.now, settings.time ? time.now : undefined)
  const observeDate = (date: string | null) => {
    clock.observeDate(date)
    if (date === null) state.date ??= {isAbsent: true}
    else {
      const aheadMs = Math.round((clock.aheadMs() + dateStepMs / 2) / dateStepMs) * dateStepMs
      state.date = {isAbsent: false, aheadMs: Math.abs(aheadMs) <= dateStepMs ? 0 : aheadMs}
    }
  }
  const store = await openJournal(settings.journal, {now: time.now})
  const journal = joinFormerIds(store, state.serviceId, settings.formerIds ?? [])
  try {
    const client = await connect((reply) => {
      observeDate(reply.headers.get('date'))
      observeError(state, reply)
    })
    return {
      client,
      service: createService(client),
      clock,
      time,
      state,
      save: () => file.save(state),
      journal,
      controls,
      isQuick,
      endsAt: timeoutMs === undefined ? Number.POSITIVE_INFINITY : time.now() + timeoutMs,
      tried: new Set(),
      obstacles: {},
      report: settings.report ?? (() => {}),
      checkpoint: settings.checkpoint ?? (() => {}),
      close: () => journal.close(),
    }
  } catch (error) {
    await journal.close()
    throw error
  }
}

// Reads the accounts of a probe from flags, and asks a person for what is missing.
const amountPath = 'source.sourceAmount'

export interface GivenRoute {
  // The body of a quote as far as it was given, with an amount in any case.
  body: Body
  // The flags that are missing.
  missing: string[]
  isAmountGiven: boolean
}

export async function readRoute(flags: QuoteFlags): Promise<GivenRoute> {
  const read = await readQuoteBody(flags)
  const isAmountGiven = getValue(read, amountPath) !== undefined
  const body = isAmountGiven ? read : withValue(read, amountPath, amountDefault)
  const {missing, wrong} = validateQuote(body)
  rejectProblems(wrong, body)
  return {body, missing, isAmountGiven}
}

// A probe continues with the accounts with which it began.
export function rejectOtherRoute(content: PaymentContent, {body, isAmountGiven}: GivenRoute): void {
  const {sourceAmount} = content.source
  const amount = isAmountGiven ? {} : {source: {sourceAmount}}
  const asked = mergeBodies(content, mergeBodies(body, amount))
  if (isSameContent(content, toContent(asked))) return
  throw badUsage(
    'A probe of this service was started with other accounts or another amount',
    'Leave them out to continue it, or start again with --restart; nothing was sent',
  )
}

// The amount and the price do not matter to a probe, so only the accounts are asked for.
export async function askForRoute(client: Client, {body}: GivenRoute): Promise<Body> {
  const {runQuoteWizard} = await import('../quotes/wizard/quote-wizard.ts')
  const withoutQuestions = ['guaranteeQuote', 'developerFee.developerFeeAmount', 'developerFee.developerFeeType']
  return runQuoteWizard(client, body, {command: 'probe', withoutQuestions}, async (whole) => whole)
}

// Finds the smallest amount that the service quotes, so that a probe moves as little money as possible.
const amounts = ['1.00', '2.00', '5.00', '10.00', '20.00', '50.00', '100.00'] as const

const amountDefault = amounts[0]

// A quote moves no money. If none of the amounts is accepted, the reason is another one, and the first refusal says which.
export async function findSmallestAmount(client: Client, content: PaymentContent): Promise<PaymentContent> {
  let refusal: SvcError | undefined
  for (const sourceAmount of amounts) {
    const tried = {...content, source: {...content.source, sourceAmount}}
    try {
      await client.quotes.create({body: tried})
      return tried
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'refused') throw error
      refusal ??= error
    }
  }
  throw refusal ?? new Error('no amount was tried')
}

// What may be probed: a test environment after a yes, a live one only with --live and --yes.
export function rejectLiveProbe(caller: Caller, {live, yes}: {live: boolean; yes: boolean}): void {
  if (caller.environment !== 'live' || (live && yes)) return
  const why = caller.profileName === undefined ? 'credentials from the environment count as live' : 'it is live'
  throw badUsage(
    `A probe makes transactions, and ${caller.label} may move real money: ${why}`,
    'Probe a test environment; or say --live and --yes if you mean it. Nothing was sent',
  )
}

export const createUnconfirmedProbeError = ({transactionsMax, amount, total, currency}: ProbePlan) =>
  badUsage(
    `A probe makes up to ${transactionsMax} transactions of ${amount} ${currency} (${total} ${currency} in all) and needs a yes`,
    'Say --yes if you mean it; nothing was sent',
  )

// Says what a probe will do before it does it: how many transactions, how much money, between which accounts, how long.
interface ProbePlan {
  // The most transactions that can be made, if the service ignores keys and accepts everything.
  transactionsMax: number
  // As many as a service makes that honours keys.
  transactionsExpected: number
  amount: string
  // The amount of all of them.
  total: string
  currency: string
  isLong: boolean
}

export function planProbe(context: ProbeContext): ProbePlan {
  const {state, isQuick} = context
  const open = listOpenTries(state, isQuick)
  const extra = listNeededFirstTries(context).length
  const isControlOpen = open.length > 0 || (state.tries.length > 0 && needsControlTry(state))
  const transactionsMax = open.reduce((sum, {sends}) => sum + sends, extra) + (isControlOpen ? 1 : 0)
  const {sourceAmount: amount, sourceCurrency: currency} = state.content.source
  return {
    transactionsMax,
    transactionsExpected: open.filter(({name}) => isOrdinary(name)).length + extra,
    amount,
    total: new Big(amount).times(transactionsMax).toFixed(countDecimals(amount)),
    currency,
    isLong: open.some(isLater),
  }
}

const countDecimals = (amount: string) => amount.split('.')[1]?.length ?? 0

export function describePlan(plan: ProbePlan, state: ProbeState): string[] {
  const {source, destination, customerId} = state.content
  const {transactionsMax, transactionsExpected, amount, total, currency, isLong} = plan
  const from = `${source.sourcePaymentAccountId} (${currency}, ${source.sourcePaymentMethod})`
  const to = `${destination.destinationPaymentAccountId} (${destination.destinationCurrency}, ${destination.destinationPaymentMethod})`
  const begun =
    state.tries.length > 0 ? [`This continues the probe of ${new Date(state.startedAt).toISOString()}.`] : []
  return [
    ...begun,
    `About ${transactionsExpected} ${transactionsExpected === 1 ? 'transaction' : 'transactions'} of ${amount} ${currency} will be made, and at most ${transactionsMax} (${total} ${currency})`,
    'if the service ignores idempotency keys:',
    `  customer  ${customerId}`,
    `  from      ${from}`,
    `  to        ${to}`,
    isLong ? 'It takes about six minutes. You can interrupt it and continue later.' : 'It takes less than a minute.',
  ]
}

// Shows what a probe is doing and for how long it still waits: one live line in a terminal, otherwise a line per step.
interface ProbeProgress {
  report: (words: string, untilMs?: number) => void
  end: () => void
}

export function startProbeProgress(isQuiet: boolean, notice: (text: string) => void): ProbeProgress {
  let current = {words: 'the service', untilMs: 0}
  const render = () => {
    const leftMs = current.untilMs - Date.now()
    return leftMs > 0 ? `Waiting for ${current.words}: ${formatClock(leftMs)} left` : `Trying ${current.words}…`
  }
  const live = !isQuiet && canShowLiveLine() ? startLiveLine(render) : undefined
  return {
    report(words, untilMs = 0) {
      const isNew = words !== current.words
      current = {words, untilMs}
      if (live) live.refresh()
      else if (isNew) notice(render())
    },
    end: () => live?.end(),
  }
}
