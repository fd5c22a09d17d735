// Defines the tests of the matrix about what is known of the service: never two transactions where the rule excludes them,
// and two in some cell for every reason that the rule names.
import fs from 'node:fs'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {listKnowledgeCells} from './knowledge-cells.ts'
import {allKnowledge, type CellCase, describeCell, findRisk, isSingleGuaranteed, type Payers} from './matrix.ts'
import {countCell, createTally, nameRisk, runCell, type Tally} from './matrix-cells.ts'
import {isInShare, shareName} from '../support/share.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {type PreparedSandbox, prepareSandbox, Stage} from './stage.ts'

const timeoutMs = 300_000
// A stage is replaced after this many cells, so that its files stay small.
const cellsPerStage = 200
// Of the cells in which a single transaction is guaranteed, a sixth is played in each run.
const safePlayedOneIn = 6

export async function playCells(prepared: PreparedSandbox, cells: readonly CellCase[]): Promise<Tally> {
  const tally = createTally()
  await withoutStackTraces(async () => {
    for (let start = 0; start < cells.length; start += cellsPerStage) {
      const stage = new Stage(prepared, 'none')
      const journals = [stage.journal(), stage.journal()] as const
      for (const [index, cell] of cells.slice(start, start + cellsPerStage).entries()) {
        countCell(tally, await runCell(stage, cell, start + index, journals), cell, describeCell(cell))
      }
      stage.close()
    }
  })
  return tally
}

export function defineKnowledgeTests(payers: Payers): void {
  describe(`the matrix of ${payers}, by what is known about the service`, () => {
    const cells = listKnowledgeCells(payers)
    let prepared: PreparedSandbox
    let total = 0
    let several = 0
    beforeAll(() => {
      prepared = prepareSandbox()
    })
    afterAll(() => {
      fs.rmSync(prepared.folder, {recursive: true, force: true})
      process.stderr.write(
        `${payers}, by what is known: ${total} cells; paid twice in ${several}, as documented; ${shareName}\n`,
      )
    })

    async function play(selected: readonly CellCase[]): Promise<Tally> {
      const tally = await playCells(prepared, selected)
      total += tally.cells
      several += tally.several
      expect(tally.problems).toEqual([])
      return tally
    }

    for (const knowledge of allKnowledge) {
      const safe = cells.filter((cell) => cell.knowledge === knowledge && isSingleGuaranteed(cell))
      it(
        `${knowledge}: exactly one transaction, or none and reported, in a share of ${safe.length} cells`,
        async () => {
          const share = safe.filter((_, index) => isInShare(index, safePlayedOneIn))
          const tally = await play(share)
          expect({cells: tally.cells, several: tally.several}).toEqual({cells: share.length, several: 0})
          expect(tally.one).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }

    const risky = cells.filter((cell) => !isSingleGuaranteed(cell))
    it(
      `two are possible for each documented reason and are then reported, in some of ${risky.length} cells`,
      async () => {
        const tally = await play(risky)
        const reasons = new Set(risky.map((cell) => nameRisk(findRisk(cell) as never, cell)))
        expect([...reasons].filter((reason) => !tally.severalByRisk.get(reason))).toEqual([])
      },
      timeoutMs,
    )
  })
}
