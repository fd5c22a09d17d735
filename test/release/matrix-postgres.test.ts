// The payment matrix with the journal in PostgreSQL, for one process and for two that share it: a small share of its cells in each
// run, all of them in `npm run soak`.
import {describe, expect, it, onTestFinished} from 'vitest'
import {usePostgres} from '../support/postgres.ts'
import {isInShare, shareName} from '../support/share.ts'
import {Narrowing} from '../support/scripted/narrowing.ts'
import {playCell} from '../money/cells.ts'
import {createPostgresStore} from '../money/postgres-stage.ts'
import {combinations, describeCell, faultCases, isSingleGuaranteed, toKinds} from '../money/services.ts'
import {Stage} from '../money/stage.ts'
import {clearJournal, prepareDatabase} from '../money/stores/stores.ts'

// Each cell takes some hundred statements.
const playedOneIn = 1_500

const getAddress = usePostgres(prepareDatabase)

describe.each(['one process', 'two processes'] as const)('the matrix of %s with a journal in PostgreSQL', (payers) => {
  const kinds = toKinds(combinations)
  const played = faultCases
    .flatMap((faultCase) => kinds.map((kind) => ({situation: {payers, faultCase, knowledge: 'stated' as const}, kind})))
    .filter(({situation, kind: {combination}}) => isSingleGuaranteed({...situation, combination}))
    .filter((_, number) => isInShare(number, playedOneIn))

  it(
    `makes exactly one transaction, or none and reports it (${shareName})`,
    async () => {
      await clearJournal(getAddress())
      const stage = new Stage('none', {store: createPostgresStore(getAddress())})
      onTestFinished(() => stage.close())
      const journals: [string, string] = [stage.journal(), stage.journal()]
      const problems: string[] = []
      for (const [number, {situation, kind}] of played.entries()) {
        const found = await playCell(stage, situation, new Narrowing([kind]), `cell-${number}`, journals)
        const where = describeCell({...situation, combination: kind.combination})
        problems.push(...found.problems.map((problem) => `${where}: ${problem}`))
      }
      expect(played.length).toBeGreaterThan(0)
      expect(problems).toEqual([])
    },
    played.length * 10_000 + 60_000,
  )
})
