// Idempotency keys and single-use quotes: how a repeated request is answered, for every behaviour.
import {execFile} from 'node:child_process'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {behavioursDefault, honoursKeys} from '../../../../src/sandbox/service/faults/behaviours.ts'
import type {Behaviours} from '../../../../src/sandbox/service/faults/behaviour-table.ts'
import {openTemporary, callExpectingError, temporaryFile} from '../../open.ts'
import {
  listAllTransactions,
  readUsdcBalance,
  hourMs,
  minuteMs,
  requestQuote,
  quoteBody,
  expectRejection,
  sendTransaction,
  type AccountEnd,
  findAccountEnds,
  createTransaction,
  zoe,
} from './payments.ts'
import {bundleProgram} from '../../../support/bundled-program.ts'

function openWithBehaviour(idempotency?: Behaviours['idempotency']) {
  const sandbox = openTemporary()
  if (idempotency) sandbox.faults.setBehaviours({idempotency})
  const {wallet, ACH} = findAccountEnds(sandbox)
  const fresh = async (amount = '10', to: AccountEnd = ACH) =>
    (await requestQuote(sandbox, quoteBody(wallet, to, amount))).quoteId
  const count = async () => (await listAllTransactions(sandbox, {customerId: zoe, pageSize: 100})).length
  return {sandbox, fresh, count, wallet}
}

const tooMuch = '900000'

describe('the same key and the same body', () => {
  it('get the same bytes, also if the transaction has changed meanwhile', async () => {
    const {sandbox, fresh, count, wallet} = openWithBehaviour()
    const body = {quoteId: await fresh(), correlationId: 'a'}
    const first = await sendTransaction(sandbox, body, 'k')
    const [before, balance] = [await count(), readUsdcBalance(sandbox, wallet)]
    sandbox.clock.advance(hourMs)
    expect(await sendTransaction(sandbox, body, 'k')).toEqual(first)
    expect(await sendTransaction(sandbox, {correlationId: 'a', quoteId: body.quoteId}, 'k')).toEqual(first)
    expect(await count()).toBe(before)
    expect(readUsdcBalance(sandbox, wallet)).toBe(balance)
  })

  it('get the same error, even if the request could succeed now', async () => {
    const {sandbox, fresh, wallet} = openWithBehaviour()
    const body = {quoteId: await fresh(tooMuch)}
    const first = await expectRejection(sandbox, '/transactions', body, 'k')
    expect(first.error).toBe('INSUFFICIENT_BALANCE')
    sandbox.money.fund(wallet.id, tooMuch)
    expect(await expectRejection(sandbox, '/transactions', body, 'k')).toEqual(first)
    expect((await sendTransaction(sandbox, body, 'other')).status).toBe(200)
  })

  it('can be retried after an error if only successes are replayed', async () => {
    const {sandbox, fresh, wallet} = openWithBehaviour('replay-successes')
    const body = {quoteId: await fresh(tooMuch)}
    expect((await sendTransaction(sandbox, body, 'k')).status).toBe(422)
    sandbox.money.fund(wallet.id, tooMuch)
    const success = await sendTransaction(sandbox, body, 'k')
    expect(success.status).toBe(200)
    expect(await sendTransaction(sandbox, body, 'k')).toEqual(success)
  })

  it('are rejected if a key can be used only once', async () => {
    const {sandbox, fresh, count} = openWithBehaviour('refuse')
    const body = {quoteId: await fresh()}
    await createTransaction(sandbox, body, 'k')
    const before = await count()
    expect(await expectRejection(sandbox, '/transactions', body, 'k')).toMatchObject({
      error: 'CONFLICT',
      message: expect.stringContaining('x-idempotency-key'),
    })
    expect(await count()).toBe(before)
  })

  it('create another transaction if keys are ignored and the quote allows it', async () => {
    const {sandbox, fresh} = openWithBehaviour('ignore')
    const body = {quoteId: await fresh()}
    const first = await createTransaction(sandbox, body, 'k')
    expect(await expectRejection(sandbox, '/transactions', body, 'k')).toMatchObject({
      error: 'CONFLICT',
      message: expect.stringContaining('quoteId'),
    })
    sandbox.faults.setBehaviours({quoteUse: 'many'})
    expect((await createTransaction(sandbox, body, 'k')).transactionId).not.toBe(first.transactionId)
  })

  it('are remembered for the configured minutes if keys are forgotten', async () => {
    const {sandbox, fresh} = openWithBehaviour('forget-after-2m')
    sandbox.faults.setBehaviours({quoteUse: 'many'})
    const body = {quoteId: await fresh()}
    const first = await createTransaction(sandbox, body, 'k')
    sandbox.clock.advance(2 * minuteMs - 1)
    expect(await createTransaction(sandbox, body, 'k')).toEqual(first)
    sandbox.clock.advance(1)
    expect((await createTransaction(sandbox, body, 'k')).transactionId).not.toBe(first.transactionId)
  })
})

describe('a key of which the service also compares the body', () => {
  it('creates a transaction for each body with per-body, and replays each of them', async () => {
    const {sandbox, fresh, count} = openWithBehaviour('per-body')
    const [one, other] = [{quoteId: await fresh()}, {quoteId: await fresh()}]
    const [first, second] = [
      await createTransaction(sandbox, one, 'k'),
      await createTransaction(sandbox, other, 'k'),
    ] as const
    expect(second.transactionId).not.toBe(first.transactionId)
    const before = await count()
    expect(await createTransaction(sandbox, one, 'k')).toEqual(first)
    expect(await createTransaction(sandbox, other, 'k')).toEqual(second)
    expect(await count()).toBe(before)
  })

  it('rejects another body with 422 and names the key with refuse-other-body, and replays the same body', async () => {
    const {sandbox, fresh, count} = openWithBehaviour('refuse-other-body')
    const body = {quoteId: await fresh()}
    const first = await createTransaction(sandbox, body, 'k')
    const before = await count()
    expect(await expectRejection(sandbox, '/transactions', {quoteId: await fresh()}, 'k')).toEqual({
      error: 'IDEMPOTENCY_KEY_REUSED',
      message: 'x-idempotency-key has been used with another body',
      statusCode: 422,
    })
    expect(await createTransaction(sandbox, body, 'k')).toEqual(first)
    expect(await count()).toBe(before)
  })

  it('replays the first answer to any body with replay-any-body', async () => {
    const {sandbox, fresh, count} = openWithBehaviour('replay-any-body')
    const first = await createTransaction(sandbox, {quoteId: await fresh()}, 'k')
    const before = await count()
    expect(await createTransaction(sandbox, {quoteId: await fresh()}, 'k')).toEqual(first)
    expect(await count()).toBe(before)
  })

  it('rejects another body with refuse-other-body even if the first request was rejected', async () => {
    const {sandbox, fresh} = openWithBehaviour('refuse-other-body')
    expect((await sendTransaction(sandbox, {quoteId: await fresh(tooMuch)}, 'k')).status).toBe(422)
    const second = await expectRejection(sandbox, '/transactions', {quoteId: await fresh()}, 'k')
    expect(second.error).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it.each([
    ['replay', true],
    ['refuse', true],
    ['refuse-other-body', true],
    ['replay-any-body', true],
    ['per-body', false],
    ['ignore', false],
    ['forget-after-30m', false],
  ] as const)('%s honours it: %s', (idempotency, honours) => {
    expect(honoursKeys({...behavioursDefault, idempotency})).toBe(honours)
  })
})

describe('the same key and another body', () => {
  it.each(['replay', 'replay-successes', 'refuse', 'forget-after-60m'] as const)(
    'are a conflict with %s',
    async (idempotency) => {
      const {sandbox, fresh, count} = openWithBehaviour(idempotency)
      const [one, other] = [await fresh(), await fresh()]
      await createTransaction(sandbox, {quoteId: one}, 'k')
      const before = await count()
      for (const body of [{quoteId: other}, {quoteId: one, correlationId: 'x'}]) {
        expect(await expectRejection(sandbox, '/transactions', body, 'k')).toMatchObject({
          error: 'CONFLICT',
          statusCode: 409,
          message: expect.stringContaining('x-idempotency-key'),
        })
      }
      expect(await count()).toBe(before)
    },
  )
})

describe('a quote', () => {
  it('can be used once, unless many uses are allowed; the error names quoteId', async () => {
    const {sandbox, fresh} = openWithBehaviour()
    const quoteId = await fresh()
    await createTransaction(sandbox, {quoteId})
    const used = await expectRejection(sandbox, '/transactions', {quoteId})
    expect(used).toMatchObject({error: 'CONFLICT', statusCode: 409, message: expect.stringMatching(/^quoteId /)})
    sandbox.faults.setBehaviours({quoteUse: 'many'})
    await createTransaction(sandbox, {quoteId})
  })

  it('is valid for five minutes, unless expired quotes are accepted; the error names quoteId', async () => {
    const {sandbox, fresh} = openWithBehaviour()
    const [one, other] = [await fresh(), await fresh()]
    sandbox.clock.advance(5 * minuteMs - 1)
    await createTransaction(sandbox, {quoteId: one})
    sandbox.clock.advance(1)
    const expired = await expectRejection(sandbox, '/transactions', {quoteId: other})
    expect(expired).toMatchObject({error: 'BAD_REQUEST', message: expect.stringMatching(/^quoteId expired/)})
    sandbox.faults.setBehaviours({expiredQuotes: 'accepted'})
    await createTransaction(sandbox, {quoteId: other})
  })

  it('is rejected from its published second on, whatever the milliseconds of its creation', async () => {
    const {sandbox, fresh} = openWithBehaviour()
    sandbox.clock.advance(700)
    const [one, other] = [await fresh(), await fresh()]
    sandbox.clock.advance(5 * minuteMs - 701)
    await createTransaction(sandbox, {quoteId: one})
    sandbox.clock.advance(1)
    expect(await expectRejection(sandbox, '/transactions', {quoteId: other})).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('expired at 2026-11-15T12:05:00Z'),
    })
  })

  it('must exist, and the request must have a key', async () => {
    const {sandbox, fresh} = openWithBehaviour()
    const unknown = await expectRejection(sandbox, '/transactions', {quoteId: 'quote_nothing'})
    expect(unknown).toMatchObject({error: 'NOT_FOUND', message: expect.stringContaining('quoteId')})
    const {message} = await callExpectingError(sandbox, 'POST', '/transactions', {quoteId: await fresh()})
    expect(message).toMatch(/^x-idempotency-key is required/)
  })

  it('of a customer who was deactivated meanwhile creates no transaction', async () => {
    const {sandbox, fresh} = openWithBehaviour()
    const quoteId = await fresh()
    sandbox.verification.force(zoe, {outcome: 'deactivated'})
    const {error, message} = await expectRejection(sandbox, '/transactions', {quoteId})
    expect({error, message}).toEqual({
      error: 'BAD_REQUEST',
      message: 'quoteId belongs to a customer who is DEACTIVATED: the customer must be ACTIVE',
    })
  })
})

describe('several processes at once', () => {
  const payer = new URL('payer.ts', import.meta.url)

  async function race(file: string, quoteId: string, keys: readonly string[]) {
    const program = await bundleProgram(payer)
    const ended = await Promise.all(
      keys.map((key) => promisify(execFile)(process.execPath, [program, file, quoteId, key])),
    )
    return ended.map(({stdout}) => JSON.parse(stdout) as {status: number; text: string})
  }

  it('with one key create one transaction, and all get its reply', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const before = Number(readUsdcBalance(sandbox, wallet))
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '10'))
    const answers = await race(file, quoteId, ['k', 'k', 'k', 'k'])
    expect(answers[0]?.status).toBe(200)
    expect(new Set(answers.map(({text}) => text)).size).toBe(1)
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeCloseTo(before - 10, 6)
  })

  it('with one quote and different keys create one transaction, and the others are rejected', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const before = Number(readUsdcBalance(sandbox, wallet))
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '10'))
    const answers = await race(file, quoteId, ['a', 'b', 'c', 'd'])
    expect(answers.map(({status}) => String(status)).toSorted()).toEqual(['200', '409', '409', '409'])
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeCloseTo(before - 10, 6)
    sandbox.money.verifyLedger()
  })
})
