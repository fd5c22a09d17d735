// Behaviours of the service that the interface does not fix, or that a client must not rely on. Each can be changed.
import type {Database} from '../../store/database.ts'

export interface Behaviours {
  // What a reused idempotency key gets.
  idempotency:
    // The first reply again.
    | 'replay'
    // The first reply again if it was a success.
    | 'replay-successes'
    // An error.
    | 'refuse'
    // A new transaction, as if there were no key.
    | 'ignore'
    // The first reply again for this many minutes, then a new transaction.
    | `forget-after-${number}m`
    // The first reply to the same body, and a new transaction for another one.
    | 'per-body'
    // The first reply to the same body, and an error for another one.
    | 'refuse-other-body'
    // The first reply, whatever the body.
    | 'replay-any-body'
  // Whether a quote can be used for one transaction or for many.
  quoteUse: 'single' | 'many'
  expiredQuotes: 'refused' | 'accepted'
  // How long a new transaction is missing from lists.
  listLagSeconds: number
  listOrder: ListOrder
  // How long a page token works. 0 is forever.
  pageTokenSeconds: number
  // How new transactions end, and after how long. Those that complete take as long as their method does.
  transactionOutcome: 'completed' | 'failed' | 'cancelled' | 'expired'
  outcomeAfterSeconds: number
  // How far the Date of replies is ahead of the clock by which quotes expire.
  dateSkewSeconds: number
  dateHeader: 'sent' | 'left-out'
  // On the Builder tier the developer fee must be at least the service's own.
  tier: 'standard' | 'builder'
}

export type ListOrder = 'newest-first' | 'oldest-first'

export const idempotencyPattern =
  /^(replay|replay-successes|refuse|ignore|forget-after-[1-9]\d{0,6}m|per-body|refuse-other-body|replay-any-body)$/

export const behavioursDefault: Readonly<Behaviours> = {
  idempotency: 'replay',
  quoteUse: 'single',
  expiredQuotes: 'refused',
  listLagSeconds: 0,
  listOrder: 'newest-first',
  pageTokenSeconds: 0,
  transactionOutcome: 'completed',
  outcomeAfterSeconds: 0,
  dateSkewSeconds: 0,
  dateHeader: 'sent',
  tier: 'standard',
}

// Whether a reused key creates no second transaction, with the same body and with another one.
export function honoursKeys({idempotency}: Behaviours): {sameRequest: boolean; otherRequest: boolean} {
  const isHonoured = idempotency !== 'ignore' && !idempotency.startsWith('forget')
  return {sameRequest: isHonoured, otherRequest: isHonoured && idempotency !== 'per-body'}
}

// Selects what differs from the defaults, for parseBehaviours(): the fields of a JSON object, or null.
export const selectBehaviourChanges = `select group_concat('"' || name || '":' || value) as changes from behaviours`

// Every request reads the behaviours, and they hardly ever change.
let lastParsed: {changes: string; behaviours: Readonly<Behaviours>} | undefined

export function parseBehaviours(changes: string | null): Readonly<Behaviours> {
  if (changes === null) return behavioursDefault
  if (lastParsed?.changes !== changes) {
    lastParsed = {changes, behaviours: {...behavioursDefault, ...(JSON.parse(`{${changes}}`) as Partial<Behaviours>)}}
  }
  return lastParsed.behaviours
}

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
