// A thousand random runs of one payment each, from a printed seed. SVC_TEST_SEED repeats one of them.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {runStory} from './random-runs.ts'
import {prepareSandbox, Stage} from './stage.ts'

const stories = 1_000
// A stage is replaced after this many runs, so that its files stay small.
const storiesOfAStage = 50

describe('a payment with random faults', () => {
  it('is made once, or reported as not made, whatever fails, crashes or runs at the same time', async () => {
    const given = process.env['SVC_TEST_SEED']
    const first = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
    const count = given === undefined ? stories : 1
    process.stderr.write(`random payments: ${count} from seed ${first}\n`)
    const prepared = prepareSandbox()
    const wrong: string[] = []
    let made = 0
    for (let start = 0; start < count; start += storiesOfAStage) {
      const stage = new Stage(prepared, 'none')
      const journals = [stage.journal(), stage.journal()] as const
      for (let story = start; story < Math.min(count, start + storiesOfAStage); story++) {
        const seed = first + story
        const ended = await runStory(stage, seed, journals)
        made += ended.made
        wrong.push(...ended.problems.map((problem) => `seed ${seed}: ${problem}; ${ended.events.join(', ')}`))
      }
      stage.close()
    }
    fs.rmSync(prepared.folder, {recursive: true, force: true})
    expect(wrong).toEqual([])
    expect(made).toBeGreaterThan(0)
  }, 180_000)
})
