// Defines the tests of the payment matrix: one per fault if a single transaction is guaranteed, and one per wrong assumption
// if it is not.
import fs from 'node:fs'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {
  type Payers,
  combinations,
  countCell,
  faultCases,
  isSingleGuaranteed,
  describeCombination,
  createTally,
  runCell,
  sumTallies,
  type Tally,
} from './matrix.ts'
import {type PreparedSandbox, prepareSandbox, Stage} from './stage.ts'

const timeoutMs = 120_000

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

    async function playCells(faults: typeof faultCases, selected: typeof combinations): Promise<Tally> {
      const tally = createTally()
      tallies.push(tally)
      const stage = new Stage(prepared, 'none')
      const journals: [string, string] = [stage.journal(), stage.journal()]
      for (const fault of faults) {
        for (const combination of selected) {
          const cell = await runCell(stage, payers, fault, combination, number++, journals)
          countCell(tally, cell, `${fault.name}, ${describeCombination(combination)}`)
        }
      }
      stage.close()
      expect(tally.problems).toEqual([])
      return tally
    }

    const guaranteed = combinations.filter((combination) => isSingleGuaranteed(payers, combination))
    for (const fault of faultCases) {
      it(
        `${fault.name}: exactly one transaction, or none and reported, in ${guaranteed.length} cells`,
        async () => {
          const {cells, several, one} = await playCells([fault], guaranteed)
          expect({cells, several}).toEqual({cells: guaranteed.length, several: 0})
          expect(one).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }

    for (const {name, idempotency, quoteUse} of breaks) {
      const selected = combinations.filter(
        (one) => one.idempotency === idempotency && one.quoteUse === quoteUse && !isSingleGuaranteed(payers, one),
      )
      if (selected.length === 0) continue
      it(
        `if ${name}, it can be paid twice while the list lags; code 0 still means that the transaction exists`,
        async () => {
          const {several} = await playCells(faultCases, selected)
          expect(several).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }
  })
}
