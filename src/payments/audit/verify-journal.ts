// Walks the chains of a journal from the first entry to the last, and compares every payment with the last entry that changed it.
import {type SignatureCheck, checkSignature} from '../../controls/signatures.ts'
import type {Signers} from '../../controls/signers.ts'
import type {SvcError} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  type StoredPayment,
  chainStart,
  digestText,
  hashEntry,
  walkEntries,
  walkStoredPayments,
} from '../journal/chain.ts'
import {decided, getSpentAt, readPaymentText, toColumnValues} from '../journal/journal.ts'
import {withChainReader} from '../journal/open-journal.ts'
import type {Payment} from '../protocol/payment.ts'
import {
  type JournalHead,
  countEntries,
  digestHead,
  formatHead,
  headNamespace,
  headSigned,
  notIntact,
  parseHead,
  readAuditFile,
  readDetail,
  readSignatureFile,
  requireHead,
} from './proof.ts'

type FindingKind = 'changed' | 'removed' | 'inserted' | 'truncated' | 'rewritten' | 'unsigned'

// The first thing that is wrong. `entry` is absent if it is a payment whose row is wrong.
interface Finding {
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
  heads: ChainHead[]
  finding?: Finding | undefined
}

// What the entries of a payment say about its row.
interface PaymentTrace {
  serviceId: string
  key: string
  digest: string | null
  createdAt: number
  updatedAt: number
}

// These leave the payment as it is.
const otherLines: ReadonlySet<string> = new Set(['TAKEN_OVER', decided])

class Stop extends Error {
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

const nameEntry = ({chain, number}: {chain: number; number: number}) =>
  chain === 0 ? `entry ${number}` : `entry ${chain}.${number}`

function stopAt(
  kind: FindingKind,
  entry: {chain: number; number: number; key?: string; serviceId?: string},
  what: string,
) {
  const {chain, number, key, serviceId} = entry
  const of = key ? ` of the payment ${key}` : ''
  const message = `${nameEntry(entry)}${of} ${what}`
  return new Stop({
    kind,
    message: message[0]?.toUpperCase() + message.slice(1),
    entry: {chain, number},
    ...(key && {serviceId, key}),
  })
}

const stopAtPayment = (kind: FindingKind, {serviceId, key}: {serviceId: string; key: string}, what: string) =>
  new Stop({kind, message: `The payment ${key} ${what}`, serviceId, key})

const nameTrace = ({serviceId, key}: {serviceId: string; key: string}) => JSON.stringify([serviceId, key])

// Follows what the entries say about each payment.
function trace(traces: Map<string, PaymentTrace>, entry: ChainEntry): void {
  const {serviceId, key, at, what, payment} = entry
  if (otherLines.has(what)) return
  const known = traces.get(nameTrace(entry))
  if (!known) {
    traces.set(nameTrace(entry), {serviceId, key, digest: payment, createdAt: at, updatedAt: at})
    return
  }
  known.digest = payment
  known.updatedAt = Math.max(at, known.updatedAt + 1)
}

// Entries that no head counts were added behind the back of the journal, as were those of a chain that it does not have.
class ChainWalk {
  readonly #given: readonly ChainHead[]
  readonly #heads: ReadonlyMap<number, ChainHead>
  readonly #ends = new Map<number, ChainHead>()

  // The walk begins after `starts`.
  constructor(heads: readonly ChainHead[], given: readonly ChainHead[], starts: readonly ChainHead[] = []) {
    this.#heads = new Map(heads.map((head) => [head.chain, head]))
    this.#given = given
    for (const start of starts) this.#ends.set(start.chain, start)
  }

  follow(entry: ChainEntry): void {
    const {chain, number, hash} = entry
    const end = this.#ends.get(chain) ?? {chain, number: 0, hash: chainStart}
    const expected = end.number + 1
    if (number < expected || !this.#heads.has(chain)) throw stopAt('inserted', entry, 'was inserted')
    if (number > expected) {
      const gap = number - expected
      const others = gap === 1 ? '' : ` and the ${gap - 1} after it`
      throw stopAt('removed', {chain, number: expected}, `${others === '' ? 'was' : `${others.trim()} were`} removed`)
    }
    if (hashEntry(end.hash, entry) !== hash) {
      const before = number === 1 ? '' : `, or the one before it was changed, removed or inserted with its hash`
      throw stopAt('changed', entry, `was changed${before}`)
    }
    this.#ends.set(chain, {chain, number, hash})
    this.#compareWithGiven(entry)
  }

  // What a head that was exported before says about this entry.
  #compareWithGiven(entry: ChainEntry): void {
    const isSame = ({chain, number}: ChainHead) => chain === entry.chain && number === entry.number
    if (this.#given.some((given) => isSame(given) && given.hash !== entry.hash)) {
      throw stopAt('rewritten', entry, 'is not the one that the given head has: the journal was rewritten up to there')
    }
  }

  finish(): ChainHead[] {
    for (const head of this.#heads.values()) {
      const end = this.#ends.get(head.chain) ?? {chain: head.chain, number: 0, hash: chainStart}
      if (end.number < head.number)
        throw stopAt('truncated', {chain: head.chain, number: end.number + 1}, 'was removed')
      if (end.number > head.number)
        throw stopAt('inserted', {chain: head.chain, number: head.number + 1}, 'was inserted')
      if (end.hash !== head.hash) throw stopAt('changed', head, 'is not the one that the journal ends with')
    }
    for (const given of this.#given) {
      const {number = 0} = this.#ends.get(given.chain) ?? {}
      if (number >= given.number) continue
      throw stopAt('truncated', {chain: given.chain, number: number + 1}, 'was removed: the given head has it')
    }
    return [...this.#heads.values()]
  }
}

function readPayment(row: StoredPayment): Payment {
  try {
    return readPaymentText(row.text, row.createdAt, row.updatedAt)
  } catch {
    throw stopAtPayment('changed', row, 'was changed: it cannot be read')
  }
}

// The columns are what the text says, and the text is what the last entry covers.
function comparePayment(row: StoredPayment, found: PaymentTrace | undefined): void {
  if (!found) throw stopAtPayment('inserted', row, 'was inserted: it has no history')
  if (found.digest !== digestText(row.text)) {
    throw stopAtPayment('changed', row, 'was changed: it is not what its last entry left')
  }
  const payment = readPayment(row)
  const {serviceId, key, template = null, slot = null, state, transactionId = null} = payment
  const columns = {
    serviceId,
    key,
    template,
    slot,
    state,
    ...toColumnValues(payment),
    transactionId,
    spentAt: getSpentAt(payment),
    createdAt: found.createdAt,
    updatedAt: found.updatedAt,
  }
  const wrong = Object.entries(columns).find(([name, value]) => row[name as keyof StoredPayment] !== value)
  if (wrong) throw stopAtPayment('changed', row, `was changed: its ${wrong[0]} is not what its history says`)
}

async function comparePayments(reader: ChainReader, traces: Map<string, PaymentTrace>): Promise<number> {
  let payments = 0
  for await (const row of walkStoredPayments(reader)) {
    comparePayment(row, traces.get(nameTrace(row)))
    traces.delete(nameTrace(row))
    payments++
  }
  const [missing] = traces.values()
  if (missing) throw stopAtPayment('removed', missing, 'was removed: only its history is left')
  return payments
}

// The entries after those with which a head ends, which has to be a head of this journal.
async function* walkAfter(reader: ChainReader, starts: readonly ChainHead[]): AsyncGenerator<ChainEntry> {
  for (const chain of reader.chains) {
    const {number: last, hash} = starts.find((start) => start.chain === chain) ?? {number: 0, hash: chainStart}
    if (last > 0) {
      const [entry] = await reader.readEntries({chain, number: last - 1})
      const place = {chain, number: last}
      if (entry?.chain !== chain || entry.number !== last) {
        throw stopAt('truncated', place, 'was removed: the given head has it')
      }
      if (entry.hash !== hash) throw stopAt('rewritten', place, 'is not the one that the given head has')
    }
    for (let number = last; ;) {
      const entries = (await reader.readEntries({chain, number})).filter((entry) => entry.chain === chain)
      yield* entries
      const end = entries.at(-1)
      if (!end) break
      number = end.number
    }
  }
}

// Compares the payments of these traces alone, with all of their entries.
async function compareTouched(reader: ChainReader, touched: ReadonlyMap<string, PaymentTrace>): Promise<number> {
  for (const {serviceId, key} of touched.values()) {
    const own = new Map<string, PaymentTrace>()
    for (const entry of await reader.findEntries({serviceId, key})) trace(own, entry)
    const row = await reader.findPayment({serviceId, key})
    if (!row) throw stopAtPayment('removed', {serviceId, key}, 'was removed: only its history is left')
    comparePayment(row, own.get(nameTrace({serviceId, key})))
  }
  return touched.size
}

// Stops at the first finding. `given` are heads of the same journal that were exported before. With `starts`, only what came after
// them is read, and the payments that it changed.
export async function verifyJournal(
  reader: ChainReader,
  given: readonly ChainHead[] = [],
  starts?: readonly ChainHead[],
): Promise<JournalVerification> {
  const result: JournalVerification = {entries: 0, decisions: 0, payments: 0, heads: []}
  try {
    const heads = await reader.readHeads()
    if (heads.map(({chain}) => chain).join() !== reader.chains.join()) {
      throw new Stop({kind: 'changed', message: 'The list of the journal’s chains was changed'})
    }
    const walk = new ChainWalk(heads, given, starts)
    const traces = new Map<string, PaymentTrace>()
    for await (const entry of starts ? walkAfter(reader, starts) : walkEntries(reader)) {
      walk.follow(entry)
      trace(traces, entry)
      result.entries++
      if (entry.what === decided) result.decisions++
      result.lastAt = Math.max(entry.at, result.lastAt ?? entry.at)
    }
    result.heads = walk.finish()
    result.payments = await (starts ? compareTouched : comparePayments)(reader, traces)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    result.finding = error.finding
  }
  return result
}

// The result of `svc journal verify` for a journal: what was walked, what it was compared with, and the first thing that is wrong.
export interface JournalCheck {
  journal: string
  isIntact: boolean
  entries: number
  decisions: number
  payments: number
  lastEntryAt?: string | undefined
  // SHA-256 of the text of its present head, without the time.
  digest?: string | undefined
  // What the journal was compared with.
  head?: {file: string; at: string; entries: number; signature: string} | undefined
  // Heads that were signed and kept in the journal, which hold.
  signedHeads: number
  // How many entries a signed head covers. Nobody vouches for those after it.
  signedEntries: number
  finding?: Finding | undefined
}

export function describeSignature(check: SignatureCheck | null): string {
  if (check === null) return 'none'
  if (check.isGood) return check.person === undefined ? `good, by ${check.fingerprint}` : `good, by ${check.person}`
  return check.reason === 'notAllowed' ? 'by nobody of the signers' : 'wrong'
}

interface GivenHead {
  head: JournalHead
  // The file or the entry that it is in.
  place: string
  // Null without a signature, and then why.
  check: SignatureCheck | null
  lacks?: string | undefined
}

function readGivenHead(file: string, signers: Signers | undefined): GivenHead {
  const text = readAuditFile(file)
  const head = requireHead(text, file)
  const {text: signature, problem} = readSignatureFile(`${file}.sig`)
  if (signature === undefined) return {head, place: file, check: null, lacks: problem}
  return {head, place: file, check: checkSignature({text, signature}, {namespace: headNamespace, signers})}
}

// A head that was signed into the journal holds for it as one that was exported does.
function readKeptHeads(decisions: readonly ChainEntry[], signers: Signers | undefined): GivenHead[] {
  const kept: GivenHead[] = []
  for (const entry of decisions) {
    const {kind, data} = readDetail(entry)
    if (kind !== headSigned) continue
    const head = typeof data?.head === 'string' ? parseHead(data.head) : undefined
    if (!head || typeof data?.head !== 'string' || typeof data.signature !== 'string') {
      throw stopAt('changed', entry, 'says that a head was signed, and has none')
    }
    const signed = {text: data.head, signature: data.signature}
    const check = checkSignature(signed, {namespace: headNamespace, signers})
    kept.push({head, place: nameEntry(entry), check})
  }
  return kept
}

// With --signers, whatever they did not sign is no evidence.
function rejectUnsigned(given: GivenHead | undefined, kept: readonly GivenHead[], signers: Signers | undefined): void {
  const bad = [...(given ? [given] : []), ...kept].find(({check}) => check && !check.isGood)
  if (bad) {
    const message = `The signature of the head in ${bad.place} is ${describeSignature(bad.check)}`
    throw new Stop({kind: 'changed', message})
  }
  if (!signers) return
  if (given?.check === null) {
    throw new Stop({kind: 'unsigned', message: `The head in ${given.place} is not signed: ${given.lacks}`})
  }
  if (given || kept.length > 0) return
  throw new Stop({kind: 'unsigned', message: 'None of its heads is signed, so the signers vouch for nothing in it'})
}

interface CheckOptions {
  headFile?: string | undefined
  // Whether only what was written after the head is read.
  isOnlyAfter?: boolean | undefined
  signers?: Signers | undefined
}

// What the walk finds comes first: what entries say counts only if nobody changed them.
async function walkAndCompare(
  address: JournalAddress,
  given: GivenHead | undefined,
  {signers, isOnlyAfter = false}: CheckOptions,
) {
  const decisions = await withChainReader(address, (reader) => reader.readDecisions())
  const kept: GivenHead[] = []
  let finding: Finding | undefined
  try {
    kept.push(...readKeptHeads(decisions, signers))
    rejectUnsigned(given, kept, signers)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    finding = error.finding
  }
  const chains = [...(given ? [given] : []), ...kept].flatMap(({head}) => head.chains)
  const starts = isOnlyAfter ? given?.head.chains : undefined
  const walked = await withChainReader(address, (reader) => verifyJournal(reader, starts ? [] : chains, starts))
  return {
    walked,
    signedHeads: kept.length,
    signedEntries: countSignedEntries([...(given ? [given] : []), ...kept]),
    finding: walked.finding ?? finding,
  }
}

function countSignedEntries(heads: readonly GivenHead[]): number {
  const ends = new Map<number, number>()
  for (const {head, check} of heads) {
    if (!check?.isGood) continue
    for (const {chain, number} of head.chains) ends.set(chain, Math.max(number, ends.get(chain) ?? 0))
  }
  return [...ends.values()].reduce((sum, number) => sum + number, 0)
}

export async function checkJournal(
  address: JournalAddress,
  options: CheckOptions,
): Promise<{check: JournalCheck; failure?: SvcError | undefined}> {
  const {headFile, signers} = options
  const given = headFile === undefined ? undefined : readGivenHead(headFile, signers)
  const {walked, signedHeads, signedEntries, finding} = await walkAndCompare(address, given, options)
  const check: JournalCheck = {
    journal: address.text,
    isIntact: !finding,
    entries: walked.entries,
    decisions: walked.decisions,
    payments: walked.payments,
    ...(walked.lastAt !== undefined && {lastEntryAt: new Date(walked.lastAt).toISOString()}),
    ...(!finding && {digest: digestHead(formatHead({at: '-', chains: walked.heads}))}),
    ...(given && {
      head: {
        file: given.place,
        at: given.head.at,
        entries: countEntries(given.head),
        signature: describeSignature(given.check),
      },
    }),
    signedHeads,
    signedEntries,
    ...(finding && {finding}),
  }
  const failure =
    finding &&
    notIntact(
      finding.kind === 'unsigned'
        ? `The journal ${address.text} is not shown to be intact: ${finding.message}`
        : `The journal ${address.text} is not intact: ${finding.message}`,
      'See docs/audit.md for what to do; nothing was changed',
    )
  return {check, failure}
}
