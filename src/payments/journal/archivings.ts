// The decisions to move parts of the history to archives: which entries each archive has, and how the chain goes on after them.
import type {Operator} from '../../profiles/operator.ts'
import {isRecord, readText} from '../../values/records.ts'
import {toInstantMs} from '../../values/time.ts'
import type {ChainReader, ChainRun} from './chain.ts'
import {type Decision, type HistoryEntry, archiveSubject} from './journal.ts'

const historyArchived = 'HISTORY_ARCHIVED'

// What an archive has.
export interface ArchivedHistory {
  // The name of the file when it was written, without its folder.
  file: string
  // SHA-256 of the file.
  digest: string
  // Payments that were changed from then on are not in it.
  before: string
  entries: number
  // How many payments begin in it.
  payments: number
  runs: ChainRun[]
}

export interface Archiving extends ArchivedHistory {
  at: number
}

// Runs are written as lists, since there can be many.
const toRow = ({chain, first, last, hash}: ChainRun) => [chain, first, last, hash]

function parseRun(row: unknown): ChainRun[] {
  const [chain, first, last, hash]: unknown[] = Array.isArray(row) ? row : []
  const isRun = typeof chain === 'number' && typeof first === 'number' && typeof last === 'number' && first <= last
  return isRun && typeof hash === 'string' ? [{chain, first, last, hash}] : []
}

export const toArchivingDecision = (archived: ArchivedHistory, who: Operator, why: string | undefined): Decision => {
  const {file, digest, before, entries, payments, runs} = archived
  return {
    kind: historyArchived,
    about: {...archiveSubject, archive: file},
    who,
    why,
    data: {digest, before, entries, payments, runs: runs.map(toRow)},
  }
}

// A decision that svc did not write stands for no archive, so that missing entries are reported.
function parseArchiving(at: number, detail: unknown): Archiving[] {
  if (!isRecord(detail) || detail['kind'] !== historyArchived || !isRecord(detail['data'])) return []
  const {digest, before, payments, runs: rows} = detail['data']
  const runs = Array.isArray(rows) ? rows.flatMap(parseRun) : []
  const entries = runs.reduce((sum, {first, last}) => sum + last - first + 1, 0)
  // Each payment that begins in it has an entry there.
  if (typeof payments !== 'number' || !(payments >= 0 && payments <= entries)) return []
  const texts = {file: readText(detail['archive']), digest: readText(digest), before: readText(before)}
  return [{at, ...texts, entries, payments, runs}]
}

function parseText(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

export async function readArchivings(reader: Pick<ChainReader, 'findEntries'>): Promise<Archiving[]> {
  const entries = await reader.findEntries(archiveSubject)
  return entries.flatMap(({at, detail}) => parseArchiving(at, parseText(detail)))
}

export const isBeginning = ({what}: {what: string}): boolean => what === 'INTENDED'

// The archives that may have the history of a payment of which the journal has these entries. Empty if it has all of them.
export function findArchives(
  {createdAt, updatedAt}: {createdAt: number; updatedAt: number},
  history: ReadonlyArray<Pick<HistoryEntry, 'at' | 'what'>>,
  archivings: readonly Archiving[],
): Archiving[] {
  if (history.some(isBeginning)) return []
  const isAfter = (ms: number) => (archiving: Archiving) => (toInstantMs(archiving.before) ?? 0) > ms
  // A payment that was not changed since is in the first archive that could take it.
  const sinceItsEnd = archivings.filter(isAfter(updatedAt))
  return sinceItsEnd.length > 0 ? sinceItsEnd.slice(0, 1) : archivings.filter(isAfter(createdAt))
}

export const listArchivings = (history: readonly HistoryEntry[]): Archiving[] =>
  history.flatMap(({at, detail}) => parseArchiving(at, detail))
