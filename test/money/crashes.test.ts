// Runs killed before every step, and once more during recovery, with every kind of fault and of service. This happens in process: a killed
// run loses its connections and its memory.
import {expect, it} from 'vitest'
import {playEveryKind} from '../support/scripted/narrowing.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {pickScenes, playCrash} from './crashes.ts'
import {describeCombination, toKinds} from './services.ts'
import {Stage} from './stage.ts'
import {type Step, steps} from './steps.ts'

it('a run that is killed is paid once by the next run, before whichever step it was killed', async () => {
  const problems: string[] = []
  const killedAt = new Set<Step>()
  let runs = 0
  await withoutStackTraces(async () => {
    const stage = new Stage('none')
    for (const {scene, reached} of await pickScenes()) {
      const journalFile = stage.journal()
      const kinds = toKinds(scene.combinations)
      for (const crashAt of reached.keys()) {
        const played = await playEveryKind(kinds, (narrowing) =>
          playCrash(stage, scene, crashAt, narrowing, `cell-${runs++}`, journalFile),
        )
        for (const {kinds: left, played: found} of played) {
          if (found) killedAt.add(crashAt)
          const where = `${scene.name}, ${crashAt}, ${describeCombination(left[0]!.combination)}`
          problems.push(...(found ?? []).map((problem) => `${where}: ${problem}`))
        }
      }
    }
    stage.close()
  })
  process.stderr.write(`killed in process: ${runs} runs\n`)
  expect(problems).toEqual([])
  expect(steps.filter((step) => !killedAt.has(step))).toEqual([])
})
