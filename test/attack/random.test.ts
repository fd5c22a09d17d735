// Random stories with a careless service, from a printed seed. SVC_TEST_SEED repeats one; SVC_TEST_STORIES says how many.
import {describe, expect, it} from 'vitest'
import {countInShare} from '../support/share.ts'
import {playStory} from './stories.ts'

const given = process.env['SVC_TEST_SEED']
const first = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
const stories = Number(process.env['SVC_TEST_STORIES'] ?? countInShare(25, 4))
const count = given === undefined ? stories : 1
const seeds = Array.from({length: count}, (_, index) => first + index)

describe('hosts that pay with a careless service', () => {
  it.each(seeds)('pay once, and never say what is not so, with seed %i', async (seed) => {
    const {problems, events} = await playStory(seed)
    expect(problems, `seed ${seed}:\n${events.join('\n')}`).toEqual([])
  })
})
