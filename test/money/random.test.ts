// Random runs of one payment each, from a printed seed. SVC_TEST_SEED repeats one of them.
import {expect, it} from 'vitest'
import {runStory} from './random-runs.ts'
import {isSeedGiven, seed} from '../support/seed.ts'
import {countInShare} from '../support/share.ts'
import {Stage} from './stage.ts'

// A thousand with `npm run soak`.
const stories = countInShare(1_000, 5)
// Here svc once said that a payment was not made which the service had refused, made all the same, and listed late.
const foundBefore = isSeedGiven ? [] : [168_347_848, 168_416_568]
// A stage is replaced after this many runs, so that its files stay small.
const storiesOfAStage = 50

it('a payment with random faults is made once, or reported as not made, whatever fails, crashes or runs at the same time', async () => {
  const count = isSeedGiven ? 1 : stories
  process.stderr.write(`random payments: ${count} from seed ${seed}\n`)
  const wrong: string[] = []
  let made = 0
  const seeds = [...foundBefore, ...Array.from({length: count}, (_, index) => seed + index)]
  for (let start = 0; start < seeds.length; start += storiesOfAStage) {
    const stage = new Stage('none')
    const journals = [stage.journal(), stage.journal()] as const
    for (const own of seeds.slice(start, start + storiesOfAStage)) {
      const ended = await runStory(stage, own, journals)
      made += ended.made
      wrong.push(...ended.problems.map((problem) => `seed ${own}: ${problem}; ${ended.events.join(', ')}`))
    }
    stage.close()
  }
  expect(wrong).toEqual([])
  expect(made).toBeGreaterThan(0)
})
