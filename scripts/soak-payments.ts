// Runs many more random payment scenarios and cells of the payment matrix than the tests do:
// node scripts/soak-payments.ts --stories 100000 --cells 20000 --seed 1 (or --cells all)
import {spawn} from 'node:child_process'
import os from 'node:os'
import {parseArgs} from 'node:util'
import {everyCellCount, getCell} from '../test/payments/knowledge-cells.ts'
import {describeCell} from '../test/payments/matrix.ts'
import {runCell} from '../test/payments/matrix-cells.ts'
import {runStory} from '../test/payments/random-runs.ts'
import {Stage} from '../test/payments/stage.ts'

// A stage is replaced after this many scenarios to keep its files small.
const storiesPerStage = 100
const problemsShownMax = 20

type Play = (stage: Stage, number: number, journals: readonly [string, string]) => Promise<string[]>

async function playStory(stage: Stage, seed: number, journals: readonly [string, string]): Promise<string[]> {
  const {problems, events} = await runStory(stage, seed, journals)
  return problems.map((problem) => `seed ${seed}: ${problem}; ${events.join(', ')}`)
}

// A prime that the number of cells is not a multiple of, so that every cell comes once before any comes again.
const cellStride = 1_000_003

async function playCell(stage: Stage, number: number, journals: readonly [string, string]): Promise<string[]> {
  const cell = getCell((number * cellStride) % everyCellCount)
  const {problems} = await runCell(stage, cell, number, journals)
  return problems.map((problem) => `cell ${number}: ${describeCell(cell)}: ${problem}`)
}

// Plays a number of stories or cells in this process and returns the problems.
async function playMany(first: number, count: number, play: Play): Promise<string[]> {
  const wrong: string[] = []
  for (let start = 0; start < count && wrong.length < problemsShownMax; start += storiesPerStage) {
    const stage = new Stage('none')
    const journals = [stage.journal(), stage.journal()] as const
    for (let number = first + start; number < first + Math.min(count, start + storiesPerStage); number++) {
      wrong.push(...(await play(stage, number, journals)))
    }
    stage.close()
  }
  return wrong
}

interface Share {
  first: number
  stories: number
  firstCell: number
  cells: number
}

const playAlone = async ({first, stories, firstCell, cells}: Share): Promise<string[]> => [
  ...(await playMany(first, stories, playStory)),
  ...(await playMany(firstCell, cells, playCell)),
]

// Starts one process per core, each with its own seeds.
async function playInParallel(first: number, stories: number, cells: number): Promise<boolean> {
  const processes = os.availableParallelism()
  const each = Math.ceil(stories / processes)
  const cellsEach = Math.ceil(cells / processes)
  const ended = Array.from({length: processes}, (_, index) => {
    const shares = [Math.min(each, stories - index * each), Math.min(cellsEach, cells - index * cellsEach)]
    const [storyShare, cellShare] = shares.map((share) => String(Math.max(0, share)))
    const seeds = ['--seed', String(first + index * each), '--cell-seed', String(first + index * cellsEach)]
    const given = [...seeds, '--stories', `${storyShare}`, '--cells', `${cellShare}`, '--alone']
    const child = spawn(process.execPath, [import.meta.filename, ...given], {stdio: 'inherit'})
    return new Promise<number | null>((resolve) => child.on('close', resolve))
  })
  return (await Promise.all(ended)).every((code) => code === 0)
}

const {values} = parseArgs({
  options: {
    stories: {type: 'string', default: '100000'},
    cells: {type: 'string', default: '0'},
    seed: {type: 'string'},
    'cell-seed': {type: 'string'},
    alone: {type: 'boolean', default: false},
  },
})
const stories = Number(values.stories)
const cells = values.cells === 'all' ? everyCellCount : Number(values.cells)
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)

if (values.alone) {
  const wrong = await playAlone({first, stories, firstCell: Number(values['cell-seed'] ?? first), cells})
  for (const line of wrong.slice(0, problemsShownMax)) process.stderr.write(`${line}\n`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} else {
  const started = performance.now()
  process.stderr.write(`${stories} payments in random weather and ${cells} cells of the matrix, from seed ${first}\n`)
  const isWell = await playInParallel(first, stories, cells)
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  process.stderr.write(`${isWell ? 'Nothing was wrong' : 'WRONG'} (${minutes} min)\n`)
  process.exitCode = isWell ? 0 : 1
}
