// Defines the tests of the payment matrix: one per fault if a single transaction is guaranteed, and one per wrong assumption
// if it is not.
import fs from 'node:fs'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {
  type Payers,
  combinations,
  count,
  faultCases,
  isPromised,
  nameOf,
  newTally,
  play,
  sum,
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

export function matrixTests(cast: Payers): void {
  describe(`the matrix of ${cast}`, () => {
    const tallies: Tally[] = []
    let prepared: PreparedSandbox
    let number = 0
    beforeAll(() => {
      prepared = prepareSandbox()
    })
    afterAll(() => {
      fs.rmSync(prepared.folder, {recursive: true, force: true})
      const {cells, several} = sum(tallies)
      process.stderr.write(`${cast}: ${cells} cells; paid twice in ${several}, all of which break an assumption\n`)
    })

    async function playCells(faults: typeof faultCases, those: typeof combinations): Promise<Tally> {
      const tally = newTally()
      tallies.push(tally)
      const stage = new Stage(prepared)
      const journals: [string, string] = [stage.journal(), stage.journal()]
      for (const fault of faults) {
        for (const combination of those) {
          const cell = await play(stage, cast, fault, combination, number++, journals)
          count(tally, cell, `${fault.name}, ${nameOf(combination)}`)
        }
      }
      stage.close()
      expect(tally.problems).toEqual([])
      return tally
    }

    const promised = combinations.filter((combination) => isPromised(cast, combination))
    for (const fault of faultCases) {
      it(
        `${fault.name}: exactly one transaction, or none and reported, in ${promised.length} cells`,
        async () => {
          const {cells, several, one} = await playCells([fault], promised)
          expect({cells, several}).toEqual({cells: promised.length, several: 0})
          expect(one).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }

    for (const {name, idempotency, quoteUse} of breaks) {
      const those = combinations.filter(
        (one) => one.idempotency === idempotency && one.quoteUse === quoteUse && !isPromised(cast, one),
      )
      if (those.length === 0) continue
      it(
        `if ${name}, it can be paid twice while the list lags; code 0 still means that the transaction exists`,
        async () => {
          const {several} = await playCells(faultCases, those)
          expect(several).toBeGreaterThan(0)
        },
        timeoutMs,
      )
    }
  })
}
