// What can go wrong with a PostgreSQL database. Each store puts the reason into its own sentence.
import {getSystemCode} from '../../errors.ts'

export type PostgresProblem =
  // No connection could be made; nothing was written.
  | 'unreachable'
  // The server was reached and takes no sessions at the moment: it is starting, full, or a standby.
  | 'unavailable'
  // The server was reached and does not let us in: the password, the role, the database, its certificate.
  | 'refused'
  // The connection ended before the commit was sent; nothing was written.
  | 'lost'
  // The connection ended after the commit was sent, and nobody knows whether it was written.
  | 'unknownCommit'
  // Another transaction was in the way, and repeating this one may help.
  | 'conflict'
  // A lock or a statement took too long.
  | 'busy'
  // The role may not do this.
  | 'denied'
  // The schema or a table does not exist.
  | 'missing'
  | 'other'

export class PostgresError extends Error {
  override name = 'PostgresError'
  readonly problem: PostgresProblem
  // The predicate of a sentence about the database, such as "cannot be reached".
  readonly reason: string

  constructor(problem: PostgresProblem, reason: string, cause?: unknown) {
    super(`The database ${reason}`, {cause})
    this.problem = problem
    this.reason = reason
  }
}

export const standbyReason = 'is read-only: it is a standby, or a failover is under way'

// SQLSTATE codes, whole or as the class of their first two characters (PostgreSQL's documentation, appendix A), and what is said
// instead of the server's own words.
const states: Readonly<Record<string, readonly [problem: PostgresProblem, reason?: string]>> = {
  '08': ['lost'],
  '28': ['refused'],
  '3D000': ['refused'],
  '40001': ['conflict'],
  '40P01': ['conflict'],
  '42501': ['denied'],
  '3F000': ['missing'],
  '42P01': ['missing'],
  '53300': ['unavailable', 'accepts no more connections'],
  '55P03': ['busy', 'is locked by another process that does not release it'],
  '57014': ['busy', 'took too long to answer'],
  // The server shuts down, crashed, is starting, or the session was ended for it to do so.
  '57P01': ['lost'],
  '57P02': ['lost'],
  '57P03': ['unavailable', 'is starting or stopping'],
  '57P05': ['lost'],
  '25P03': ['lost'],
  // Another host is, or is about to become, the one that can be written to.
  '25006': ['unavailable', standbyReason],
}

// The SQLSTATE of an error that the server sent. Node's own codes, such as EPIPE, are not five characters of this kind.
export function getSqlState(error: unknown): string | undefined {
  const code = getSystemCode(error)
  return error instanceof Error && 'severity' in error && code?.length === 5 ? code : undefined
}

// Errors of a socket, of the pool, or of a client whose connection has ended. pg gives most of them no code.
const isConnectionError = (error: unknown) =>
  error instanceof Error &&
  ((getSystemCode(error) !== undefined && getSqlState(error) === undefined) ||
    /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout e|read |write )/.test(
      error.message,
    ))

// `isConnected` says whether a session had begun. Undefined for an error that is not about the database.
export function toPostgresError(error: unknown, {isConnected}: {isConnected: boolean}): PostgresError | undefined {
  if (error instanceof PostgresError) return error
  const state = getSqlState(error)
  if (state !== undefined && error instanceof Error) {
    const [problem, reason = `answers: ${error.message}`] = states[state] ?? states[state.slice(0, 2)] ?? ['other']
    return new PostgresError(problem, reason, error)
  }
  if (isConnectionError(error)) {
    if (isConnected) return new PostgresError('lost', 'broke the connection', error)
    // A connection that was accepted and then closed: a server that crashes, or a proxy whose server does.
    const isClosed =
      (error as Error).message.startsWith('Connection terminated') || getSystemCode(error) === 'ECONNRESET'
    return new PostgresError(isClosed ? 'lost' : 'unreachable', `cannot be reached (${describeCause(error)})`, error)
  }
  return undefined
}

function describeCause(error: unknown): string {
  const code = getSystemCode(error)
  if (code !== undefined) return code
  return error instanceof Error && /time/i.test(error.message) ? 'no answer in time' : 'the connection was closed'
}

const temporary = new Set<PostgresProblem>(['unreachable', 'unavailable', 'lost', 'conflict'])

export const isTemporary = ({problem}: PostgresError) => temporary.has(problem)

// Whether the next attempt needs another connection.
export const endsConnection = ({problem}: PostgresError) =>
  problem === 'lost' || problem === 'unreachable' || problem === 'unavailable'
