// Idempotency keys: how a repeated request with the same key is answered, for every behaviour of `svc sandbox faults set`.
import type {ServiceErrorCode} from '../../../contract/service-errors.ts'
import type {Behaviours} from '../faults/behaviours.ts'
import {ServiceError} from '../../http/service-error.ts'
import type {CommittingError} from '../../store/database.ts'
import {deriveDigest} from '../../store/ids.ts'
import type {RequestContext} from '../request-context.ts'
import type {Transaction} from './transitions.ts'
import {minuteMs} from '../../../values/time.ts'

interface KeyRow {
  bodyDigest: string
  answeredAt: number
  answer: string
}

// The first answer for a key: a transaction or an error.
type StoredAnswer = {transaction: Transaction} | {error: ServiceErrorCode; message: string}

// An error that is stored for its key, so the database transaction is committed despite it.
class StoredError extends ServiceError implements CommittingError {
  readonly commitsTransaction = true
}

const forgetAfterPattern = /^forget-after-(\d+)m$/

// Keys are stored forever, except with forget-after-Nm.
function getLifetimeMs(idempotency: Behaviours['idempotency']): number {
  const minutes = forgetAfterPattern.exec(idempotency)?.[1]
  return minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes) * minuteMs
}

const digestBody = ({quoteId, correlationId}: {quoteId: string; correlationId?: string | undefined}) =>
  deriveDigest('body', JSON.stringify([quoteId, correlationId ?? null]))

const selectOfKey = 'select bodyDigest, answeredAt, answer from idempotencyKeys where idempotencyKey = ?'
const selectLatest = `${selectOfKey} order by seq desc limit 1`
const selectOfBody = `${selectOfKey} and bodyDigest = ?`

function findStoredAnswer(
  {database, now}: RequestContext,
  key: string,
  bodyDigest: string,
  idempotency: Behaviours['idempotency'],
) {
  const row =
    idempotency === 'per-body'
      ? database.one<KeyRow>(selectOfBody, key, bodyDigest)
      : database.one<KeyRow>(selectLatest, key)
  if (!row || now - row.answeredAt >= getLifetimeMs(idempotency)) return undefined
  const answer = JSON.parse(row.answer) as StoredAnswer
  if (idempotency === 'replay-successes' && 'error' in answer) return undefined
  return {bodyDigest: row.bodyDigest, answer}
}

function storeAnswer({database, now}: RequestContext, key: string, bodyDigest: string, answer: StoredAnswer) {
  database.run(
    'insert or replace into idempotencyKeys (idempotencyKey, bodyDigest, answeredAt, answer) values (?, ?, ?, ?)',
    key,
    bodyDigest,
    now,
    JSON.stringify(answer),
  )
}

const createConflict = (sentence: string) => new ServiceError('CONFLICT', `x-idempotency-key ${sentence}`)

function replayAnswer(answer: StoredAnswer): Transaction {
  if ('transaction' in answer) return answer.transaction
  throw new ServiceError(answer.error, answer.message)
}

// Runs the check and then the work, unless the key was used before. Only the check can reject the request, and it writes
// nothing, so a rejection stores nothing but the key. The surrounding transaction serializes requests.
export function runOncePerKey<Checked>(
  context: RequestContext,
  key: string,
  body: {quoteId: string; correlationId?: string | undefined},
  check: () => Checked,
  work: (checked: Checked) => Transaction,
): Transaction {
  const {idempotency} = context.behaviours
  if (idempotency === 'ignore') return work(check())
  const bodyDigest = digestBody(body)
  const before = findStoredAnswer(context, key, bodyDigest, idempotency)
  if (before && idempotency === 'refuse') throw createConflict('has already been used')
  if (before && before.bodyDigest === bodyDigest) return replayAnswer(before.answer)
  if (before && idempotency === 'replay-any-body') return replayAnswer(before.answer)
  if (before && idempotency === 'refuse-other-body') {
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED', 'x-idempotency-key has been used with another body')
  }
  // A key that was only rejected has created nothing, so another body may still use it.
  if (before && 'transaction' in before.answer) throw createConflict('has been used with another body')
  const checked = storeIfRejected(check, ({error, message}) => storeAnswer(context, key, bodyDigest, {error, message}))
  const transaction = work(checked)
  storeAnswer(context, key, bodyDigest, {transaction})
  return transaction
}

function storeIfRejected<T>(check: () => T, store: (error: ServiceError) => void): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    store(error)
    throw new StoredError(error.error, error.message, error.headers)
  }
}
