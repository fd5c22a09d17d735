// Idempotency keys: what a second request under the same key gets, in every way a service may behave.
import type {ServiceErrorCode} from '../../contract/errors.ts'
import {type Behaviours, behavioursOf} from '../faults/behaviours.ts'
import {Refusal} from '../http/refusal.ts'
import type {Concluding} from '../store/database.ts'
import {digestOf} from '../store/ids.ts'
import type {Turn} from '../request-context.ts'
import type {Transaction} from './transitions.ts'

interface KeyRow {
  bodyDigest: string
  answeredAt: number
  answer: string
}

// The first answer under a key, be it a transaction or a refusal.
type Answer = {transaction: Transaction} | {error: ServiceErrorCode; message: string}

// A refusal that is kept under its key, so what was written for it stays.
class KeptRefusal extends Refusal implements Concluding {
  readonly concludes = true
}

const minuteMs = 60_000
const forgetting = /^forget-after-(\d+)m$/

// How long a key is remembered; for ever unless told otherwise.
function lifetimeMs(idempotency: Behaviours['idempotency']): number {
  const minutes = forgetting.exec(idempotency)?.[1]
  return minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes) * minuteMs
}

const digestOfBody = ({quoteId, correlationId}: {quoteId: string; correlationId?: string | undefined}) =>
  digestOf('body', JSON.stringify([quoteId, correlationId ?? null]))

function remembered({database, now}: Turn, key: string, idempotency: Behaviours['idempotency']) {
  const row = database.one<KeyRow>(
    'select bodyDigest, answeredAt, answer from idempotencyKeys where idempotencyKey = ?',
    key,
  )
  if (!row || now - row.answeredAt >= lifetimeMs(idempotency)) return undefined
  const answer = JSON.parse(row.answer) as Answer
  if (idempotency === 'replay-successes' && 'error' in answer) return undefined
  return {bodyDigest: row.bodyDigest, answer}
}

function remember({database, now}: Turn, key: string, bodyDigest: string, answer: Answer) {
  database.run(
    'insert or replace into idempotencyKeys (idempotencyKey, bodyDigest, answeredAt, answer) values (?, ?, ?, ?)',
    key,
    bodyDigest,
    now,
    JSON.stringify(answer),
  )
}

const conflict = (sentence: string) => new Refusal('CONFLICT', `x-idempotency-key ${sentence}`)

function answered(answer: Answer): Transaction {
  if ('transaction' in answer) return answer.transaction
  throw new Refusal(answer.error, answer.message)
}

// Checks and then does the work, unless the key was used before. A refusal comes from the check, which writes nothing,
// so only the key itself is kept with it. The transaction around all this lets one request in at a time.
export function onceForKey<Checked>(
  turn: Turn,
  key: string,
  body: {quoteId: string; correlationId?: string | undefined},
  check: () => Checked,
  work: (checked: Checked) => Transaction,
): Transaction {
  const {idempotency} = behavioursOf(turn.database)
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

function keptIfRefused<T>(check: () => T, keep: (refusal: Refusal) => void): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    keep(error)
    throw new KeptRefusal(error.error, error.message, error.headers)
  }
}
