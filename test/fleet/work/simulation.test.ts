// The simulation that docs/scale.md is written from (scripts/simulate-fleet.ts).
import {describe, expect, it} from 'vitest'
import {costs, measured, predictMeasured, simulate} from '../../../scripts/simulate-fleet.ts'

const free = {
  rowMs: 0,
  transactionMs: 0,
  databaseRowMs: 0,
  databaseTransactionMs: 0,
  syncMs: 0,
  serviceMs: 0,
}
const apart = {kind: 'many', workersPerHost: 1, coresPerHost: 1, databaseCores: 1} as const
const fleet = {workers: 1, places: 1, latencyMs: 50, rows: 500, machine: apart, networkMs: 0, batches: 1}

describe('a simulated fleet', () => {
  it.each(measured)('of $workers pays what was measured, within 15 %', ({workers, rowsPerSecond}) => {
    expect(Math.abs(predictMeasured(workers).rowsPerSecond / rowsPerSecond - 1)).toBeLessThan(0.15)
  })

  it('pays a row in two replies of the service where nothing else takes time, in each place', () => {
    expect(simulate(free, fleet).rowsPerSecond).toBeCloseTo(10, 0)
    expect(simulate(free, {...fleet, workers: 3, places: 4, rows: 6_000}).rowsPerSecond).toBeCloseTo(120, -1)
  })

  it('never pays more than the service and the cores allow', () => {
    const limited = simulate(costs, {...fleet, workers: 10, places: 4, limitPerSecond: 20})
    expect(limited.rowsPerSecond).toBeLessThanOrEqual(10.5)
    const crowded = simulate(costs, {...fleet, workers: 4, places: 16, latencyMs: 0, machine: {kind: 'one', cores: 2}})
    const cpuMs = costs.rowMs + crowded.transactionsPerRow * (costs.transactionMs + costs.databaseTransactionMs)
    expect(crowded.rowsPerSecond).toBeLessThanOrEqual(2000 / cpuMs)
  })
})
