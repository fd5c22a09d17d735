// Records when a customer or a transaction changed its status. The interface has no history; the console shows this one.
import type {RequestContext} from '../request-context.ts'
import type {Database} from './database.ts'

export interface StatusChangeRow {
  changedAt: number
  fromStatus: string
  toStatus: string
}

export function recordStatusChange({database, now}: RequestContext, subjectId: string, from: string, to: string) {
  database.run(
    'insert into statusChanges (subjectId, changedAt, fromStatus, toStatus) values (?, ?, ?, ?)',
    subjectId,
    now,
    from,
    to,
  )
}

// Oldest first.
export const listStatusChanges = (database: Database, subjectId: string): StatusChangeRow[] =>
  database.all<StatusChangeRow>(
    'select changedAt, fromStatus, toStatus from statusChanges where subjectId = ? order by seq',
    subjectId,
  )
