// Runs many more random payment scenarios than the tests do: node scripts/soak-payments.ts --stories 100000 --seed 1
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import {parseArgs} from 'node:util'
import {runStory} from '../test/payments/random-runs.ts'
import {prepareSandbox, Stage} from '../test/payments/stage.ts'

// A stage is replaced after this many scenarios to keep its files small.
const storiesPerStage = 100
const problemsShownMax = 20

// Runs scenarios in this process and returns the problems.
async function playStories(first: number, count: number): Promise<string[]> {
  const prepared = prepareSandbox()
  const wrong: string[] = []
  for (let start = 0; start < count && wrong.length < problemsShownMax; start += storiesPerStage) {
    const stage = new Stage(prepared, 'none')
    const journals = [stage.journal(), stage.journal()] as const
    for (let seed = first + start; seed < first + Math.min(count, start + storiesPerStage); seed++) {
      const {problems, events} = await runStory(stage, seed, journals)
      wrong.push(...problems.map((problem) => `seed ${seed}: ${problem}; ${events.join(', ')}`))
    }
    stage.close()
  }
  fs.rmSync(prepared.folder, {recursive: true, force: true})
  return wrong
}

// Starts one process per core, each with its own seeds.
async function playInParallel(first: number, count: number): Promise<boolean> {
  const processes = Math.min(os.availableParallelism(), count)
  const each = Math.ceil(count / processes)
  const ended = Array.from({length: processes}, (_, index) => {
    const stories = Math.min(each, count - index * each)
    const given = ['--seed', String(first + index * each), '--stories', String(stories), '--alone']
    const child = spawn(process.execPath, [import.meta.filename, ...given], {stdio: 'inherit'})
    return new Promise<number | null>((resolve) => child.on('close', resolve))
  })
  return (await Promise.all(ended)).every((code) => code === 0)
}

const {values} = parseArgs({
  options: {
    stories: {type: 'string', default: '100000'},
    seed: {type: 'string'},
    alone: {type: 'boolean', default: false},
  },
})
const count = Number(values.stories)
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)

if (values.alone) {
  const wrong = await playStories(first, count)
  for (const line of wrong.slice(0, problemsShownMax)) process.stderr.write(`${line}\n`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} else {
  const started = performance.now()
  process.stderr.write(`${count} payments in random weather, from seed ${first}\n`)
  const isWell = await playInParallel(first, count)
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  process.stderr.write(`${isWell ? 'Every one was made once, or not at all and said so' : 'WRONG'} (${minutes} min)\n`)
  process.exitCode = isWell ? 0 : 1
}
