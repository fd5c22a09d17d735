// Reads and changes the behaviours of the service that the interface does not fix.
import {type Database, parseStored} from '../../store/database.ts'
import {type Behaviours, behaviourFields, idempotencyWords} from './behaviour-table.ts'

const patterns = idempotencyWords.map((word) => word.replace('Nm', String.raw`[1-9]\d{0,6}m`))

export const idempotencyPattern = new RegExp(`^(${patterns.join('|')})$`)

type Row = (typeof behaviourFields)[keyof Behaviours]

function getDefault(row: Row): string | number {
  if (row.type === 'choice') return row.choices[0]
  return row.type === 'seconds' ? 0 : idempotencyWords[0]
}

export const behavioursDefault = Object.fromEntries(
  Object.entries(behaviourFields).map(([name, row]) => [name, getDefault(row)]),
) as unknown as Readonly<Behaviours>

// Whether a reused key creates no second transaction, whatever the body.
export const honoursKeys = ({idempotency}: Behaviours): boolean =>
  idempotency !== 'ignore' && idempotency !== 'per-body' && !idempotency.startsWith('forget')

// Selects what differs from the defaults, for parseBehaviours(): the fields of a JSON object, or null.
export const selectBehaviourChanges = `select group_concat('"' || name || '":' || value) as changes from behaviours`

export const parseBehaviours = (changes: string | null): Readonly<Behaviours> =>
  changes === null ? behavioursDefault : {...behavioursDefault, ...parseStored<Partial<Behaviours>>(`{${changes}}`)}

export const readBehaviours = (database: Database): Behaviours =>
  parseBehaviours(database.one<{changes: string | null}>(selectBehaviourChanges)?.changes ?? null)

export function setBehaviours(database: Database, changes: Partial<Behaviours>): Behaviours {
  for (const [name, value] of Object.entries(changes)) {
    database.run('insert or replace into behaviours (name, value) values (?, ?)', name, JSON.stringify(value))
  }
  return readBehaviours(database)
}

export function resetBehaviours(database: Database): Behaviours {
  database.run('delete from behaviours')
  return readBehaviours(database)
}
