// Scenario files that cannot be played: all problems at once, with their lines, and no value of the file in them.
import {describe, expect, it} from 'vitest'
import type {SvcError} from '../../../src/errors.ts'
import {readScenario} from '../../../src/sandbox/scenarios/read-scenario.ts'

const fail = async (text: string): Promise<SvcError> =>
  readScenario(text).then(
    () => expect.unreachable('the scenario has no problem'),
    (error: unknown) => error as SvcError,
  )

describe('a scenario file', () => {
  it('is YAML or JSON, with a name, a seed, a start and steps', async () => {
    const yaml = await readScenario('name: x\nseed: 7\nstart: 2026-03-02\nsteps:\n\n  - customer: ada\n  - {seed: 5}')
    expect(yaml).toMatchObject({
      name: 'x',
      seed: '7',
      start: new Date('2026-03-02T00:00:00Z'),
      steps: [
        {number: 1, line: 6, action: 'customer', fields: {customer: 'ada'}},
        {number: 2, line: 7, action: 'seed', fields: {seed: '5'}},
      ],
    })
    expect(await readScenario('{"steps": [{"fund": "a", "amount": 10.50}]}')).toMatchObject({
      name: undefined,
      seed: 'scenario',
      start: undefined,
      steps: [{number: 1, line: 1, fields: {fund: 'a', amount: '10.50'}}],
    })
  })

  it('is rejected with all of its problems, by line', async () => {
    const error = await fail(`name: bad
stat: 2026
start: yesterday
steps:
  - customer: ada
    typ: BUSINESS
  - verify: $ada
    outcome: perhaps
  - transaction: t
    quote: $nothing
  - fund: $ada
    amount: -5
  - explode: now
  - rule: r
    from: $ada
    to: x
    cron: 0 9 * * *
    threshold: 5
  - clock: {advance: soon}
  - expect: {customr: $ada}
  - note: two
    expect:
      - {customer: $ada, status: ACTIV}
      - {count: transactions, of: $ada, is: many}
  - 5
  - {}
  - request: FETCH customers
  - {customer: 1st}
  - {transaction: later, quote: $q, fails: X}
  - {settle: $later, outcome: completed}
`)
    expect(error).toMatchObject({kind: 'usage', exitCode: 2, hint: expect.stringContaining('Nothing was done')})
    expect(error.problems).toEqual([
      'line 2: stat is not a field of a scenario',
      'line 3: start must be a point in time, such as 2026-03-02T09:00:00Z',
      'line 6: step 1, typ is not a field of this step',
      'line 8: step 2, outcome must be one of approved, needs-information, rejected, deactivated, manual-review',
      'line 10: step 3, quote names $nothing, which no earlier step makes',
      'line 11: step 4, fund names $ada, which is a customer and not an account',
      'line 12: step 4, amount must be a decimal number without a sign, such as 120.50',
      expect.stringMatching(/^line 13: step 5 begins with "explode", but must begin with one of customer, submit, /),
      'line 14: step 6 needs amount or percent',
      'line 14: step 6 needs cron or threshold, and not both',
      'line 15: step 6, from names $ada, which is a customer and not an account',
      'line 19: step 7, clock.advance must be a duration, such as 30s, 5m, 2h or 7d',
      expect.stringMatching(/^line 20: step 8, expect must begin with one of customer, transaction, /),
      expect.stringMatching(/^line 23: step 9, expect\.0\.status must be one of CREATED, /),
      'line 24: step 9, expect.1.is must be a whole number from 0 to 1000000',
      'line 25: step 10 must be an object',
      expect.stringMatching(/^line 26: step 11 is empty, but must begin with one of /),
      'line 27: step 12, request must be a method and a path, such as GET /customers',
      'line 28: step 13, customer must be a name such as ada or first-quote',
      'line 29: step 14, quote names $q, which no earlier step makes',
      'line 30: step 15, settle names $later, which no earlier step makes',
    ])
  })

  it.each([
    ['', 'There is nothing in the scenario'],
    ['5', 'the scenario must be an object'],
    ['steps: []', 'steps has no step'],
    ['name: x', 'steps is required'],
    ['steps:\n  - {customer: ada', 'line 2'],
    ['steps:\n  - customer: ada\n    customer: zoe', 'line 3'],
    ['a: &a [*a]', 'line 1'],
    ['steps: [{customer: ada, kyc: {a: !!js/function x}}]', 'line 1'],
  ])('is rejected: %j', async (text, message) => {
    expect(await fail(text)).toMatchObject({kind: 'usage', message: expect.stringContaining(message)})
  })

  it('does not show the values that it has', async () => {
    const error = await fail(
      'steps:\n  - {customer: secret value, email: secret@, kyc: secret}\n  - {verify: x, outcome: secret}',
    )
    expect(error.problems).toHaveLength(4)
    expect(JSON.stringify(error)).not.toContain('secret')
  })

  it('leaves a value that an earlier step gives to the moment at which it is known', async () => {
    const text = 'steps:\n  - {quote: q, from: a, to: b, amount: 1}\n  - {fund: c, amount: $q.destinationAmount}'
    expect((await readScenario(text)).steps).toHaveLength(2)
  })
})
