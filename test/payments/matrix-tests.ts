// Defines the tests of the payment matrix: one per fault if a single transaction is guaranteed, and one per wrong assumption
// if it is not.
import fs from 'node:fs'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {
  type CellCase,
  type FaultCase,
  type Payers,
  combinations,
  faultCases,
  isSingleGuaranteed,
  describeCombination,
} from './matrix.ts'
import {countCell, createTally, runCell, sumTallies, type Tally} from './matrix-cells.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {type PreparedSandbox, prepareSandbox, Stage} from './stage.ts'

const timeoutMs = 300_000

// The wrong assumptions, with the name of their test.
const breaks: ReadonlyArray<{name: string; idempotency: string; quoteUse: 'single' | 'many'}> = [
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
]

export function defineMatrixTests(payers: Payers): void {
  describe(`the matrix of ${payers}`, () => {
    const tallies: Tally[] = []
    let prepared: PreparedSandbox
    let number = 0
    beforeAll(() => {
      prepared = prepareSandbox()
    })
    afterAll(() => {
      fs.rmSync(prepared.folder, {recursive: true, force: true})
      const {cells, several} = sumTallies(tallies)
      process.stderr.write(`${payers}: ${cells} cells; paid twice in ${several}, all of which break an assumption\n`)
    })

    async function playCells(selected: readonly CellCase[]): Promise<Tally> {
      const tally = createTally()
      tallies.push(tally)
      const stage = new Stage(prepared, 'none')
      const journals: [string, string] = [stage.journal(), stage.journal()]
      await withoutStackTraces(async () => {
        for (const one of selected) {
          const cell = await runCell(stage, one, number++, journals)
          countCell(tally, cell, one, `${one.faultCase.name}, ${describeCombination(one.combination)}`)
        }
      })
      stage.close()
      expect(tally.problems).toEqual([])
      return tally
    }

    // svc sends again, as somebody has stated that the service honours keys, whether or not it does.
    const listCells = (faultCase: FaultCase): CellCase[] =>
      combinations.map((combination) => ({payers, faultCase, combination, knowledge: 'stated'}))

    for (const fault of faultCases) {
      const guaranteed = listCells(fault).filter(isSingleGuaranteed)
      it(
        `${fault.name}: exactly one transaction, or none and reported, in ${guaranteed.length} cells`,
        async () => {
          const {cells, several, one} = await playCells(guaranteed)
          expect({cells, several}).toEqual({cells: guaranteed.length, several: 0})
          expect(one).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }

    for (const {name, idempotency, quoteUse} of breaks) {
      const selected = faultCases
        .flatMap(listCells)
        .filter(
          (cell) =>
            cell.combination.idempotency === idempotency &&
            cell.combination.quoteUse === quoteUse &&
            !isSingleGuaranteed(cell),
        )
      if (selected.length === 0) continue
      it(
        `if ${name}, it can be paid twice while the list lags; code 0 still means that the transaction exists`,
        async () => {
          const {several} = await playCells(selected)
          expect(several).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }
  })
}
