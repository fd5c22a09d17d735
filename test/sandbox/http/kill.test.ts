// A server that is killed during writes keeps everything that it acknowledged.
import {describe, expect, it} from 'vitest'
import {soak} from '../../../scripts/soak-sandbox.ts'

describe('a server that is killed under load', () => {
  it('has lost no acknowledged write, no event and no balance after five kills', async () => {
    const report = await soak(5)
    expect(report.wrong).toEqual([])
    expect(report.unanswered).toBeGreaterThan(0)
    for (const written of [report.customers, report.patches, report.transactions, report.events]) {
      expect(written).toBeGreaterThan(0)
    }
  })
})
