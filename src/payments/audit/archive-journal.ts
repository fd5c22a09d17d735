// Writes a part of the history to an archive, and removes from the journal what nobody needs there any more. Rows of payments stay, so
// that no key is forgotten.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {badUsage} from '../../errors.ts'
import {describeOperator} from '../../profiles/operator.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {writeWholeFile} from '../../storage/write-whole-file.ts'
import {toIso} from '../../values/time.ts'
import {isBeginning, toArchivingDecision} from '../journal/archivings.ts'
import {type ChainEntry, type ChainReader, type ChainRun, namePayment, walkPages} from '../journal/chain.ts'
import {withChainReader, withJournal} from '../journal/open-journal.ts'
import {type ArchiveHeader, archiveFormat, digestFile, renderArchive} from './archive-file.ts'
import {headSigned, notIntact, parseHead, readDetail} from './proof.ts'
import {verifyJournal} from './verify-journal.ts'

interface ArchivedCounts {
  entries: number
  payments: number
}

interface Pruning {
  why?: string | undefined
  // Asked when the archive is on disk, before anything is removed.
  confirm(found: ArchivedCounts): Promise<boolean>
}

// Where a test kills the process.
export const archiveSteps = ['writing', 'written', 'verified', 'removed'] as const

export type ArchiveStep = (typeof archiveSteps)[number]

export interface ArchiveRequest {
  file: string
  svc: string
  sinceMs?: number | undefined
  beforeMs: number
  // Without it, nothing is removed.
  pruning?: Pruning | undefined
  onStep?: ((step: ArchiveStep) => void) | undefined
}

export interface WrittenArchive extends ArchivedCounts {
  file: string
  since?: string | undefined
  before: string
  // SHA-256 of the file.
  digest: string
  // Whether the journal has what is in it no more.
  isPruned: boolean
}

const nameEntry = ({chain, number}: {chain: number; number: number}) => `${chain} ${number}`

// A run ends where a signed head does, so that the head can be compared without the archive.
class ArchiveTally {
  readonly #ends: ReadonlySet<string>
  readonly runs: ChainRun[] = []
  readonly hash = createHash('sha256')
  entries = 0
  payments = 0

  constructor(ends: ReadonlySet<string>) {
    this.#ends = ends
  }

  add({chain, number, hash, what}: ChainEntry): void {
    this.entries++
    if (isBeginning({what})) this.payments++
    const run = this.runs.at(-1)
    const goesOn =
      run?.chain === chain && run.last === number - 1 && !this.#ends.has(nameEntry({...run, number: run.last}))
    if (goesOn) Object.assign(run, {last: number, hash})
    else this.runs.push({chain, first: number, last: number, hash})
  }
}

async function listSignedEnds(reader: ChainReader): Promise<Set<string>> {
  const heads = (await reader.readDecisions()).flatMap((entry) => {
    const {kind, data} = readDetail(entry)
    return kind === headSigned && typeof data?.head === 'string' ? (parseHead(data.head)?.chains ?? []) : []
  })
  return new Set(heads.map(nameEntry))
}

async function* readPeriod(reader: ChainReader, {sinceMs = 0, beforeMs}: ArchiveRequest): AsyncGenerator<ChainEntry[]> {
  for await (const page of walkPages((after) => reader.readEntries(after))) {
    yield page.filter(({at}) => at >= sinceMs && at < beforeMs)
  }
}

// What a person decided about a payment is read when he decides again, so all of its history stays.
async function* readPrunable(reader: ChainReader, {beforeMs}: ArchiveRequest): AsyncGenerator<ChainEntry[]> {
  const settled = new Set((await reader.findSettledManually()).map(namePayment))
  for await (const page of walkPages((after) => reader.readEnded(after, beforeMs))) {
    yield page.filter((entry) => !settled.has(namePayment(entry)))
  }
}

async function writeArchive(reader: ChainReader, request: ArchiveRequest): Promise<ArchiveTally> {
  const {file, svc, sinceMs, beforeMs, pruning, onStep} = request
  const header: ArchiveHeader = {
    format: archiveFormat,
    written: {at: toIso(Date.now()), by: describeOperator(), svc},
    ...(sinceMs !== undefined && {since: toIso(sinceMs)}),
    before: toIso(beforeMs),
  }
  const tally = new ArchiveTally(await listSignedEnds(reader))
  const read = pruning ? readPrunable : readPeriod
  async function* countEntries() {
    for await (const page of read(reader, request)) {
      for (const entry of page) tally.add(entry)
      yield page
    }
  }
  async function* hashText() {
    for await (const text of renderArchive(header, countEntries())) {
      tally.hash.update(text)
      yield text
      onStep?.('writing')
    }
  }
  await writeWholeFile(file, hashText(), {isNew: true})
  return tally
}

// The file as it is on disk has to have what the journal has, and the journal has to be intact.
async function verifyArchive(address: JournalAddress, file: string, tally: ArchiveTally): Promise<string> {
  const digest = digestFile(file)
  const isSame = digest === tally.hash.digest('hex')
  const {finding, sharedEntries} = await withChainReader(address, (reader) => verifyJournal(reader, {archives: [file]}))
  if (finding) {
    throw notIntact(
      `The journal ${address.text} is not intact: ${finding.message}`,
      'See docs/audit.md; nothing was archived or removed',
    )
  }
  if (isSame && sharedEntries === tally.entries) return digest
  throw badUsage(`The archive ${file} is not what was written to it`, 'Check the disk; nothing was removed')
}

// In a database, history can be removed by its owner alone.
async function rejectOthers(address: JournalAddress): Promise<void> {
  const role = await withJournal(address, async (journal) => journal.readRole?.())
  if (!role || role.isOwner) return
  throw badUsage(
    `The role ${role.name} may not remove history from the journal ${address.text}`,
    'Prune as the owner of its tables, who runs `svc journal init`; nothing was changed',
  )
}

export async function archiveHistory(address: JournalAddress, request: ArchiveRequest): Promise<WrittenArchive> {
  const {file, sinceMs, beforeMs, pruning, onStep} = request
  if (pruning) await rejectOthers(address)
  const tally = await withChainReader(address, (reader) => writeArchive(reader, request))
  const {entries, payments, runs} = tally
  let digest: string
  let isPruned = false
  try {
    onStep?.('written')
    digest = await verifyArchive(address, file, tally)
    onStep?.('verified')
    if (pruning && entries > 0) isPruned = await pruning.confirm({entries, payments})
    if (pruning && !isPruned) fs.rmSync(file)
  } catch (error) {
    fs.rmSync(file, {force: true})
    throw error
  }
  const before = toIso(beforeMs)
  if (isPruned) {
    const archived = {file: path.basename(file), digest, before, entries, payments, runs}
    const decision = toArchivingDecision(archived, describeOperator(), pruning?.why)
    // From here on the archive stays, whatever happens: it may be the only place of what it has.
    await withJournal(address, (journal) => journal.removeHistory(runs, decision))
    onStep?.('removed')
  }
  return {file, ...(sinceMs !== undefined && {since: toIso(sinceMs)}), before, entries, payments, digest, isPruned}
}
