// Plays random traces of the model against the real protocol, from a printed seed that comes from the commit. SVC_TEST_SEED sets
// another one; `npm run soak` plays 5,000.
import {describe, expect, it} from 'vitest'
import {expectsProgram} from '../support/programs.ts'
import {seed} from '../support/seed.ts'
import {countEndings, playTraces} from './play-traces.ts'

const isSkipped = !expectsProgram('spin')
const count = 200

describe.skipIf(isSkipped)(`traces of the model${isSkipped ? ' (skipped: spin is not installed)' : ''}`, () => {
  it(`end the same in the code, in ${count} of them`, async () => {
    process.stderr.write(`traces of the model: ${count} from seed ${seed}\n`)
    const {played, problems} = await playTraces(seed, count)
    expect(problems).toEqual([])
    process.stderr.write(`${countEndings(played)}\n`)
    const endings = new Set(played.flatMap((one) => one.endings))
    expect([...endings].toSorted()).toEqual(['0', '3', '6', '7', '8', 'killed'])
    expect(Math.max(...played.map(({made}) => made))).toBe(1)
  })
})
