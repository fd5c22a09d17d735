// Records when a customer changed its status. The interface has no history; the console shows this one.
import type {RequestContext} from '../service/request-context.ts'
import type {Database} from './database.ts'

export interface StatusChangeRow {
  changedAt: number
  fromStatus: string
  toStatus: string
}

const insert = 'insert into statusChanges (customerId, changedAt, fromStatus, toStatus) values (?, ?, ?, ?)'

export function recordStatusChange({database, now}: RequestContext, customerId: string, from: string, to: string) {
  database.run(insert, customerId.toLowerCase(), now, from, to)
}

// Oldest first.
export const listStatusChanges = (database: Database, customerId: string): StatusChangeRow[] =>
  database.all<StatusChangeRow>(
    'select changedAt, fromStatus, toStatus from statusChanges where customerId = ? order by seq',
    customerId.toLowerCase(),
  )
