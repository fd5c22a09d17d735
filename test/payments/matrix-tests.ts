// Defines the tests of the payment matrix: one per fault if a single transaction is guaranteed, and one per wrong assumption if it is
// not. Then the cells about what is known of the service: never two transactions where the rule excludes them, and two in some cell for
// every reason that the rule names.
import {afterAll, describe, expect, it} from 'vitest'
import {listKnowledgeCells} from './knowledge-cells.ts'
import {
  type CellCase,
  type Payers,
  allKnowledge,
  combinations,
  describeCell,
  faultCases,
  findRisk,
  isSingleGuaranteed,
} from './matrix.ts'
import {type Tally, countCell, createTally, nameRisk, runCell} from './matrix-cells.ts'
import {isInShare, shareName} from '../support/share.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {Stage} from './stage.ts'

const timeoutMs = 300_000
// A stage is replaced after this many cells, so that its journals stay small.
const cellsPerStage = 200
// Of the cells about what is known in which a single transaction is guaranteed, a sixth is played in each run.
const safePlayedOneIn = 6

export async function playCells(cells: readonly CellCase[]): Promise<Tally> {
  const tally = createTally()
  await withoutStackTraces(async () => {
    for (let start = 0; start < cells.length; start += cellsPerStage) {
      const stage = new Stage('none')
      const journals = [stage.journal(), stage.journal()] as const
      for (const [index, cell] of cells.slice(start, start + cellsPerStage).entries()) {
        countCell(tally, await runCell(stage, cell, start + index, journals), cell, describeCell(cell))
      }
      stage.close()
    }
  })
  return tally
}

const breaks = [
  {name: 'keys are ignored and a quote makes any number', idempotency: 'ignore', quoteUse: 'many'},
  {
    name: 'keys are forgotten after a minute and a quote makes any number',
    idempotency: 'forget-after-1m',
    quoteUse: 'many',
  },
  {name: 'keys are ignored, though a quote makes one', idempotency: 'ignore', quoteUse: 'single'},
  {
    name: 'keys are forgotten after a minute, though a quote makes one',
    idempotency: 'forget-after-1m',
    quoteUse: 'single',
  },
] as const

export function defineMatrixTests(payers: Payers): void {
  let total = 0
  let several = 0
  afterAll(() => {
    process.stderr.write(`${payers}: ${total} cells; paid twice in ${several}, as documented; ${shareName}\n`)
  })

  async function play(cells: readonly CellCase[]): Promise<Tally> {
    const tally = await playCells(cells)
    total += tally.cells
    several += tally.several
    expect(tally.problems).toEqual([])
    expect(tally.cells).toBe(cells.length)
    return tally
  }

  // svc sends again, as somebody has stated that the service honours keys, whether or not it does.
  const stated = faultCases.flatMap((faultCase) =>
    combinations.map((combination): CellCase => ({payers, faultCase, combination, knowledge: 'stated'})),
  )

  describe(`the matrix of ${payers}`, () => {
    const safe = Map.groupBy(stated.filter(isSingleGuaranteed), ({faultCase}) => faultCase.name)
    it.each([...safe])('%s: exactly one transaction, or none and reported', {timeout: timeoutMs}, async (_, cells) => {
      const tally = await play(cells)
      expect(tally).toMatchObject({several: 0})
      expect(tally.one).toBeGreaterThan(0)
    })

    const broken = breaks.map(({name, idempotency, quoteUse}) => ({
      name,
      cells: stated.filter(
        (cell) =>
          cell.combination.idempotency === idempotency &&
          cell.combination.quoteUse === quoteUse &&
          !isSingleGuaranteed(cell),
      ),
    }))
    it.each(broken.filter(({cells}) => cells.length > 0))(
      'if $name, it can be paid twice while the list lags; code 0 still means that the transaction exists',
      {timeout: timeoutMs},
      async ({cells}) => expect((await play(cells)).several).toBeGreaterThan(0),
    )
  })

  describe(`the matrix of ${payers}, by what is known about the service`, () => {
    const known = listKnowledgeCells(payers)
    it.each(allKnowledge)(
      '%s: exactly one transaction, or none and reported',
      {timeout: timeoutMs},
      async (knowledge) => {
        const safe = known.filter((cell) => cell.knowledge === knowledge && isSingleGuaranteed(cell))
        const tally = await play(safe.filter((_, index) => isInShare(index, safePlayedOneIn)))
        expect(tally).toMatchObject({several: 0})
        expect(tally.one).toBeGreaterThan(0)
      },
    )

    it('two are possible for each documented reason and are then reported', {timeout: timeoutMs}, async () => {
      const risky = known.filter((cell) => !isSingleGuaranteed(cell))
      const {severalByRisk} = await play(risky)
      const reasons = new Set(risky.map((cell) => nameRisk(findRisk(cell) as never, cell)))
      expect([...reasons].filter((reason) => !severalByRisk.get(reason))).toEqual([])
    })
  })
}
