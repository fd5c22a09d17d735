// svc sandbox play: on a terminal, in a pipe, as JSON, a failed expectation, and rejected input.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {serveTemporary} from '../../sandbox/http/serving.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const scenario = `name: Two customers
start: 2026-03-02T09:00:00Z
steps:
  - customer: ada
  - verify: $ada
    outcome: approved
    expect: {customer: $ada, status: ACTIVE}
`

function write(home: Home, text = scenario): string {
  const file = path.join(home.folder, 'scenario.yaml')
  fs.writeFileSync(file, text)
  return file
}

const play = (home: Home, ...args: string[]) => run(home, ['sandbox', 'play', ...args])

describe('svc sandbox play', () => {
  it('prints a line for each step on a terminal', async () => {
    const home = freshHome()
    const screen = onTerminal(home, ['sandbox', 'play', write(home), '--fresh'])
    expect(await screen.ended).toBe(0)
    const [first, second, end, clock] = screen.text().split(/\r?\n/)
    expect(first).toMatch(/^ +1 {2}2026-03-02 09:00:00 {2}customer ada +CREATED$/)
    expect(second).toMatch(/^ +2 {2}2026-03-02 09:00:00 {2}verify \$ada +ACTIVE$/)
    expect(end).toBe('2 steps, all as expected.')
    expect(clock).toContain('clock run')
    const long = write(home, `steps:\n  - {customer: ada, note: ${'long '.repeat(20)}}\n`)
    const narrow = onTerminal(home, ['sandbox', 'play', long, '--fresh'])
    expect(await narrow.ended).toBe(0)
    expect(narrow.text().split(/\r?\n/)[0]).toMatch(/CREATED, long l.*…$/)
  })

  it('prints JSON lines in a pipe, the same every time, and leaves what it made', async () => {
    const homes = [freshHome(), freshHome()]
    const runs = [] as string[]
    for (const home of homes) {
      const {code, out, err} = await play(home, write(home))
      expect({code, err}).toMatchObject({code: 0, err: expect.stringMatching(/^2 steps, all as expected\.\n/)})
      runs.push(out)
    }
    expect(runs[0]).toBe(runs[1])
    const home = homes[0] as Home
    expect((await play(home, write(home), '--fresh')).out).toBe(runs[0])
    const {result} = json((runs[0] ?? '').split('\n')[0] ?? '') as {result: {customerId: string}}
    const read = await run(home, ['customers', 'get', result.customerId, '-p', 'sandbox', '--json'])
    expect(json(read.out)).toMatchObject({customerStatus: 'ACTIVE', email: 'ada@example.com'})
  })

  it('prints one object with --json, a table with --columns, and nothing with --quiet alone', async () => {
    const home = freshHome()
    const {out} = await play(home, write(home), '--fresh', '--json')
    expect(json(out)).toMatchObject({
      name: 'Two customers',
      steps: [
        {step: 1, line: 4, ok: true},
        {step: 2, line: 5},
      ],
    })
    const table = await play(home, write(home), '--fresh', '--columns', 'step,action,ok')
    expect(table.out).toMatch(/^STEP +ACTION +OK\n +1 +customer +true\n/)
    expect(await play(home, write(home), '--fresh', '--quiet')).toEqual({code: 0, out: '', err: ''})
  })

  it('ends with 12 at a failed expectation, after the steps before it', async () => {
    const home = freshHome()
    const text = `${scenario}  - expect: {customer: $ada, status: REJECTED}\n  - customer: never\n`
    const {code, out, err} = await play(home, write(home, text), '--fresh')
    expect(code).toBe(12)
    expect(out.trimEnd().split('\n').map(json)).toMatchObject([
      {step: 1, ok: true},
      {step: 2, ok: true},
      {step: 3, line: 8, ok: false, expected: 'the status of the customer to be REJECTED', found: 'ACTIVE'},
    ])
    expect(err).toBe(
      'svc: Step 3, line 8: expected the status of the customer to be REJECTED, found ACTIVE. The steps after it were not played.\n',
    )
    const wrong = await play(home, write(home, text), '--fresh', '--json')
    expect(json(wrong.err)).toMatchObject({error: 'EXPECTATION_FAILED', exitCode: 12})
  })

  it('does nothing if the file has a problem, and with --dry-run', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'own.sqlite')
    const checked = await play(home, write(home), '--dry-run', '--data', file)
    expect(checked).toEqual({code: 0, out: '', err: '2 steps, and no problem; nothing was played.\n'})
    const {code, out, err} = await play(home, write(home, `${scenario}  - {fund: x}\n`), '--data', file)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('line 8: step 3, amount is required')
    expect(fs.existsSync(file)).toBe(false)
  })

  it('plays in another database with --data, and leaves the one of the profile alone', async () => {
    const home = freshHome()
    const before = await run(home, ['sandbox', 'status', '--json'])
    const {code} = await play(home, write(home), '--data', path.join(home.folder, 'own.sqlite'))
    expect(code).toBe(0)
    const after = await run(home, ['sandbox', 'status', '--json'])
    expect(json(after.out)['customers']).toEqual(json(before.out)['customers'])
  })

  it('plays at a running server', async () => {
    const [home, server] = [freshHome(), await serveTemporary()]
    const env = {SVC_SANDBOX_CONTROL_TOKEN: server.control.controlToken}
    const here = await play(home, write(home), '--json')
    const there = await run(home, ['sandbox', 'play', write(home), '--fresh', '--json', '--url', server.url], {env})
    expect(there).toEqual({code: 0, out: here.out, err: '2 steps, all as expected.\n'})
    const late = await run(home, ['sandbox', 'play', write(home), '--url', server.url], {env})
    expect(late).toMatchObject({code: 0})
    const failing = write(home, `${scenario}  - expect: {customer: $ada, status: REJECTED}\n`)
    const failed = await run(home, ['sandbox', 'play', failing, '--url', server.url, '--fresh', '--quiet'], {env})
    expect(failed).toMatchObject({code: 12, out: '', err: expect.stringContaining('Step 3, line 8')})
  })

  it('goes on in the sandbox as it is, unless the scenario starts in its past', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'clock', 'freeze'])
    const {code, err} = await play(home, write(home))
    expect({code, err}).toMatchObject({code: 2, err: expect.stringContaining('--fresh')})
    expect((await play(home, write(home, scenario.replace(/start.*\n/, '')))).code).toBe(0)
  })

  it('reads standard input, and rejects a missing file and none at all', async () => {
    const home = freshHome()
    expect(await run(home, ['sandbox', 'play', '-', '--fresh', '--quiet'], {input: scenario})).toMatchObject({code: 0})
    expect(await play(home, 'nowhere.yaml')).toMatchObject({code: 2, err: expect.stringContaining('nowhere.yaml')})
    expect(await play(home)).toMatchObject({code: 2, err: expect.stringContaining('FILE')})
  })

  it('prints an example that can be played, and its steps for scripts', async () => {
    const home = freshHome()
    const {out} = await play(home, '--template')
    expect(out).toMatch(/^# A scenario for `svc sandbox play FILE`/)
    expect(await play(home, write(home, out), '--fresh')).toMatchObject({code: 0})
    const {fields} = json((await play(home, '--template', '--json')).out) as {fields: Array<{path: string}>}
    expect(fields.map(({path: name}) => name)).toContain('transaction')
  })
})
