// svc rules apply if replies are lost, the service does not answer, or the process dies: nothing happens twice.
import {spawn} from 'node:child_process'
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {bin, freshHome, json, run} from '../../support/svc.ts'
import {
  appliedIn,
  apply,
  atTime,
  bo,
  existing,
  fault,
  fileOf,
  namesIn,
  ofAmount,
  outcomesIn,
  payout,
} from './samples.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const weekly = payout('Weekly')
const other = payout('Other', bo)

// Every write, with the rules before it and the rules of the file.
const writes = [
  {write: 'create', method: 'POST', before: [], wanted: [weekly], flags: [], outcome: 'adopted'},
  {write: 'update', method: 'PUT', before: [weekly], wanted: [ofAmount(weekly, '7')], flags: [], outcome: 'done'},
  {
    write: 'replace',
    method: 'DELETE',
    before: [weekly],
    wanted: [atTime(weekly, '0 9 * * 2')],
    flags: ['--replace'],
    outcome: 'done',
  },
  {
    write: 'replace',
    method: 'POST',
    before: [weekly],
    wanted: [atTime(weekly, '0 9 * * 2')],
    flags: ['--replace'],
    outcome: 'adopted',
  },
  {
    write: 'delete',
    method: 'DELETE',
    before: [weekly, payout('Old')],
    wanted: [weekly],
    flags: ['--prune', '--yes'],
    outcome: 'done',
  },
]

const last = <T>(items: readonly T[]) => items.at(-1)

describe('a lost reply', () => {
  it.each(writes)('to the $method of a $write is resolved in the same run if the write was done', async (one) => {
    const home = freshHome()
    if (one.before.length > 0) await apply(home, one.before)
    await fault(home, one.method, 'lose', '--times', '1')
    const {code, out, err} = await apply(home, one.wanted, ...one.flags)
    expect({code, row: last(appliedIn(out))}).toMatchObject({
      code: 0,
      row: {action: one.write, outcome: one.outcome},
    })
    expect(err).toContain('was lost; checking what the service has.')
    const after = await existing(home)
    expect(namesIn(after)).toEqual(['Weekly'])
    expect(appliedIn(out)[0]?.id).toBe(after[0]?.id)
    const again = await apply(home, one.wanted, ...one.flags)
    expect(again).toMatchObject({code: 0, err: '1 rule, nothing to change.\n'})
  })

  it.each(writes)(
    'to the $method of a $write that was not done exits with 7, and a rerun does it once',
    async (one) => {
      const home = freshHome()
      if (one.before.length > 0) await apply(home, one.before)
      await fault(home, one.method, 'reset', '--times', '1')
      const {code, out, err} = await apply(home, one.wanted, ...one.flags)
      expect({code, row: last(appliedIn(out))}).toMatchObject({code: 7, row: {action: one.write, outcome: 'unknown'}})
      const error = json(err.trimEnd().split('\n').at(-1) ?? '')
      expect(error).toMatchObject({error: 'OUTCOME_UNKNOWN', exitCode: 7})
      expect(error['hint']).toBe('Run the command again: it reads the rules first, and repeats nothing.')
      expect(await apply(home, one.wanted, ...one.flags)).toMatchObject({code: 0})
      expect(namesIn(await existing(home))).toEqual(['Weekly'])
    },
  )
})

describe('svc rules apply', () => {
  it('recovers after kill -9 in the middle of a write', async () => {
    const home = freshHome()
    const rules = [weekly, other, payout('Third')]
    // The second creation is committed, and its reply is late.
    await fault(home, 'POST', 'delay', '--delay', '10m', '--after', '1', '--times', '1')
    const args = [bin, ...'rules apply -p sandbox --json --request-timeout 1h -f'.split(' '), fileOf(home, rules)]
    const child = spawn(process.execPath, args, {env: home.env})
    const ended = new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)))
    while ((await existing(home)).length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    const {code, out} = await apply(home, rules)
    expect({code, rows: outcomesIn(out)}).toEqual({
      code: 0,
      rows: ['unchanged Weekly: done', 'unchanged Other: done', 'create Third: done'],
    })
    expect(await existing(home)).toHaveLength(3)
  })

  it.each([
    ['at once if the credential is rejected', 403, 4, ['failed', 'not tried', 'not tried']],
    ['after two writes in a row without success', 429, 6, ['failed', 'failed', 'not tried']],
  ])('stops %s', async (_, status, code, outcomes) => {
    const service = await serve(({method}, response) =>
      method === 'GET'
        ? reply(response, 200, {automationRules: []})
        : reply(response, status, {error: 'NO', message: 'no', statusCode: status}),
    )
    const home = freshHome()
    const args = ['rules', 'apply', '-f', fileOf(home, [weekly, other, payout('Third')]), '--yes', '--json']
    const ended = await run(home, args, {env: service.env})
    expect({code: ended.code, outcomes: appliedIn(ended.out).map(({outcome}) => outcome)}).toEqual({code, outcomes})
    const sent = outcomes.filter((outcome) => outcome === 'failed')
    expect(service.requests.filter(({method}) => method === 'POST')).toHaveLength(sent.length)
  })

  it('treats a rule that no longer exists as deleted', async () => {
    const old = {...payout('Old'), id: 'r9'}
    const service = await serve(({method}, response) =>
      method === 'GET'
        ? reply(response, 200, {automationRules: [{...weekly, id: 'r1'}, old]})
        : reply(response, 404, {error: 'NOT_FOUND', message: 'gone', statusCode: 404}),
    )
    const home = freshHome()
    const args = ['rules', 'apply', '-f', fileOf(home, [weekly]), '--prune', '--yes', '--json']
    const {code, out} = await run(home, args, {env: service.env})
    expect({code, rows: outcomesIn(out)}).toEqual({code: 0, rows: ['unchanged Weekly: done', 'delete Old: done']})
  })
})
