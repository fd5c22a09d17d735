// svc payouts run: pays every row of a file once, and reports it.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {Halt, createFailureBudget} from '../../../../src/payouts/run/halt.ts'
import {reply, serve} from '../../../support/service.ts'
import {freshHome, json, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {
  addFault,
  createRow,
  createRows,
  header,
  inSandbox,
  listCreated,
  readResultRows,
  runPayouts,
  writePayroll,
} from '../../../support/payroll.ts'

interface Row {
  key: string
  state: string
  transaction?: string
  madeBefore?: boolean
}

const readRows = (out: string) => (JSON.parse(out) as {payouts: Row[]}).payouts

describe('svc payouts run', () => {
  useVirtualTime()

  it('asks at a terminal, also in the sandbox, says what was made before, and shows its progress', async () => {
    const home = freshHome()
    const fees = [
      `${header},developer-fee,developer-fee-type`,
      `${createRow('a', {amount: '5'})},0.50,USD`,
      `${createRow('b', {amount: '7'})},0.25,USD`,
      `${createRow('c')},,`,
    ]
    await runPayouts(home, writePayroll(home, [createRow('c')], 'one.csv'))
    fs.writeFileSync(path.join(home.folder, 'fees.csv'), `${fees.join('\n')}\n`)
    for (const [answer, code, made] of [
      ['\r', 130, 1],
      ['y\r', 0, 3],
    ] as const) {
      const screen = onTerminal(home, ['payouts', 'run', 'fees.csv', ...inSandbox])
      await screen.waitFor('Please confirm in the embedded sandbox')
      await screen.waitFor(/Made +1 row +2\.50 USDC/)
      await screen.waitFor(/Ready +2 rows +12 USDC/)
      await screen.waitFor(/Your fees +0\.75 USD /)
      await screen.waitFor(/Pay 2 rows, [\d.]+ USDC\? \(y\/N\)/)
      screen.type(answer)
      if (code === 0) await screen.waitFor(/░{20} 0 of 3/)
      expect(await screen.ended).toBe(code)
      expect(await listCreated(home)).toHaveLength(made)
    }
    const sure = onTerminal(home, ['payouts', 'run', 'fees.csv', ...inSandbox, '--yes'])
    expect(await sure.ended).toBe(0)
    expect(sure.text()).not.toContain('(y/N)')
  })

  it('pays every row once, tells them in the order of the file, and a rerun reports them without any write', async () => {
    const home = freshHome()
    const file = writePayroll(home, createRows('a', 3))
    const first = await runPayouts(home, file)
    expect(first).toMatchObject({code: 0, err: 'What is known of every row is in payroll.csv.result.csv.\n'})
    expect(first.out).toContain('Made         3 rows     7.50 USDC')
    const rows = readResultRows(home)
    expect(rows.map(({line, key, state}) => [line, key, state])).toEqual([
      ['2', 'a-1', 'CREATED'],
      ['3', 'a-2', 'CREATED'],
      ['4', 'a-3', 'CREATED'],
    ])
    await addFault(home, '--method', 'POST', '--path', '*', '--kind', 'status', '--status', '500')
    const again = await runPayouts(home, file, '--json')
    expect(again.code).toBe(0)
    expect(readRows(again.out).map(({key, transaction, madeBefore}) => [key, transaction, madeBefore])).toEqual(
      rows.map(({key, transaction}) => [key, transaction, true]),
    )
    const made = new Set((await listCreated(home)).map(({transactionId}) => transactionId))
    expect(made).toEqual(new Set(rows.map(({transaction}) => transaction)))
  })

  it('continues after failed rows, ends with 9, and pays only those when run again', async () => {
    const home = freshHome()
    const writeRows = (maxFee: string) =>
      writePayroll(home, [createRow('a'), createRow('b', {to: 'nowhere'}), createRow('c', {maxFee}), createRow('d')])
    const {code, out, err} = await runPayouts(home, writeRows('0.01'))
    expect(code).toBe(9)
    expect(out).toContain('REJECTED  line 3  b')
    expect(out).toContain('STOPPED  line 4  c')
    expect(out).toContain('at most 0.01 USDC is allowed')
    expect(err).toContain('Of 4 rows, 2 made, 1 stopped, 1 rejected.')
    const again = await runPayouts(home, writeRows('50%'), '--json')
    expect(readRows(again.out).map(({state, madeBefore}) => [state, madeBefore ?? false])).toEqual([
      ['CREATED', true],
      ['REJECTED', false],
      ['CREATED', false],
      ['CREATED', true],
    ])
    expect(await listCreated(home)).toHaveLength(3)
  })

  it('stops if the service keeps failing: the retries of the whole run count', async () => {
    const home = freshHome()
    const service = await serve((asked, response) => {
      if (asked.method === 'GET') return reply(response, 200, {transactions: []})
      return reply(response, 503, {error: 'SERVICE_UNAVAILABLE', message: 'later', statusCode: 503})
    })
    const file = writePayroll(home, createRows('a', 200))
    const flags = ['--yes', '--concurrency', '30', '--json']
    const {code, out, err} = await run(home, ['payouts', 'run', file, ...flags], {env: service.env})
    expect(code).toBe(6)
    expect(err).toContain('the run stopped because the service kept failing')
    expect(service.requests.length).toBeLessThan(130)
    expect(readRows(out).filter(({state}) => state === 'NOT_TRIED').length).toBeGreaterThan(100)
  })

  it('stops as soon after any number of good replies', () => {
    const halt = new Halt()
    const budget = createFailureBudget(halt)
    const hear = (status: number) => budget.observe({status, headers: new Headers()})
    for (let count = 0; count < 1_000; count++) hear(200)
    for (let count = 0; count < 59; count++) hear(503)
    expect(halt.reason).toBeUndefined()
    hear(503)
    expect(halt.reason).toBe('service')
  })

  it('ends with 8 if --timeout leaves rows untried', async () => {
    const home = freshHome()
    await addFault(home, '--method', 'POST', '--path', '/transactions', '--kind', 'delay', '--delay', '2500ms')
    const file = writePayroll(home, createRows('a', 8))
    const {code, out, err} = await runPayouts(home, file, '--timeout', '4s', '--concurrency', '2', '--json')
    expect(code).toBe(8)
    expect(err).toContain('--timeout ran out')
    const states = readRows(out).map(({state}) => state)
    expect(new Set(states)).toEqual(new Set(['CREATED', 'NOT_TRIED']))
    expect(await listCreated(home)).toHaveLength(states.filter((state) => state === 'CREATED').length)
  })
})

describe('svc payouts run --dry-run', () => {
  useVirtualTime()

  it('adds up, requests the prices with --with-quotes, and sends and records nothing', async () => {
    const home = freshHome()
    const file = writePayroll(home, [createRow('a'), createRow('b', {maxFee: '0.01'})])
    const {code, out} = await runPayouts(home, file, '--dry-run')
    expect(code).toBe(0)
    expect(out).toMatch(/\nReady {8}2 rows {5}\d\.\d\d USDC\nPrices +not checked/)
    const {out: asked} = await run(home, ['sandbox', 'requests', '--method', 'POST', '--json'])
    expect(json(asked)['requests']).toEqual([])
    const priced = await runPayouts(home, file, '--dry-run', '--with-quotes')
    expect(priced.code).toBe(9)
    expect(priced.err).toContain('Nothing was paid.')
    expect(priced.out).toContain('STOPPED  line 3  b\n    A limit would stop it: The fees are')
    expect(priced.out).toMatch(/Ready {8}1 row {6}2\.50 USDC, fees [\d.]+ USDC\n.*arrives: about 2\.\d\d USD/)
    expect(priced.out).not.toContain('not checked')
    expect(await listCreated(home)).toEqual([])
    const {out: journal} = await run(home, ['journal', 'list', '--json', '-p', 'sandbox'])
    expect(json(journal)['payments']).toEqual([])
    expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
  })

  it.each([
    [401, 4],
    [503, 6],
  ])('ends with its own code if no price can be had: %i', async (status, code) => {
    const home = freshHome()
    const service = await serve((_, response) =>
      reply(response, status, {error: 'NOT_NOW', message: 'not now', statusCode: status}),
    )
    const file = writePayroll(home, createRows('a', 1))
    const ended = await run(home, ['payouts', 'run', file, '--dry-run', '--with-quotes', '--no-names'], service)
    expect(ended.code).toBe(code)
    expect(ended.err + ended.out).not.toMatch(/may or may not|should not have|UNKNOWN/)
  })
})
