// The history of a payment as a script: which lines its journal had, and what each of them says about the service.
import type {HistoryEntry} from '../journal/journal.ts'
import {type Attempt, type Payment, type PaymentContent, omitReceive} from '../protocol/payment.ts'

export interface OriginalPayment {
  payment: Payment
  history: readonly HistoryEntry[]
}

// One line of the journal, as it came again.
export interface ReproducedStep {
  step: number
  // When the journal recorded it, and the clock of the service at that time.
  at: string
  serviceTime: string
  what: string
  reason?: string
  state: string
  // What led to it: requests with their answers, and processes that ended.
  events: string[]
}

// The lines that the protocol writes. Others, such as decisions of people about a file, are no steps of a payment.
const protocolLines: ReadonlySet<string> = new Set([
  'INTENDED',
  'CONTENT_CHANGED',
  'QUOTED',
  'STOPPED',
  'ARMED',
  'CREATED',
  'ADOPTED',
  'REFUSED',
  'REJECTED',
  'UNKNOWN',
  'RESENDING',
  'NOT_FOUND',
  'ABANDONED',
  'ENDED',
])

export interface ScriptLine extends HistoryEntry {
  // The attempt that the line belongs to, if there is one yet.
  attempt: Attempt | undefined
  content: PaymentContent
  // Whether a person decided it.
  isManual: boolean
}

const readDetail = ({detail}: HistoryEntry, name: string) => {
  const value = detail?.[name]
  return typeof value === 'string' ? value : undefined
}

export const getReason = (line: HistoryEntry) => readDetail(line, 'reason') ?? ''
export const getEnding = (line: HistoryEntry) => readDetail(line, 'ended') ?? readDetail(line, 'status')
export const getWhy = (line: HistoryEntry) => readDetail(line, 'why') ?? ''

type ChangeContent = (content: PaymentContent, value: string) => PaymentContent

const changeSource = (content: PaymentContent, change: object): PaymentContent => ({
  ...content,
  source: {...content.source, ...change},
})
const changeDestination = (content: PaymentContent, change: object): PaymentContent => ({
  ...content,
  destination: {...content.destination, ...change},
})

// By the names that a line of changes has.
const changeByName: Readonly<Record<string, ChangeContent>> = {
  amount: (content, value) => {
    const [sourceAmount = '', sourceCurrency = ''] = value.split(' ')
    return changeSource(content, {sourceAmount, sourceCurrency})
  },
  receive: (content, value) =>
    value === 'none' ? omitReceive(content) : {...content, receive: value.split(' ')[0] ?? ''},
  from: (content, value) => changeSource(content, {sourcePaymentAccountId: value}),
  'from-method': (content, value) => changeSource(content, {sourcePaymentMethod: value}),
  to: (content, value) => changeDestination(content, {destinationPaymentAccountId: value}),
  'to-method': (content, value) => changeDestination(content, {destinationPaymentMethod: value}),
  'to-currency': (content, value) => changeDestination(content, {destinationCurrency: value}),
}

// The journal has the last content. The one before follows from what a line says that changed.
function undoChange(content: PaymentContent, line: HistoryEntry): PaymentContent {
  let before = content
  for (const change of (readDetail(line, 'changes') ?? '').split('; ')) {
    const [, name = '', value = ''] = /^(\S+) (.*) → .*$/.exec(change) ?? []
    before = changeByName[name]?.(before, value) ?? before
  }
  return before
}

export function writeScript({payment, history}: OriginalPayment): ScriptLine[] {
  const entries = history.filter(({what}) => protocolLines.has(what))
  const contents: PaymentContent[] = []
  let content = payment.content
  for (const entry of entries.toReversed()) {
    contents.unshift(content)
    if (entry.what === 'CONTENT_CHANGED') content = undoChange(content, entry)
  }
  let quotes = 0
  return entries.map((entry, index) => {
    if (entry.what === 'QUOTED') quotes++
    return {
      ...entry,
      attempt: payment.attempts[quotes - 1],
      content: contents[index] ?? content,
      isManual: entry.detail?.['by'] !== undefined,
    }
  })
}

const goneReason = 'the process that sent it ended before it had an answer'
const lifeReason = 'the quote had too little life left'

// Whether the line says that the process before it was gone.
export const saysGone = (line: HistoryEntry) => getReason(line) === goneReason
export const saysTooLate = (line: HistoryEntry | undefined) =>
  line?.what === 'ABANDONED' && getReason(line) === lifeReason

// Whether the transaction of a send shows up later, before the next quote.
export function isFoundLater(lines: readonly ScriptLine[], from: number): boolean {
  for (const {what} of lines.slice(from)) {
    if (what === 'ADOPTED') return true
    if (what === 'QUOTED' || what === 'CREATED' || what === 'RESENDING') return false
  }
  return false
}

export interface SeenFault {
  kind: 'refuse' | 'refuse-after' | 'reset' | 'lose' | 'hang' | 'truncate' | 'garbage'
  status?: number
}

// With these, a reply says nothing about what the service did.
const inconclusiveStatuses = new Set([408, 409, 425, 429, 499])
const serverErrorMin = 500

// The fault that gives the answer that was seen. `isMade` is whether the transaction was made all the same.
export function chooseFault(line: HistoryEntry, isMade: boolean): SeenFault {
  const reason = getReason(line)
  const status = Number(/answered (\d{3})/.exec(reason)?.[1])
  if (line.what === 'REFUSED') return {kind: 'refuse', status: status || 400}
  if (inconclusiveStatuses.has(status) || status >= serverErrorMin) {
    return {kind: isMade ? 'refuse-after' : 'refuse', status}
  }
  if (!isMade) return {kind: /no (whole|complete) reply/.test(reason) ? 'hang' : 'reset'}
  if (/no transaction|neither our quote/.test(reason)) return {kind: 'garbage'}
  return {kind: /broke off|too early/.test(reason) ? 'truncate' : 'lose'}
}
