// A small share of the soak of payouts, different for every seed.
import {expect, it} from 'vitest'
import {soakPayouts} from '../../../../scripts/soak-payouts.ts'
import {seed} from '../../../support/seed.ts'

const kills = 4
const rows = 12

it('payouts that are killed while the service fails pay every row exactly once', async () => {
  process.stderr.write(`payouts: ${kills} kills from seed ${seed}\n`)
  const report = await soakPayouts({kills, seed, rows})
  expect(report).toMatchObject({kills, wrong: []})
  expect(report.transactions).toBe(report.rows)
})
