// The payment matrix with the journal in PostgreSQL, for one process and for two that share it: a small share of its cells in each
// run, all of them in `npm run soak`.
import {describe, expect, it, onTestFinished} from 'vitest'
import {usePostgres} from '../support/postgres.ts'
import {isInShare, shareName} from '../support/share.ts'
import {clearJournal, prepareDatabase} from '../payments/journal/stores.ts'
import {type CellCase, combinations, describeCombination, faultCases, isSingleGuaranteed} from '../payments/matrix.ts'
import {countCell, createTally, runCell} from '../payments/matrix-cells.ts'
import {createPostgresStore} from '../payments/postgres-stage.ts'
import {Stage} from '../payments/stage.ts'

// Each cell takes some hundred statements.
const playedOneIn = 400

const getAddress = usePostgres(prepareDatabase)

describe.each(['one process', 'two processes'] as const)('the matrix of %s with a journal in PostgreSQL', (payers) => {

  const played = faultCases
    .flatMap((faultCase) =>
      combinations.map((combination): CellCase => ({payers, faultCase, combination, knowledge: 'stated'})),
    )
    .filter(isSingleGuaranteed)
    .map((cell, number) => ({cell, number}))
    .filter(({number}) => isInShare(number, playedOneIn))

  it(
    `makes exactly one transaction, or none and reports it (${shareName})`,
    async () => {
      await clearJournal(getAddress())
      const stage = new Stage('none', {store: createPostgresStore(getAddress())})
      onTestFinished(() => stage.close())
      const journals: [string, string] = [stage.journal(), stage.journal()]
      const tally = createTally()
      for (const {cell, number} of played) {
        const {faultCase, combination} = cell
        const result = await runCell(stage, cell, number, journals)
        countCell(tally, result, cell, `${faultCase.name}, ${describeCombination(combination)}`)
      }
      expect(tally.problems).toEqual([])
      expect(tally).toMatchObject({cells: played.length, several: 0})
    },
    played.length * 10_000 + 60_000,
  )
})
