// Faults as the database keeps them: added, listed, cleared, and taken by the requests they are for.
import {ControlError} from '../control-error.ts'
import type {Database} from '../store/database.ts'
import {deriveDigest, createOpaqueId} from '../store/ids.ts'
import {readSettings} from '../store/settings.ts'
import {toTimestamp} from '../time/clock.ts'
import type {RequestContext} from '../request-context.ts'
import {type FaultKind, getFaultKind} from './kinds.ts'
import {matchesRequest} from './paths.ts'

export interface NewFault {
  method: string
  path: string
  kind: FaultKind
  // How often it acts; without it, until it is cleared.
  times?: number | undefined
  // How many requests it lets pass first.
  after?: number | undefined
  // From 0 to 1; which requests it hits follows from the seed of the database.
  probability?: number | undefined
  status?: number | undefined
  retryAfterSeconds?: number | undefined
  delayMs?: number | undefined
}

interface FaultRow {
  faultId: string
  method: string
  path: string
  kind: FaultKind
  times: number | null
  after: number
  probability: number
  status: number | null
  retryAfterSeconds: number | null
  delayMs: number
  // How many requests it was for, and on how many of them it acted.
  seen: number
  acted: number
  createdAt: number
}

export type Fault = Pick<FaultRow, 'kind' | 'status' | 'retryAfterSeconds' | 'delayMs'>

export interface FaultRecord extends Omit<FaultRow, 'times' | 'status' | 'retryAfterSeconds' | 'createdAt'> {
  times?: number
  status?: number
  retryAfterSeconds?: number
  createdAt: string
}

const columns =
  'faultId, method, path, kind, times, after, probability, status, retryAfterSeconds, delayMs, seen, acted, createdAt'
const everyFault = `select ${columns} from faults order by seq`
const liveFaults = `select ${columns} from faults where times is null or acted < times order by seq`

const toFaultRecord = (row: FaultRow): FaultRecord => {
  const {faultId, method, path, kind, times, status, retryAfterSeconds, createdAt, ...rest} = row
  return {
    faultId,
    method,
    path,
    kind,
    ...(times !== null && {times}),
    ...rest,
    ...(status !== null && {status}),
    ...(retryAfterSeconds !== null && {retryAfterSeconds}),
    createdAt: toTimestamp(createdAt),
  }
}

const answers = new Set<FaultKind>(['refuse', 'status', 'html'])

// A fault that could never do what it was added for would be waited for in vain.
function validateFault({path, kind, status, retryAfterSeconds, delayMs}: NewFault) {
  if (!path.startsWith('/') && !path.startsWith('*')) {
    throw new ControlError(`The path "${path}" begins neither with / nor with *`)
  }
  if (kind === 'delay' && !delayMs) throw new ControlError('A delay needs to know how long')
  if (!answers.has(kind) && (status !== undefined || retryAfterSeconds !== undefined)) {
    throw new ControlError(`A status or a Retry-After goes with ${[...answers].join(', ')}, and not with ${kind}`)
  }
}

export function addFault({database, now}: RequestContext, fault: NewFault): FaultRecord {
  validateFault(fault)
  const faultId = createOpaqueId(database, 'fault')
  database.run(
    `insert into faults (faultId, method, path, kind, times, after, probability, status, retryAfterSeconds, delayMs, createdAt)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    faultId,
    fault.method.toUpperCase(),
    fault.path,
    fault.kind,
    fault.times ?? null,
    fault.after ?? 0,
    fault.probability ?? 1,
    fault.status ?? getFaultKind(fault.kind).statusDefault ?? null,
    fault.retryAfterSeconds ?? null,
    fault.delayMs ?? 0,
    now,
  )
  return toFaultRecord(database.one<FaultRow>(`select ${columns} from faults where faultId = ?`, faultId) as FaultRow)
}

export const listFaults = (database: Database): FaultRecord[] => database.all<FaultRow>(everyFault).map(toFaultRecord)

export function clearFaults({database}: RequestContext, faultId?: string): FaultRecord[] {
  const gone = listFaults(database).filter((fault) => faultId === undefined || fault.faultId === faultId)
  if (faultId !== undefined && gone.length === 0) {
    throw new ControlError(`There is no fault ${faultId}`, {notFound: true})
  }
  for (const fault of gone) database.run('delete from faults where faultId = ?', fault.faultId)
  return gone
}

const drawHexDigits = 8

// The same seed draws the same lots, whichever process asks.
function isDrawn({faultId, probability, seen}: FaultRow, seed: string): boolean {
  if (probability >= 1) return true
  const lot = Number.parseInt(deriveDigest(seed, 'fault', faultId, seen).slice(0, drawHexDigits), 16)
  return lot / 16 ** drawHexDigits < probability
}

// The oldest fault that acts on this request, if any. It is counted here and now, so that processes which share the
// database never act more often than was asked for.
export function takeFault(database: Database, method: string, path: string): Fault | undefined {
  if (!database.all<FaultRow>(liveFaults).some((fault) => matchesRequest(fault, method, path))) return undefined
  return database.transact(() => {
    const {seed} = readSettings(database)
    for (const fault of database.all<FaultRow>(liveFaults)) {
      if (!matchesRequest(fault, method, path)) continue
      const counted = {...fault, seen: fault.seen + 1}
      const acts = counted.seen > fault.after && isDrawn(counted, seed)
      database.run(
        'update faults set seen = seen + 1, acted = acted + ? where faultId = ?',
        acts ? 1 : 0,
        fault.faultId,
      )
      if (acts) return counted
    }
    return undefined
  })
}
