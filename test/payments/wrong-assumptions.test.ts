// What happens if an assumption about the service is wrong, as described in docs/paying-once.md.
import fs from 'node:fs'
import {afterAll, beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {combinations, faultCases, isSingleGuaranteed} from './matrix.ts'
import {minuteMs, type PreparedSandbox, prepareSandbox, Stage} from './stage.ts'

let prepared: PreparedSandbox
beforeAll(() => {
  prepared = prepareSandbox()
})
afterAll(() => fs.rmSync(prepared.folder, {recursive: true, force: true}))

function createStage() {
  const stage = new Stage(prepared, 'none')
  onTestFinished(() => stage.close())
  return {stage, journalFile: stage.journal(), key: 'rent-2026-11'}
}

const onPost = {method: 'POST', path: '/transactions'} as const
const quarterSeconds = 15 * 60

describe('a list that lags for longer than svc expects', () => {
  for (const idempotency of ['replay', 'replay-successes', 'refuse'] as const) {
    it(`does no harm if keys are honoured (${idempotency}): exactly one`, async () => {
      const {stage, journalFile, key} = createStage()
      stage.behave({idempotency, listLagSeconds: 2 * quarterSeconds}, {...onPost, kind: 'lose'})
      await stage.run({key, journalFile, mayResend: false})
      stage.sandbox.faults.clear()
      expect((await stage.untilPaid({key, journalFile, mayResend: false}, 40)).code).toBe(0)
      expect(stage.made(key)).toHaveLength(1)
    })
  }

  it('pays TWICE if keys are ignored: an attempt that was made is abandoned', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave({idempotency: 'ignore', listLagSeconds: 4 * quarterSeconds}, {...onPost, kind: 'lose', times: 1})
    await stage.run({key, journalFile, mayResend: false})
    expect((await stage.untilPaid({key, journalFile, mayResend: false})).code).toBe(0)
    expect(stage.made(key)).toHaveLength(2)
  })
})

describe('a service that permanently rejects a key that it rejected once', () => {
  it('creates nothing, and every attempt ends ABANDONED', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave({idempotency: 'refuse'})
    const amount = '900000000'
    expect((await stage.run({key, journalFile, amount})).code).toBe(3)
    expect(stage.row(journalFile, key)?.state).toBe('REJECTED')
    stage.sandbox.money.fund(stage.content.source.sourcePaymentAccountId, '900000000')
    stage.advance(7 * minuteMs)
    const {code} = await stage.run({key, journalFile, amount, waitMs: 18 * minuteMs})
    expect(code).toBe(7)
    stage.advance(18 * minuteMs)
    const states = new Set<string>()
    for (let again = 0; again < 6; again++) {
      stage.advance(6.5 * minuteMs)
      await stage.run({key, journalFile, amount, mayResend: false, waitMs: 0})
      states.add(stage.row(journalFile, key)?.state ?? '')
    }
    expect(stage.made(key)).toEqual([])
    expect(stage.dump(journalFile, key)).toContain('ABANDONED')
  })

  it('can still be paid if it accepts another body: the payment is made once the reason is gone', async () => {
    const {stage, journalFile, key} = createStage()
    const amount = '900000000'
    expect((await stage.run({key, journalFile, amount})).code).toBe(3)
    stage.sandbox.money.fund(stage.content.source.sourcePaymentAccountId, '900000000')
    stage.advance(7 * minuteMs)
    expect((await stage.run({key, journalFile, amount})).code).toBe(0)
    expect(stage.made(key)).toHaveLength(1)
  })
})

describe('a profile that never resends', () => {
  it('pays once with one journal even if keys are ignored and quotes are reusable', async () => {
    const {stage, journalFile} = createStage()
    const faultCase = {name: 'nothing fails'}
    const broken = combinations.filter(
      (combination) => !isSingleGuaranteed({payers: 'one process', faultCase, combination, knowledge: 'stated'}),
    )
    let cells = 0
    for (const {fault} of faultCases) {
      for (const combination of broken) {
        const key = `cell-${cells++}`
        stage.behave(combination, ...(fault ? [{...fault, times: 1 + (cells % 3)}] : []))
        await stage.run({key, journalFile, mayResend: false})
        stage.sandbox.faults.clear()
        const {code} = await stage.untilPaid({key, journalFile, mayResend: false})
        expect({key, code, made: stage.made(key).length}).toEqual({key, code: 0, made: 1})
        stage.tidy()
      }
    }
    process.stderr.write(`never sent again: ${cells} cells\n`)
  })
})
