// Random stories with a careless service, from a printed seed. SVC_TEST_SEED repeats one; SVC_TEST_STORIES says how many.
import {describe, expect, it} from 'vitest'
import {isSeedGiven, seed} from '../support/seed.ts'
import {countInShare} from '../support/share.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {playStory} from './stories.ts'

useVirtualTime()

const stories = Number(process.env['SVC_TEST_STORIES'] ?? countInShare(48, 4))
const count = isSeedGiven ? 1 : stories
const seeds = Array.from({length: count}, (_, index) => seed + index)

describe('hosts that pay with a careless service', () => {
  it.each(seeds)('pay once, and never say what is not so, with seed %i', async (own) => {
    const {problems, events} = await playStory(own)
    expect(problems, `seed ${own}:\n${events.join('\n')}`).toEqual([])
  })
})
