// Idempotency keys and single-use quotes: how a repeated request is answered, for every behaviour.
import {describe, expect, it} from 'vitest'
import {behavioursDefault, honoursKeys} from '../../src/sandbox/service/faults/behaviours.ts'
import type {Behaviours} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {
  callFromProcess,
  createTransaction,
  findAccountEnds,
  hourMs,
  listAllTransactions,
  minuteMs,
  openTemporary,
  quoteBody,
  readBalance,
  refuseTransaction,
  requestQuote,
  sendTransaction,
  temporaryFile,
  zoe,
} from './open.ts'

function open(behaviours: Partial<Behaviours> = {}, file = temporaryFile()) {
  const sandbox = openTemporary({file})
  sandbox.faults.setBehaviours(behaviours)
  const {wallet, ACH} = findAccountEnds(sandbox)
  const quote = async (amount = '10') => ({
    quoteId: (await requestQuote(sandbox, quoteBody(wallet, ACH, amount))).quoteId,
  })
  const count = async () => (await listAllTransactions(sandbox, {customerId: zoe, pageSize: 100})).length
  return {sandbox, quote, count, wallet, file}
}

const tooMuch = '900000'

// What a request gets whose key was used before: the first answer again, a new transaction, or an error.
type Answer = 'again' | 'new' | '409 CONFLICT' | '422 IDEMPOTENCY_KEY_REUSED'

// With the same body and with another one, after a transaction and after a refusal; and whether a key is honoured for ever.
const rows: readonly (readonly [Behaviours['idempotency'], Answer, Answer, Answer, Answer, boolean])[] = [
  ['replay', 'again', '409 CONFLICT', 'again', 'new', true],
  ['replay-successes', 'again', '409 CONFLICT', 'new', 'new', true],
  ['replay-any-body', 'again', 'again', 'again', 'again', true],
  ['refuse', '409 CONFLICT', '409 CONFLICT', '409 CONFLICT', '409 CONFLICT', true],
  ['refuse-other-body', 'again', '422 IDEMPOTENCY_KEY_REUSED', 'again', '422 IDEMPOTENCY_KEY_REUSED', true],
  ['per-body', 'again', 'new', 'again', 'new', false],
  ['forget-after-90m', 'again', '409 CONFLICT', 'again', 'new', false],
  ['ignore', 'new', 'new', 'new', 'new', false],
]

describe('a key that was used before', () => {
  it.each(rows)('with %s', async (idempotency, ...expected) => {
    const {sandbox, quote, count, wallet} = open({idempotency, quoteUse: 'many', expiredQuotes: 'accepted'})
    // Sends a body after another one with the same key, an hour later.
    const repeat = async (key: string, first: object, later: object, isPayable = true): Promise<Answer> => {
      const answer = await sendTransaction(sandbox, first, key)
      expect(answer.status).toBe(isPayable ? 200 : 422)
      if (!isPayable) sandbox.money.fund(wallet.id, tooMuch)
      sandbox.clock.advance(hourMs)
      const [before, balance] = [await count(), readBalance(sandbox, wallet)]
      const again = await sendTransaction(sandbox, later, key)
      const isNew = (await count()) > before
      expect(isNew).toBe(readBalance(sandbox, wallet) !== balance)
      if (isNew) return 'new'
      if (again.status === answer.status && again.text === answer.text) return 'again'
      const {error, statusCode, message} = JSON.parse(again.text) as Record<string, string>
      expect(message).toContain('x-idempotency-key')
      return `${statusCode} ${error}` as Answer
    }
    const [paid, refused] = [{...(await quote()), correlationId: 'a'}, await quote(tooMuch)]
    const answers = [
      await repeat('a', paid, {correlationId: 'a', quoteId: paid.quoteId}),
      await repeat('b', paid, {...paid, correlationId: 'b'}),
      await repeat('c', refused, refused, false),
      await repeat('d', await quote('9000000'), await quote(), false),
    ]
    expect([...answers, honoursKeys({...behavioursDefault, idempotency})]).toEqual(expected)
  })

  it('is remembered for the configured minutes if keys are forgotten', async () => {
    const {sandbox, quote} = open({idempotency: 'forget-after-2m', quoteUse: 'many'})
    const body = await quote()
    const first = await createTransaction(sandbox, body, 'k')
    sandbox.clock.advance(2 * minuteMs - 1)
    expect(await createTransaction(sandbox, body, 'k')).toEqual(first)
    sandbox.clock.advance(1)
    expect((await createTransaction(sandbox, body, 'k')).transactionId).not.toBe(first.transactionId)
  })

  it.each([
    ['one key', ['k', 'k', 'k', 'k'], ['200', '200', '200', '200'], 1],
    ['different keys', ['a', 'b', 'c', 'd'], ['200', '409', '409', '409'], 4],
  ])('by several processes at once, with one quote and %s, pays once', async (_, keys, statuses, texts) => {
    const {sandbox, quote, wallet, file} = open()
    const before = Number(readBalance(sandbox, wallet))
    const body = await quote()
    const send = (key: string) => ({method: 'POST', path: '/transactions', body, headers: {'x-idempotency-key': key}})
    const ended = await Promise.all(keys.map((key) => callFromProcess(file, [send(key)])))
    const replies = ended.flat()
    expect(replies.map(({status}) => String(status)).toSorted()).toEqual(statuses)
    if (texts === 1) expect(new Set(replies.map(({text}) => text)).size).toBe(1)
    expect(Number(readBalance(sandbox, wallet))).toBeCloseTo(before - 10, 6)
    sandbox.money.verifyLedger()
  })
})

describe('a quote', () => {
  it('can be used once, unless many uses are allowed; the error names quoteId', async () => {
    const {sandbox, quote} = open()
    const body = await quote()
    await createTransaction(sandbox, body)
    const used = {error: 'CONFLICT', statusCode: 409, message: expect.stringMatching(/^quoteId /) as string}
    expect(await refuseTransaction(sandbox, body)).toMatchObject(used)
    sandbox.faults.setBehaviours({quoteUse: 'many'})
    await createTransaction(sandbox, body)
  })

  it('is rejected from its published second on, whatever the milliseconds of its creation', async () => {
    const {sandbox, quote} = open()
    sandbox.clock.advance(700)
    const [one, other] = [await quote(), await quote()]
    sandbox.clock.advance(5 * minuteMs - 701)
    await createTransaction(sandbox, one)
    sandbox.clock.advance(1)
    const expired = {
      statusCode: 400,
      message: expect.stringMatching(/^quoteId expired at 2026-11-15T12:05:00Z/) as string,
    }
    expect(await refuseTransaction(sandbox, other)).toMatchObject(expired)
    sandbox.faults.setBehaviours({expiredQuotes: 'accepted'})
    await createTransaction(sandbox, other)
  })

  it('of a customer who was deactivated meanwhile creates no transaction', async () => {
    const {sandbox, quote} = open()
    const body = await quote()
    sandbox.verification.force(zoe, {outcome: 'deactivated'})
    expect(await refuseTransaction(sandbox, body)).toMatchObject({
      error: 'BAD_REQUEST',
      message: 'quoteId belongs to a customer who is DEACTIVATED: the customer must be ACTIVE',
    })
  })
})
