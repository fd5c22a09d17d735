// How the service behaves where the interface leaves it open, and where a client must not trust it: each can be set.
import type {Database} from '../store/database.ts'

export interface Behaviours {
  // What a reused idempotency key gets: the first answer again; that only if it was a success; a refusal; a new
  // transaction as if there were no key; or the first answer again until so many minutes have passed.
  idempotency: 'replay' | 'replay-successes' | 'refuse' | 'ignore' | `forget-after-${number}m`
  // Whether a quote makes one transaction or any number.
  quoteUse: 'single' | 'many'
  expiredQuotes: 'refused' | 'accepted'
  // How long a new transaction is missing from lists.
  listLagSeconds: number
  // On the Builder tier the developer fee must be at least the service's own.
  tier: 'standard' | 'builder'
}

const behavioursDefault: Behaviours = {
  idempotency: 'replay',
  quoteUse: 'single',
  expiredQuotes: 'refused',
  listLagSeconds: 0,
  tier: 'standard',
}

export function readBehaviours(database: Database): Behaviours {
  const rows = database.all<{name: string; value: string}>('select name, value from behaviours')
  const set = Object.fromEntries(rows.map(({name, value}) => [name, JSON.parse(value) as unknown]))
  return {...behavioursDefault, ...set}
}

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
