// The controls that read the request log.
import type {RequestFilter} from '../../orders.ts'
import {matchesRequest} from '../faults/faults.ts'
import type {Result} from '../../../sandbox-results.ts'
import {type Database, parseStored} from '../../store/database.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import type {LoggedRequest} from './request-log.ts'

interface Row extends LoggedRequest {
  seq: number
}

const columns = 'seq, at, method, path, status, durationMs, request, reply, fault'

function toRequestRecord({at, request, reply, fault, ...row}: Row): Result<'Request'> {
  return {
    ...row,
    at: new Date(at).toISOString(),
    ...(fault !== null && {fault}),
    ...(request !== null && {request: parseStored<unknown>(request)}),
    ...(reply !== null && {reply: parseStored<unknown>(reply)}),
  }
}

type Outline = Pick<Row, 'seq' | 'method' | 'path' | 'status'>

const matchesFilter = (row: Outline, {method = '*', path = '*', status}: RequestFilter) =>
  matchesRequest({method: method.toUpperCase(), path}, row.method, row.path.replace(/\?.*$/, '')) &&
  (status === undefined || row.status === status)

// Bodies are only read for requests that match.
function listLast(database: Database, count: number, filter: RequestFilter): Array<Result<'Request'>> {
  return database
    .all<Outline>('select seq, method, path, status from requests order by seq desc')
    .filter((outline) => matchesFilter(outline, filter))
    .slice(0, count)
    .toReversed()
    .map(({seq}) => toRequestRecord(database.only<Row>(`select ${columns} from requests where seq = ?`, seq)))
}

const readNewestSeq = (database: Database) =>
  database.one<{seq: number}>('select coalesce(max(seq), 0) as seq from requests')?.seq ?? 0

function listSince(database: Database, seq: number, filter: RequestFilter) {
  const end = readNewestSeq(database)
  const rows = database.all<Row>(`select ${columns} from requests where seq > ? order by seq`, end < seq ? 0 : seq)
  return {requests: rows.filter((row) => matchesFilter(row, filter)).map(toRequestRecord), seq: rows.at(-1)?.seq ?? end}
}

export const createRequestControls = ({database}: SandboxEnvironment) => ({
  // The sequence number of the newest request.
  newest: () => readNewestSeq(database),
  // The last requests that match, oldest first.
  last: (count: number, filter: RequestFilter = {}) => listLast(database, count, filter),
  // The requests after this sequence number. A reset starts the numbers again.
  since: (seq: number, filter: RequestFilter = {}) => listSince(database, seq, filter),
})
