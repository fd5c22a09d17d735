// What happens if an assumption about the service is wrong, as described in docs/paying-once.md.
import {describe, expect, it, onTestFinished} from 'vitest'
import {Stage} from './stage.ts'

function createStage() {
  const stage = new Stage('none')
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
      stage.clearFaults()
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
