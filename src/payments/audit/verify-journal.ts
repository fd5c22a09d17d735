// Walks the chains of a journal from the first entry to the last, compares every payment with the
// last entry that changed it, and the chains with a head that was signed before. Stops at the first
// thing that is wrong.
import type {Signer} from '../../controls/limits.ts'
import {SvcError} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {dayMs, toIso} from '../../values/time.ts'
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  digestPayment,
  hashEntry,
  walkEntries,
  walkStoredPayments,
} from '../journal/chain.ts'
import {decisionLine} from '../journal/journal.ts'
import {withChainReader} from '../journal/open-journal.ts'
import {type SpendingRow, SpendingSums} from '../journal/spending.ts'
import {type PaymentName, type PaymentRow, chainStart, namePayment, toPayment, toPaymentRow} from '../journal/tables.ts'
import {type GivenHead, type SignedHead, describeSignature, digestChains, readHeadFile} from './head.ts'

// A fault of the journal. `entry` is absent if the fault is in the row of a payment, or in the
// signature of the head.
export interface Finding {
  kind: 'changed' | 'removed' | 'inserted' | 'truncated' | 'rewritten' | 'unsigned'
  message: string
  entry?: {chain: number; number: number}
  serviceId?: string
  key?: string
}

export interface JournalVerification {
  entries: number
  decisions: number
  payments: number
  // The time of the last entry, by the clock of the journal.
  lastAt?: number | undefined
  // The ends of the chains.
  heads: ChainHead[]
  finding?: Finding | undefined
}

class Stop extends Error {
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

type NamedEntry = Pick<ChainEntry, 'chain' | 'number'> & Partial<PaymentName>

function stopAt(kind: Finding['kind'], {chain, number, key, serviceId = ''}: NamedEntry, what: string): Stop {
  const name = chain === 0 ? `Entry ${number}` : `Entry ${chain}.${number}`
  const message = `${name}${key ? ` of the payment ${key}` : ''} ${what}`
  return new Stop({kind, message, entry: {chain, number}, ...(key && {serviceId, key})})
}

const dateLength = 10

const stopAtPayment = (kind: Finding['kind'], {serviceId, key}: PaymentName, what: string) =>
  new Stop({kind, message: `The payment ${key} ${what}`, serviceId, key})

// Returns the end of the chain with this entry. Entries of a chain that the journal does not have
// were added behind its back.
function followEntry(end: ChainHead | undefined, entry: ChainEntry): ChainHead {
  const {chain, number, hash} = entry
  const expected = (end?.number ?? number) + 1
  if (!end || number < expected) throw stopAt('inserted', entry, 'was inserted')
  if (number > expected)
    throw stopAt('removed', {chain, number: expected}, `was removed: entry ${number} follows in its place`)
  if (hashEntry(end.hash, entry) !== hash) {
    const before = number === 1 ? '' : ', or the one before it was changed, removed or inserted with its hash'
    throw stopAt('changed', entry, `was changed${before}`)
  }
  return {chain, number, hash}
}

function compareEnd(end: ChainHead, {chain, number, hash}: ChainHead): void {
  if (end.number < number) throw stopAt('truncated', {chain, number: end.number + 1}, 'was removed')
  if (end.number > number) throw stopAt('inserted', {chain, number: number + 1}, 'was inserted')
  if (end.hash !== hash) throw stopAt('changed', end, 'is not the one that the journal ends with')
}

async function walkChains(reader: ChainReader, result: JournalVerification): Promise<void> {
  const heads = await reader.read<ChainHead>(reader.reads.allHeads())
  if (heads.map(({chain}) => chain).join() !== reader.chains.join()) {
    throw new Stop({kind: 'changed', message: 'The list of the journal’s chains was changed'})
  }

  const ends = new Map(heads.map(({chain}) => [chain, {chain, number: 0, hash: chainStart}]))
  for await (const page of walkEntries(reader)) {
    for (const entry of page) {
      ends.set(entry.chain, followEntry(ends.get(entry.chain), entry))
      result.entries++
      if (entry.what === decisionLine) result.decisions++
      result.lastAt = Math.max(entry.at, result.lastAt ?? entry.at)
    }
  }

  for (const head of heads) compareEnd(ends.get(head.chain) ?? head, head)
  result.heads = heads
}

// The claims of a payment's entries about its row.
type PaymentTrace = PaymentName & {digest: string | null; createdAt: number; updatedAt: number}

function tracePayments(changes: readonly ChainEntry[]): Map<string, PaymentTrace> {
  const traces = new Map<string, PaymentTrace>()
  for (const {serviceId, key, at, payment} of changes) {
    const name = namePayment({serviceId, key})
    const known = traces.get(name)
    const updatedAt = known ? Math.max(at, known.updatedAt + 1) : at
    traces.set(name, {serviceId, key, digest: payment, createdAt: known?.createdAt ?? at, updatedAt})
  }
  return traces
}

// Compares the text of a payment with the one that its last entry covers, and its columns with its
// text.
function comparePayment(row: PaymentRow, trace: PaymentTrace | undefined): void {
  if (!trace) throw stopAtPayment('inserted', row, 'was inserted: it has no history')
  const {digest, createdAt, updatedAt} = trace
  if (digest !== digestPayment(row.payment)) {
    throw stopAtPayment('changed', row, 'was changed: it is not what its last entry left')
  }
  const columns = {...toPaymentRow(toPayment(row), row.payment), createdAt, updatedAt}
  const wrong = Object.entries(columns).find(([name, value]) => row[name as keyof PaymentRow] !== value)
  if (wrong) throw stopAtPayment('changed', row, `was changed: its ${wrong[0]} is not what its history says`)
}

// Reads the entries of some payments at a time, so that memory stays the same however many there
// are.
async function comparePayments(reader: ChainReader, result: JournalVerification): Promise<void> {
  const sums = new SpendingSums([], reader.pickChain)
  for await (const {payments, after} of walkStoredPayments(reader)) {
    const traces = tracePayments(await reader.read(reader.reads.changes(after, payments.at(-1))))
    for (const row of payments) {
      comparePayment(row, traces.get(namePayment(row)))
      traces.delete(namePayment(row))
      sums.change(undefined, row)
    }
    const [missing] = traces.values()
    if (missing) throw stopAtPayment('removed', missing, 'was removed: only its history is left')
    result.payments += payments.length
  }
  compareSums(sums, await reader.read<SpendingRow>(reader.reads.allSpent()))
}

// The sums by which daily limits are judged are what the payments add up to.
function compareSums(sums: SpendingSums, stored: readonly SpendingRow[]): void {
  const wrong = sums.findDifference(stored)
  if (!wrong) return
  const {currency, day} = wrong
  const date = toIso(day * dayMs).slice(0, dateLength)
  const message = `The sum of what was spent on ${date}${currency && ` in ${currency}`} was changed: the payments add up to another one`
  throw new Stop({kind: 'changed', message})
}

async function compareHead(reader: ChainReader, ends: readonly ChainHead[], given: readonly ChainHead[]) {
  for (const {chain, number, hash} of given) {
    const end = ends.find((each) => each.chain === chain)?.number ?? 0
    if (end < number) throw stopAt('truncated', {chain, number: end + 1}, 'was removed: the given head has it')
    const [entry] = await reader.read<ChainEntry>(reader.reads.line({chain, number}))
    if (entry?.hash === hash) continue
    const what = 'is not the one that the given head has: the journal was rewritten up to there'
    throw stopAt('rewritten', {chain, number}, what)
  }
}

// Verifies the chains and the payments. `given` are the chains of a head of the same journal that
// was signed before.
export async function verifyJournal(
  reader: ChainReader,
  given: readonly ChainHead[] = [],
): Promise<JournalVerification> {
  const result: JournalVerification = {entries: 0, decisions: 0, payments: 0, heads: []}
  try {
    // The chains are walked first: payments are compared with entries, which count only if
    // unchanged.
    await walkChains(reader, result)
    await comparePayments(reader, result)
    await compareHead(reader, result.heads, given)
  } catch (error) {
    if (!(error instanceof Stop || error instanceof SyntaxError)) throw error
    const unreadable = {kind: 'changed', message: 'An entry or a payment was changed: it cannot be read'} as const
    result.finding = error instanceof Stop ? error.finding : unreadable
  }
  return result
}

// A head that the given signers did not sign is no evidence.
function findUnsigned({file, signature}: GivenHead, signers: readonly Signer[] | undefined): Finding | undefined {
  const isUnsigned = signature.is === 'none'
  if (signature.is === 'good' || (isUnsigned && !signers)) return undefined
  const message = isUnsigned
    ? `The head in ${file} is not signed`
    : `The signature of the head in ${file} is ${describeSignature(signature)}`
  return {kind: 'unsigned', message}
}

// The error of a check that found a journal to be wrong.
export const createNotIntactError = (message: string, hint: string) =>
  new SvcError({error: 'NOT_INTACT', kind: 'finding', effect: 'none', message, hint})

export type JournalCheck = ReturnType<typeof describeCheck> & {
  // The head that was signed now.
  signed?: SignedHead | undefined
}

// The result of a walk: its extent, what it was compared with, and the first fault.
function describeCheck(journal: string, result: JournalVerification, given: GivenHead | undefined) {
  const {entries, decisions, payments, lastAt, heads, finding} = result

  return {
    journal,
    isIntact: !finding,
    entries,
    decisions,
    payments,
    ...(lastAt !== undefined && {lastEntryAt: toIso(lastAt)}),
    // SHA-256 of the text of the present head, without the time.
    ...(!finding && {digest: digestChains(heads)}),
    // Nobody vouches for entries after those that a signed head covers.
    ...(given && {
      head: {
        file: given.file,
        at: given.at,
        entries: given.chains.reduce((sum, {number}) => sum + number, 0),
        signature: describeSignature(given.signature),
      },
    }),
    ...(finding && {finding}),
  }
}

export async function checkJournal(
  address: JournalAddress,
  {headFile, signers}: {headFile?: string | undefined; signers?: readonly Signer[] | undefined},
): Promise<{check: JournalCheck; heads: ChainHead[]; failure?: SvcError | undefined}> {
  const given = headFile === undefined ? undefined : readHeadFile(headFile, signers)
  const result = await withChainReader(address, (reader) => verifyJournal(reader, given?.chains))
  if (given) result.finding ??= findUnsigned(given, signers)
  const {finding, heads} = result
  const problem = finding?.kind === 'unsigned' ? 'is not shown to be intact' : 'is not intact'
  const hint = 'See docs/audit.md for what to do; nothing was changed'
  const failure = finding && createNotIntactError(`The journal ${address.text} ${problem}: ${finding.message}`, hint)
  return {check: describeCheck(address.text, result, given), heads, failure}
}
