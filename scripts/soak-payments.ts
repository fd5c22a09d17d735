// Runs many more random payment scenarios than the tests do, on every core: node scripts/soak-payments.ts --stories 100000 --seed 1
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import os from 'node:os'
import {runStory} from '../test/money/random-runs.ts'
import {Stage} from '../test/money/stage.ts'
import {pickSeed, print, runSoak} from './soak.ts'

// A stage is replaced after this many scenarios to keep its files small.
const storiesPerStage = 100
const problemsShownMax = 20

// Plays stories in this process and returns the problems.
async function playStories(seeds: readonly number[]): Promise<string[]> {
  const wrong: string[] = []
  for (let start = 0; start < seeds.length && wrong.length < problemsShownMax; start += storiesPerStage) {
    const stage = new Stage('none')
    const journals = [stage.journal(), stage.journal()] as const
    for (const seed of seeds.slice(start, start + storiesPerStage)) {
      const {problems, events} = await runStory(stage, seed, journals)
      wrong.push(...problems.map((problem) => `seed ${seed}: ${problem}; ${events.join(', ')}`))
    }
    stage.close()
  }
  return wrong.slice(0, problemsShownMax)
}

const processes = os.availableParallelism()

const runShare = async (share: number, numbers: Readonly<Record<string, number>>): Promise<string[]> => {
  const flags = Object.entries({...numbers, share}).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(process.execPath, [import.meta.filename, ...flags], {stdio: 'inherit'})
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 ? [] : [`process ${share} ended with ${code}`]
}

// The first process, whose share is -1, starts one for each core. They take turns with the seeds.
await runSoak({stories: 100_000, seed: pickSeed(), share: -1}, async ({share, ...numbers}) => {
  const {stories, seed} = numbers
  if (share >= 0) {
    const seeds = Array.from({length: stories}, (_, index) => seed + index)
    return {share, wrong: await playStories(seeds.filter((number) => number % processes === share))}
  }
  print(`${stories} payments in random weather, from seed ${seed}`)
  const shares = Array.from({length: processes}, (_, index) => runShare(index, numbers))
  return {seed, stories, wrong: (await Promise.all(shares)).flat()}
})
