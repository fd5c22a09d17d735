// Turns whatever is wrong with the database of a journal into a sentence.
import {SvcError} from '../../../errors.ts'
import {type PostgresProblem, toPostgresError} from '../../../storage/postgres/postgres-error.ts'
import {svc} from '../../../values/text.ts'
import {JournalUnusable} from '../journal.ts'

const hints: Readonly<Record<Exclude<PostgresProblem, 'missing'>, string>> = {
  unreachable: 'Check the address and whether the server runs, then run the same command again',
  unavailable: 'Run the same command again when the server accepts connections',
  lost: 'Run the same command again when the server accepts connections',
  unknownCommit:
    'Run the same command again when the server accepts connections: it reads what was written before it goes on',
  refused: 'Check the address, the role and its password (PGPASSWORD, ~/.pgpass, or a password command)',
  conflict: 'Try again when the other processes are done',
  busy: 'Try again when the other process is done',
  denied: 'Grant the role what it needs (docs/postgres.md)',
  other: 'Read the log of the server',
}

const kinds: Partial<Record<PostgresProblem, 'busy' | 'unreachable'>> = {
  conflict: 'busy',
  busy: 'busy',
  unreachable: 'unreachable',
  unavailable: 'unreachable',
  lost: 'unreachable',
  unknownCommit: 'unreachable',
}

// Errors that are not about the database are returned unchanged.
export function describePostgresFailure(address: string, error: unknown): unknown {
  if (error instanceof SvcError) return error
  if (error instanceof SyntaxError) {
    return new JournalUnusable(`The journal ${address} has a row that is damaged`, hints.other, error)
  }
  const failure = toPostgresError(error, {isConnected: true})
  if (!failure) return error
  const {problem} = failure
  const [reason, hint] =
    problem === 'missing'
      ? ['does not exist yet', `Create it with ${svc`journal init`}`]
      : [failure.reason, hints[problem]]
  return new JournalUnusable(`The journal ${address} ${reason}`, hint, error, kinds[problem])
}
