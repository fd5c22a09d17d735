// Checks the model of the payment protocol (model/payments.pml) with Spin: the protocol holds, and every documented exception, every
// rule that was mended and every mutation is found. docs/model.md says what that proves.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type Checker, buildChecker} from '../../model/check.ts'
import {groups} from '../../model/configurations.ts'
import {expectsProgram} from '../support/programs.ts'

// Where they are missing: apt-get install spin gcc.
const isSkipped = !expectsProgram('spin') || !expectsProgram('gcc')

describe.skipIf(isSkipped)(
  `the model of the payment protocol${isSkipped ? ' (skipped: spin and gcc are not installed)' : ''}`,
  () => {
    let checker: Checker
    beforeAll(async () => {
      checker = await buildChecker('quick')
    })
    afterAll(() => checker?.close())

    describe.each(Object.entries(groups))('%s', (_, configurations) => {
      const quick = configurations.filter(({isLong}) => !isLong)
      it.concurrent.each(quick.map((one) => ({...one, found: one.violates ?? 'holds'})))(
        '$name: $found',
        async (one) => {
          expect((await checker.check(one)).violated ?? 'holds').toBe(one.found)
        },
      )
    })

    it('catches at least ten mutations', () => {
      expect(groups.mutations.length).toBeGreaterThanOrEqual(10)
    })
  },
)
