// Records when a customer or a transaction changed its status. The interface has no history; the console shows this one.
import type {RequestContext} from '../request-context.ts'
import type {Database, PendingWrites} from './database.ts'

export interface StatusChangeRow {
  changedAt: number
  fromStatus: string
  toStatus: string
}

interface NewStatusChange extends StatusChangeRow {
  subjectId: string
}

const insert = 'insert into statusChanges (subjectId, changedAt, fromStatus, toStatus) values (?, ?, ?, ?)'

const insertStatusChange = (database: Database, {subjectId, changedAt, fromStatus, toStatus}: NewStatusChange) =>
  database.run(insert, subjectId, changedAt, fromStatus, toStatus)

class PendingStatusChanges implements PendingWrites {
  readonly #database: Database
  changes: NewStatusChange[] = []

  constructor(database: Database) {
    this.#database = database
  }

  write() {
    this.writeFinished()
  }

  writeFinished() {
    for (const change of this.changes) insertStatusChange(this.#database, change)
    this.changes = []
  }
}

const createPending = (database: Database) => new PendingStatusChanges(database)

export function recordStatusChange({database, now}: RequestContext, subjectId: string, from: string, to: string) {
  const change = {subjectId: subjectId.toLowerCase(), changedAt: now, fromStatus: from, toStatus: to}
  const pending = database.getDeferred(createPending)
  if (pending) pending.changes.push(change)
  else insertStatusChange(database, change)
}

// Oldest first.
export const listStatusChanges = (database: Database, subjectId: string): StatusChangeRow[] =>
  database.all<StatusChangeRow>(
    'select changedAt, fromStatus, toStatus from statusChanges where subjectId = ? order by seq',
    subjectId.toLowerCase(),
  )
