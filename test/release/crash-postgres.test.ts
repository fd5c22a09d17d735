// The crash matrix with the journal in PostgreSQL: a small share of its cells in each run, all of them in `npm run soak`. The
// connections of a run break as well, at a statement that differs from cell to cell.
import {describe, expect, it} from 'vitest'
import {runSql, usePostgres} from '../support/postgres.ts'
import {PostgresProxy, cuttingFaults} from '../support/postgres-proxy.ts'
import {isInShare, shareName} from '../support/share.ts'
import {
  allSteps,
  checkAfterCrash,
  guaranteedCombinations,
  injectFaults,
  pickRotating,
  runEarlier,
  scenes,
  unknownServiceScenes,
} from '../payments/crash-cells.ts'
import {clearJournal, prepareDatabase} from '../payments/journal/stores.ts'
import {describeCombination} from '../payments/matrix.ts'
import {createPostgresStore} from '../payments/postgres-stage.ts'
import {Stage} from '../payments/stage.ts'

// Each cell takes some hundred statements.
const playedOneIn = 96

const getAddress = usePostgres(prepareDatabase)

const everyScene = [
  ...scenes.map((scene) => ({...scene, combinations: guaranteedCombinations})),
  ...unknownServiceScenes,
]

// Every scene, killed before every step, whether or not a run reaches it.
const cells = everyScene.flatMap((scene, sceneNumber) =>
  allSteps.map((crashAt, pointNumber) => ({
    scene,
    crashAt,
    index: sceneNumber * allSteps.length + pointNumber,
  })),
)

describe('a run with a journal in PostgreSQL that is killed', () => {

  const played = cells.filter(({index}) => isInShare(index, playedOneIn))
  it(
    `is paid once by the next run, before whichever step it was killed (${shareName})`,
    async () => {
      await clearJournal(getAddress())
      const proxy = await PostgresProxy.start(getAddress())
      const problems: string[] = []
      for (const {scene, crashAt, index} of played) {
        const stage = new Stage('none', {store: createPostgresStore(getAddress(), {address: proxy.address})})
        const journalFile = stage.journal()
        const combination = pickRotating(scene.combinations, index)
        const key = `cell-${index}`
        await runEarlier(stage, scene, key, journalFile)
        injectFaults(stage, scene, combination, index)
        let statements = 0
        proxy.plan(pickRotating(cuttingFaults, index), () => statements++ >= index % 40)
        await stage.run({key, journalFile, crashAt, ...scene.run})
        const secondCrash = pickRotating(allSteps, index * 7 + 3)
        const recovering = await stage.run({key, journalFile, crashAt: secondCrash, ...scene.run, limits: {}})
        proxy.forgetFaults()
        if (recovering.code === 0 && stage.made(key).length === 0) problems.push(`${key}: code 0 for nothing`)
        const check = await checkAfterCrash(stage, key, journalFile, scene.run)
        await proxy.settled()
        stage.close()
        // The next stage is a copy of the same sandbox, and gives the same ids to other payments.
        await runSql(getAddress(), 'delete from svc.payments')
        problems.push(
          ...check.problems.map(
            (one) => `${scene.name}: ${crashAt}, then ${secondCrash}, ${describeCombination(combination)}: ${one}`,
          ),
        )
      }
      expect(played.length).toBeGreaterThan(0)
      expect(problems).toEqual([])
    },
    played.length * 10_000 + 60_000,
  )
})
