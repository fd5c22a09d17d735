// Runs many more random payment scenarios and cells of the payment matrix than the tests do, on every core:
// node scripts/soak-payments.ts --stories 100000 --cells 20000 --seed 1 (--cells Infinity plays every cell)
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import os from 'node:os'
import {everyCellCount, getCell} from '../test/payments/knowledge-cells.ts'
import {describeCell} from '../test/payments/matrix.ts'
import {runCell} from '../test/payments/matrix-cells.ts'
import {runStory} from '../test/payments/random-runs.ts'
import {Stage} from '../test/payments/stage.ts'
import {pickSeed, print, runSoak} from './soak.ts'

// A stage is replaced after this many scenarios to keep its files small.
const storiesPerStage = 100
const problemsShownMax = 20

type Play = (stage: Stage, number: number, journals: readonly [string, string]) => Promise<string[]>

const playStory: Play = async (stage, seed, journals) => {
  const {problems, events} = await runStory(stage, seed, journals)
  return problems.map((problem) => `seed ${seed}: ${problem}; ${events.join(', ')}`)
}

// A prime that the number of cells is not a multiple of, so that every cell comes once before any comes again.
const cellStride = 1_000_003

const playCell: Play = async (stage, number, journals) => {
  const cell = getCell((number * cellStride) % everyCellCount)
  const {problems} = await runCell(stage, cell, number, journals)
  return problems.map((problem) => `cell ${number}: ${describeCell(cell)}: ${problem}`)
}

// Plays a number of stories or cells in this process and returns the problems.
async function playMany(numbers: readonly number[], play: Play): Promise<string[]> {
  const wrong: string[] = []
  for (let start = 0; start < numbers.length && wrong.length < problemsShownMax; start += storiesPerStage) {
    const stage = new Stage('none')
    const journals = [stage.journal(), stage.journal()] as const
    for (const number of numbers.slice(start, start + storiesPerStage)) {
      wrong.push(...(await play(stage, number, journals)))
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
await runSoak({stories: 100_000, cells: 0, seed: pickSeed(), share: -1}, async ({share, ...numbers}) => {
  const {stories, seed} = numbers
  const cells = Math.min(numbers.cells, everyCellCount)
  if (share >= 0) {
    const take = (count: number) =>
      Array.from({length: count}, (_, index) => seed + index).filter((number) => number % processes === share)
    return {share, wrong: [...(await playMany(take(stories), playStory)), ...(await playMany(take(cells), playCell))]}
  }
  print(`${stories} payments in random weather and ${cells} cells of the matrix, from seed ${seed}`)
  const shares = Array.from({length: processes}, (_, index) => runShare(index, numbers))
  return {seed, stories, cells, wrong: (await Promise.all(shares)).flat()}
})
