// A small share of the soak of payouts, different in every run. SVC_TEST_SEED repeats one of them.
import {describe, expect, it} from 'vitest'
import {soakPayouts} from '../../scripts/soak-payouts.ts'

const kills = 4
const rows = 12

describe('payouts that are killed while the service fails', () => {
  it('pay every row exactly once', async () => {
    const seed = Number(process.env['SVC_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
    process.stderr.write(`payouts: ${kills} kills from seed ${seed}\n`)
    const report = await soakPayouts({kills, seed, rows})
    expect(report).toMatchObject({kills, wrong: []})
    expect(report.transactions).toBe(report.rows)
  })
})
