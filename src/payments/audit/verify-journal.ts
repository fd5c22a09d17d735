// Walks the chains of a journal from the first entry to the last, compares every payment with the last entry that changed it, and
// the chains with heads that were exported or signed before. Stops at the first thing that is wrong.
import type {Signer} from '../../controls/limits.ts'
import type {SignatureCheck} from '../../controls/signatures.ts'
import {SvcError} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {toIso} from '../../values/time.ts'
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  digestText,
  hashEntry,
  walkEntries,
  walkStoredPayments,
} from '../journal/chain.ts'
import {decided} from '../journal/journal.ts'
import {withChainReader} from '../journal/open-journal.ts'
import {type PaymentName, type PaymentRow, chainStart, namePayment, toPayment, toPaymentRow} from '../journal/tables.ts'
import {type GivenHead, type SignedHead, checkHead, digestChains, headSigned, readHeadFile} from './head.ts'

type FindingKind = 'changed' | 'removed' | 'inserted' | 'truncated' | 'rewritten' | 'unsigned'

// The first thing that is wrong. `entry` is absent if it is a payment whose row is wrong.
export interface Finding {
  kind: FindingKind
  message: string
  entry?: {chain: number; number: number} | undefined
  serviceId?: string | undefined
  key?: string | undefined
}

export interface JournalVerification {
  entries: number
  decisions: number
  payments: number
  // When the last entry was written, by the clock of the journal.
  lastAt?: number | undefined
  // Where the chains end.
  heads: ChainHead[]
  // Those that it was compared with: the given one, and those that were signed into it.
  compared: GivenHead[]
  finding?: Finding | undefined
}

class Stop extends Error {
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

type NamedEntry = Pick<ChainEntry, 'chain' | 'number'> & Partial<Pick<ChainEntry, 'key' | 'serviceId'>>

const nameEntry = ({chain, number}: NamedEntry) => (chain === 0 ? `Entry ${number}` : `Entry ${chain}.${number}`)

function stopAt(kind: FindingKind, entry: NamedEntry, what: string): Stop {
  const {chain, number, key, serviceId} = entry
  const of = key ? ` of the payment ${key}` : ''
  return new Stop({
    kind,
    message: `${nameEntry(entry)}${of} ${what}`,
    entry: {chain, number},
    ...(key && {serviceId, key}),
  })
}

const stopAtPayment = (kind: FindingKind, {serviceId, key}: PaymentName, what: string) =>
  new Stop({kind, message: `The payment ${key} ${what}`, serviceId, key})

// Returns the end of the chain with this entry. Those of a chain that the journal does not have were added behind its back.
function followEntry(end: ChainHead | undefined, entry: ChainEntry): ChainHead {
  const {chain, number, hash} = entry
  const expected = (end?.number ?? number) + 1
  if (!end || number < expected) throw stopAt('inserted', entry, 'was inserted')
  if (number > expected) {
    const others = number - expected - 1
    const were = others === 0 ? 'was' : `and the ${others} after it were`
    throw stopAt('removed', {chain, number: expected}, `${were} removed`)
  }
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

// Returns the heads that were signed into the journal.
async function walkChains(reader: ChainReader, result: JournalVerification): Promise<ChainEntry[]> {
  const heads = await reader.read<ChainHead>(reader.reads.allHeads())
  if (heads.map(({chain}) => chain).join() !== reader.chains.join()) {
    throw new Stop({kind: 'changed', message: 'The list of the journal’s chains was changed'})
  }
  const ends = new Map(heads.map(({chain}) => [chain, {chain, number: 0, hash: chainStart}]))
  const signed: ChainEntry[] = []
  for await (const page of walkEntries(reader)) {
    for (const entry of page) {
      ends.set(entry.chain, followEntry(ends.get(entry.chain), entry))
      result.entries++
      if (entry.what === decided) result.decisions++
      if (entry.what === decided && readDetail(entry).kind === headSigned) signed.push(entry)
      result.lastAt = Math.max(entry.at, result.lastAt ?? entry.at)
    }
  }
  for (const head of heads) compareEnd(ends.get(head.chain) ?? head, head)
  result.heads = heads
  return signed
}

// What the entries of a payment say about its row.
type PaymentTrace = PaymentName & {digest: string | null; createdAt: number; updatedAt: number}

function trace(traces: Map<string, PaymentTrace>, {serviceId, key, at, payment}: ChainEntry): void {
  const name = namePayment({serviceId, key})
  const known = traces.get(name)
  const updatedAt = known ? Math.max(at, known.updatedAt + 1) : at
  traces.set(name, {serviceId, key, digest: payment, createdAt: known?.createdAt ?? at, updatedAt})
}

// The columns are what the text says, and the text is what the last entry covers.
function comparePayment(row: PaymentRow, found: PaymentTrace | undefined): void {
  if (!found) throw stopAtPayment('inserted', row, 'was inserted: it has no history')
  if (found.digest !== digestText(row.payment)) {
    throw stopAtPayment('changed', row, 'was changed: it is not what its last entry left')
  }
  const {createdAt, updatedAt} = found
  const columns = {...toPaymentRow(toPayment(row), row.payment), createdAt, updatedAt}
  const wrong = Object.entries(columns).find(([name, value]) => row[name as keyof PaymentRow] !== value)
  if (wrong) throw stopAtPayment('changed', row, `was changed: its ${wrong[0]} is not what its history says`)
}

// Reads the entries of some payments at a time, so that memory stays the same however many there are. Returns how many there are.
async function comparePayments(reader: ChainReader): Promise<number> {
  let count = 0
  for await (const {payments, after} of walkStoredPayments(reader)) {
    const traces = new Map<string, PaymentTrace>()
    const changes = await reader.read<ChainEntry>(reader.reads.changes(after, payments.at(-1)))
    for (const change of changes) trace(traces, change)
    for (const row of payments) {
      comparePayment(row, traces.get(namePayment(row)))
      traces.delete(namePayment(row))
    }
    const [missing] = traces.values()
    if (missing) throw stopAtPayment('removed', missing, 'was removed: only its history is left')
    count += payments.length
  }
  return count
}

async function compareHead(reader: ChainReader, ends: readonly ChainHead[], {chains}: GivenHead): Promise<void> {
  for (const {chain, number, hash} of chains) {
    const end = ends.find((each) => each.chain === chain)?.number ?? 0
    if (end < number) throw stopAt('truncated', {chain, number: end + 1}, 'was removed: the given head has it')
    const [entry] = await reader.read<ChainEntry>(reader.reads.line({chain, number}))
    if (entry?.hash === hash) continue
    const what = 'is not the one that the given head has: the journal was rewritten up to there'
    throw stopAt('rewritten', {chain, number}, what)
  }
}

function readDetail({detail}: ChainEntry): {kind?: unknown; data?: {head?: unknown; signature?: unknown}} {
  return (JSON.parse(detail ?? '{}') ?? {}) as ReturnType<typeof readDetail>
}

function readKeptHead(entry: ChainEntry, signers: readonly Signer[] | undefined): GivenHead {
  const {head, signature} = readDetail(entry).data ?? {}
  const isText = typeof head === 'string' && typeof signature === 'string'
  const kept = isText ? checkHead(head, signature, nameEntry(entry), signers) : undefined
  if (kept) return kept
  throw stopAt('changed', entry, 'says that a head was signed, and has none')
}

function describeSignature(check: SignatureCheck | null): string {
  if (check === null) return 'none'
  if (check.isGood) return `good, by ${check.person ?? check.fingerprint}`
  return check.reason === 'notAllowed' ? 'by nobody of the signers' : 'wrong'
}

// With signers, whatever they did not sign is no evidence.
function rejectUnsigned(heads: readonly GivenHead[], signers: readonly Signer[] | undefined): void {
  const bad = heads.find(({check}) => check && !check.isGood)
  if (bad) {
    const message = `The signature of the head in ${bad.place} is ${describeSignature(bad.check)}`
    throw new Stop({kind: 'changed', message})
  }
  if (!signers) return
  const unsigned = heads.find(({check}) => check === null)
  const message = unsigned
    ? `The head in ${unsigned.place} is not signed`
    : 'None of its heads is signed, so the signers vouch for nothing in it'
  if (unsigned || heads.length === 0) throw new Stop({kind: 'unsigned', message})
}

interface Evidence {
  // A head of the same journal that was exported before.
  given?: GivenHead | undefined
  signers?: readonly Signer[] | undefined
}

export async function verifyJournal(
  reader: ChainReader,
  {given, signers}: Evidence = {},
): Promise<JournalVerification> {
  const result: JournalVerification = {entries: 0, decisions: 0, payments: 0, heads: [], compared: given ? [given] : []}
  try {
    // What entries say counts only if nobody changed them.
    const signed = await walkChains(reader, result)
    result.payments = await comparePayments(reader)
    result.compared.push(...signed.map((entry) => readKeptHead(entry, signers)))
    for (const head of result.compared) await compareHead(reader, result.heads, head)
    rejectUnsigned(result.compared, signers)
  } catch (error) {
    if (!(error instanceof Stop || error instanceof SyntaxError)) throw error
    const unreadable = {kind: 'changed', message: 'An entry or a payment was changed: it cannot be read'} as const
    result.finding = error instanceof Stop ? error.finding : unreadable
  }
  return result
}

// The error of a check that found a journal to be wrong.
export const notIntact = (message: string, hint: string) =>
  new SvcError({error: 'NOT_INTACT', kind: 'finding', effect: 'none', message, hint})

const countEntries = (chains: readonly ChainHead[]) => chains.reduce((sum, {number}) => sum + number, 0)

export type JournalCheck = ReturnType<typeof describeCheck> & {
  // The head that was signed now.
  signed?: SignedHead | undefined
}

// What was walked, what it was compared with, and the first thing that is wrong.
function describeCheck(journal: string, result: JournalVerification, given: GivenHead | undefined) {
  const {entries, decisions, payments, lastAt, heads, compared, finding} = result
  const {place: file, at, chains = [], check} = given ?? {}
  return {
    journal,
    isIntact: !finding,
    entries,
    decisions,
    payments,
    ...(lastAt !== undefined && {lastEntryAt: toIso(lastAt)}),
    // SHA-256 of the text of its present head, without the time.
    ...(!finding && {digest: digestChains(heads)}),
    ...(given && {head: {file, at, entries: countEntries(chains), signature: describeSignature(check ?? null)}}),
    // Heads that were signed and kept in the journal, which hold, and how many entries one of them covers. Nobody vouches for later ones.
    signedHeads: compared.length - (given ? 1 : 0),
    signedEntries: Math.max(0, ...compared.map((head) => (head.check?.isGood ? countEntries(head.chains) : 0))),
    ...(finding && {finding}),
  }
}

export async function checkJournal(
  address: JournalAddress,
  {headFile, signers}: {headFile?: string | undefined; signers?: readonly Signer[] | undefined},
): Promise<{check: JournalCheck; heads: ChainHead[]; failure?: SvcError | undefined}> {
  const given = headFile === undefined ? undefined : readHeadFile(headFile, signers)
  const result = await withChainReader(address, (reader) => verifyJournal(reader, {given, signers}))
  const {finding, heads} = result
  const problem = finding?.kind === 'unsigned' ? 'is not shown to be intact' : 'is not intact'
  const hint = 'See docs/audit.md for what to do; nothing was changed'
  const failure = finding && notIntact(`The journal ${address.text} ${problem}: ${finding.message}`, hint)
  return {check: describeCheck(address.text, result, given), heads, failure}
}
