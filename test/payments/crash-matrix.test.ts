// Runs killed before every step, and once more during recovery, with every fault and every behaviour of a reused key. This
// happens in process: a killed run loses its connections and its memory.
import {afterAll, describe, expect, it} from 'vitest'
import type {Step} from './steps.ts'
import {
  checkAfterCrash,
  allSteps,
  recordSteps,
  guaranteedCombinations,
  pickRotating,
  type Scene,
  scenes,
  injectFaults,
  runEarlier,
  unknownServiceScenes,
} from './crash-cells.ts'
import {type Combination, describeCombination} from './matrix.ts'
import {isInShare, shareName} from '../support/share.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {Stage} from './stage.ts'

// Of the services about which nothing is known, a quarter of the cells is played in each run.
const unknownPlayedOneIn = 4

describe('a run that is killed', () => {
  let cells = 0
  let twice = 0
  const killedAt = new Set<Step>()
  afterAll(() => {
    process.stderr.write(`killed in process: ${cells} cells, in ${twice} of them twice, ${shareName}\n`)
  })

  const trustedScenes = scenes.map((scene) => ({...scene, combinations: guaranteedCombinations}))
  const everyScene: ReadonlyArray<Scene & {combinations: readonly Combination[]}> = [
    ...trustedScenes,
    ...unknownServiceScenes,
  ]
  for (const [sceneNumber, scene] of everyScene.entries()) {
    const behaviours = [...new Set(scene.combinations.map(({idempotency}) => idempotency))]
    it(`${scene.name}: is paid once by the next run, before whichever step it was killed`, async () => {
      const stage = new Stage('none')
      const journalFile = stage.journal()
      const problems: string[] = []
      await withoutStackTraces(async () => {
        for (const [behaviourNumber, idempotency] of behaviours.entries()) {
          const selected = scene.combinations.filter((one) => one.idempotency === idempotency)
          const first = pickRotating(selected, sceneNumber + behaviourNumber)
          const seen = await recordSteps(stage, scene, first, sceneNumber, `dry-${behaviourNumber}`, journalFile)
          for (const [pointNumber, crashAt] of seen.entries()) {
            const index = sceneNumber + behaviourNumber + pointNumber
            if (sceneNumber >= trustedScenes.length && !isInShare(index, unknownPlayedOneIn)) continue
            const combination = pickRotating(selected, index)
            const key = `${idempotency}-${crashAt}`
            await runEarlier(stage, scene, key, journalFile)
            injectFaults(stage, scene, combination, index)
            const killed = await stage.run({key, journalFile, crashAt, ...scene.run})
            if (killed.crashed) killedAt.add(crashAt)
            const secondCrash = pickRotating(allSteps, index * 7 + pointNumber)
            const recovering = await stage.run({key, journalFile, crashAt: secondCrash, ...scene.run, limits: {}})
            if (killed.crashed && recovering.crashed) twice++
            if (recovering.code === 0 && stage.made(key).length === 0) problems.push(`${key}: code 0 for nothing`)
            const check = await checkAfterCrash(stage, key, journalFile, scene.run)
            problems.push(
              ...check.problems.map(
                (one) => `${crashAt}, then ${secondCrash}, ${describeCombination(combination)}: ${one}`,
              ),
            )
            cells++
          }
        }
      })
      stage.close()
      expect(problems).toEqual([])
    })
  }

  it('was killed before every step', () => {
    expect(allSteps.filter((point) => !killedAt.has(point))).toEqual([])
  })
})
