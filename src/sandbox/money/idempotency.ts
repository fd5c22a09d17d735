// Idempotency keys: what a second request under the same key gets, in every way a service may behave.
import type {ServiceErrorCode} from '../../contract/errors.ts'
import {type Behaviours, readBehaviours} from '../faults/behaviours.ts'
import {ServiceError} from '../http/refusal.ts'
import type {CommittingError} from '../store/database.ts'
import {deriveDigest} from '../store/ids.ts'
import type {RequestContext} from '../request-context.ts'
import type {Transaction} from './transitions.ts'

interface KeyRow {
  bodyDigest: string
  answeredAt: number
  answer: string
}

// The first answer under a key, be it a transaction or a refusal.
type Answer = {transaction: Transaction} | {error: ServiceErrorCode; message: string}

// A refusal that is kept under its key, so what was written for it stays.
class KeptRefusal extends ServiceError implements CommittingError {
  readonly commitsTransaction = true
}

const minuteMs = 60_000
const forgetting = /^forget-after-(\d+)m$/

// How long a key is remembered; for ever unless told otherwise.
function lifetimeMs(idempotency: Behaviours['idempotency']): number {
  const minutes = forgetting.exec(idempotency)?.[1]
  return minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes) * minuteMs
}

const digestOfBody = ({quoteId, correlationId}: {quoteId: string; correlationId?: string | undefined}) =>
  deriveDigest('body', JSON.stringify([quoteId, correlationId ?? null]))

function remembered({database, now}: RequestContext, key: string, idempotency: Behaviours['idempotency']) {
  const row = database.one<KeyRow>(
    'select bodyDigest, answeredAt, answer from idempotencyKeys where idempotencyKey = ?',
    key,
  )
  if (!row || now - row.answeredAt >= lifetimeMs(idempotency)) return undefined
  const answer = JSON.parse(row.answer) as Answer
  if (idempotency === 'replay-successes' && 'error' in answer) return undefined
  return {bodyDigest: row.bodyDigest, answer}
}

function remember({database, now}: RequestContext, key: string, bodyDigest: string, answer: Answer) {
  database.run(
    'insert or replace into idempotencyKeys (idempotencyKey, bodyDigest, answeredAt, answer) values (?, ?, ?, ?)',
    key,
    bodyDigest,
    now,
    JSON.stringify(answer),
  )
}

const conflict = (sentence: string) => new ServiceError('CONFLICT', `x-idempotency-key ${sentence}`)

function answered(answer: Answer): Transaction {
  if ('transaction' in answer) return answer.transaction
  throw new ServiceError(answer.error, answer.message)
}

// Checks and then does the work, unless the key was used before. A refusal comes from the check, which writes nothing,
// so only the key itself is kept with it. The transaction around all this lets one request in at a time.
export function onceForKey<Checked>(
  turn: RequestContext,
  key: string,
  body: {quoteId: string; correlationId?: string | undefined},
  check: () => Checked,
  work: (checked: Checked) => Transaction,
): Transaction {
  const {idempotency} = readBehaviours(turn.database)
  if (idempotency === 'ignore') return work(check())
  const bodyDigest = digestOfBody(body)
  const before = remembered(turn, key, idempotency)
  if (before && idempotency === 'refuse') throw conflict('has been used already')
  if (before && before.bodyDigest === bodyDigest) return answered(before.answer)
  // Under a key that was only refused nothing was made, so another body may still make it.
  if (before && 'transaction' in before.answer) throw conflict('has been used with another body')
  const checked = keptIfRefused(check, ({error, message}) => remember(turn, key, bodyDigest, {error, message}))
  const transaction = work(checked)
  remember(turn, key, bodyDigest, {transaction})
  return transaction
}

function keptIfRefused<T>(check: () => T, keep: (refusal: ServiceError) => void): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    keep(error)
    throw new KeptRefusal(error.error, error.message, error.headers)
  }
}
