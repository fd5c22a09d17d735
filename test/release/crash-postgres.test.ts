// The crash matrix with the journal in PostgreSQL: a small share of its cells in each run, all of them in `npm run soak`. The
// connections of a run break as well, at a statement that differs from cell to cell.
import {expect, it} from 'vitest'
import {runSql, usePostgres} from '../support/postgres.ts'
import {PostgresProxy, cuttingFaults} from '../support/postgres-proxy.ts'
import {isInShare, shareName} from '../support/share.ts'
import {Narrowing} from '../support/scripted/narrowing.ts'
import {pickRotating, playCrash, scenes} from '../money/crashes.ts'
import {createPostgresStore} from '../money/postgres-stage.ts'
import {describeCombination, toKinds} from '../money/services.ts'
import {Stage} from '../money/stage.ts'
import {steps} from '../money/steps.ts'
import {clearJournal, prepareDatabase} from '../money/stores/stores.ts'

// Each cell takes some hundred statements.
const playedOneIn = 96

const getAddress = usePostgres(prepareDatabase)

// Every scene, killed before every step, whether or not a run reaches it.
const cells = scenes.flatMap((scene, sceneNumber) =>
  steps.map((crashAt, stepNumber) => ({scene, crashAt, index: sceneNumber * steps.length + stepNumber})),
)

const played = cells.filter(({index}) => isInShare(index, playedOneIn))
it(
  `a run with a journal in PostgreSQL that is killed is paid once by the next run, before whichever step it was killed (${shareName})`,
  async () => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const problems: string[] = []
    for (const {scene, crashAt, index} of played) {
      const stage = new Stage('none', {store: createPostgresStore(getAddress(), {address: proxy.address})})
      const journalFile = stage.journal()
      const kind = pickRotating(toKinds(scene.combinations), index)
      let statements = 0
      proxy.plan(pickRotating(cuttingFaults, index), () => statements++ >= index % 40)
      const found = await playCrash(stage, scene, crashAt, new Narrowing([kind]), `cell-${index}`, journalFile)
      proxy.forgetFaults()
      await proxy.settled()
      stage.close()
      // The next stage is a copy of the same sandbox, and gives the same ids to other payments.
      await runSql(getAddress(), 'delete from svc.payments')
      const where = `${scene.name}: ${crashAt}, ${describeCombination(kind.combination)}`
      problems.push(...(found ?? []).map((problem) => `${where}: ${problem}`))
    }
    expect(played.length).toBeGreaterThan(0)
    expect(problems).toEqual([])
  },
  played.length * 10_000 + 60_000,
)
