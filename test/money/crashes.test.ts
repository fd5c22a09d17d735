// Runs killed before every step, and once more during recovery, with every kind of fault and of service. This happens in process: a killed
// run loses its connections and its memory. Each scene is a test, so that no limit of time is for all of them together.
import {afterAll, expect, it} from 'vitest'
import {playEveryKind} from '../support/scripted/narrowing.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {pickScenes, playCrash} from './crashes.ts'
import {describeCombination, toKinds} from './services.ts'
import {Stage} from './stage.ts'
import {type Step, steps} from './steps.ts'

const stage = new Stage('none')
afterAll(() => stage.close())
const killedAt = new Set<Step>()
let runs = 0

it.each(await withoutStackTraces(() => pickScenes()))(
  'a run that is killed is paid once by the next run, before whichever step it was killed: $scene.name',
  async ({scene, reached}) => {
    const problems: string[] = []
    const journalFile = stage.journal()
    const kinds = toKinds(scene.combinations)
    for (const crashAt of reached.keys()) {
      const play = () =>
        playEveryKind(kinds, (narrowing) => playCrash(stage, scene, crashAt, narrowing, `cell-${runs++}`, journalFile))
      for (const {kinds: left, played: found} of await withoutStackTraces(play)) {
        if (found) killedAt.add(crashAt)
        const where = `${crashAt}, ${describeCombination(left[0]!.combination)}`
        problems.push(...(found ?? []).map((problem) => `${where}: ${problem}`))
      }
    }
    expect(problems).toEqual([])
  },
)

it('runs were killed before every step', () => {
  process.stderr.write(`killed in process: ${runs} runs\n`)
  expect(steps.filter((step) => !killedAt.has(step))).toEqual([])
})
