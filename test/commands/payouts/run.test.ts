// svc payouts run: pays every row of a file once, and reports it.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {
  addFault,
  bank,
  header,
  inSandbox,
  listCreated,
  runPayouts,
  writePayroll,
  readResult,
  readResultRows,
  createRow,
  createRows,
  zoe,
} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

interface Row {
  key: string
  state: string
  transaction?: string
  status?: string
  madeBefore?: boolean
  error?: {error: string; message: string}
}

const readRows = (out: string) => (JSON.parse(out) as {payouts: Row[]}).payouts

describe('svc payouts run', () => {
  useVirtualTime()

  it('shows its progress in a terminal, and totals by currency at the end', async () => {
    const home = freshHome()
    const screen = onTerminal(home, ['payouts', 'run', writePayroll(home, createRows('a', 8)), ...inSandbox])
    await screen.waitFor(/Pay 8 rows, [\d.]+ USDC\? \(y\/N\)/)
    screen.type('y\r')
    await screen.waitFor(/░{20} 0 of 8/)
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Made         8 rows     20.00 USDC, fees')
    expect(screen.text()).toMatch(/arrives: about \d+\.\d\d USD \(not guaranteed\)/)
  })

  it('pays every row once through a pipe, and writes the outcomes to a private file', async () => {
    const home = freshHome()
    const {code, out, err} = await runPayouts(home, writePayroll(home, createRows('a', 3)))
    expect(code).toBe(0)
    expect(out).toContain('Made         3 rows     7.50 USDC')
    expect(err).toBe('What is known of every row is in payroll.csv.result.csv.\n')
    const made = await listCreated(home)
    expect(made).toHaveLength(3)
    const [head] = readResult(home).split('\n')
    expect(head).toBe(
      'line,key,payee,bank,note,customer,destination,amount,currency,state,transaction,status,fee,received,reason,error,receivedCurrency',
    )
    const rows = readResultRows(home)
    expect(rows.map(({line, key, state}) => [line, key, state])).toEqual([
      ['2', 'a-1', 'CREATED'],
      ['3', 'a-2', 'CREATED'],
      ['4', 'a-3', 'CREATED'],
    ])
    expect(rows[0]).toMatchObject({customer: zoe, destination: bank, amount: '2.50', currency: 'USDC', reason: ''})
    expect(made.map(({transactionId}) => transactionId)).toContain(rows[0]?.['transaction'])
    expect(fs.statSync(path.join(home.folder, 'payroll.csv.result.csv')).mode & 0o777).toBe(0o600)
    expect(fs.readdirSync(home.folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('prints the rows as JSON in the order of the file, and a rerun reports them without any write', async () => {
    const home = freshHome()
    const file = writePayroll(home, createRows('a', 3))
    const first = readRows((await runPayouts(home, file, '--json')).out)
    expect(first.map(({key, state, madeBefore}) => [key, state, madeBefore])).toEqual([
      ['a-1', 'CREATED', undefined],
      ['a-2', 'CREATED', undefined],
      ['a-3', 'CREATED', undefined],
    ])
    await addFault(home, '--method', 'POST', '--path', '*', '--kind', 'status', '--status', '500')
    const again = await runPayouts(home, file, '--json')
    expect(again.code).toBe(0)
    expect(readRows(again.out).map(({transaction, madeBefore}) => [transaction, madeBefore])).toEqual(
      first.map(({transaction}) => [transaction, true]),
    )
    expect(await listCreated(home)).toHaveLength(3)
  })

  it('rejects a file with every problem and its line, and sends nothing', async () => {
    const home = freshHome()
    const file = writePayroll(home, [
      createRow('a', {amount: '"1,50"'}),
      createRow('a'),
      '',
      createRow('', {amount: '0'}),
      'x,y',
      createRow('quote:1'),
    ])
    const {code, out, err} = await runPayouts(home, file)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('problems in payroll.csv. Nothing was sent.')
    expect(err).toContain(
      'line 2: amount must be a decimal number, such as 120.50, with a point and no comma (found "1,50")',
    )
    expect(err).toContain('line 3: key is already used by line 2 (found "a")')
    expect(err).toContain('line 5: key is missing')
    expect(err).toContain('line 5: amount should be more than 0 (found "0")')
    expect(err).toContain('line 7: key must not begin with quote:')
    expect(err).toContain('line 6: has 2 cells, but the header has 10: quote cells that contain a separator')
    expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
  })

  it('continues after failed rows, ends with 9, and pays only those when run again', async () => {
    const home = freshHome()
    const nowhere = createRow('b', {to: 'nowhere'})
    const file = writePayroll(home, [createRow('a'), nowhere, createRow('c', {maxFee: '0.01'}), createRow('d')])
    const {code, out, err} = await runPayouts(home, file)
    expect(code).toBe(9)
    expect(out).toContain('REJECTED  line 3  b')
    expect(out).toContain('STOPPED  line 4  c')
    expect(out).toContain('at most 0.01 USDC is allowed')
    expect(err).toContain('Of 4 rows, 2 made, 1 stopped, 1 rejected.')
    const again = await runPayouts(
      home,
      writePayroll(home, [createRow('a'), nowhere, createRow('c', {maxFee: '50%'}), createRow('d')]),
      '--json',
    )
    expect(readRows(again.out).map(({state, madeBefore}) => [state, madeBefore ?? false])).toEqual([
      ['CREATED', true],
      ['REJECTED', false],
      ['CREATED', false],
      ['CREATED', true],
    ])
    expect(await listCreated(home)).toHaveLength(3)
  })

  it('ends with the code of the failure if nothing was made', async () => {
    const home = freshHome()
    const {code, err} = await runPayouts(home, writePayroll(home, [createRow('a', {maxFee: '0.01'})]), '--json')
    expect(code).toBe(10)
    expect(json(err.split('\n').at(-2) ?? '')).toMatchObject({error: 'LIMIT_REACHED', exitCode: 10})
  })

  it('starts no further row after --stop-after failures', async () => {
    const home = freshHome()
    const rows = Array.from({length: 6}, (_, index) => createRow(`a-${index}`, {to: 'nowhere'}))
    const {code, err} = await runPayouts(home, writePayroll(home, rows), '--stop-after', '2', '--concurrency', '1')
    expect(code).toBe(5)
    expect(err).toContain('Of 6 rows, 2 rejected, 4 not tried; the run stopped because --stop-after was reached.')
    expect(readResultRows(home).at(-1)).toMatchObject({key: 'a-5', state: 'NOT_TRIED'})
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

  it('stops at the first rejected credential, because every row would be rejected', async () => {
    const home = freshHome()
    const service = await serve((_, response) =>
      reply(response, 401, {error: 'UNAUTHORIZED', message: 'no', statusCode: 401}),
    )
    const file = writePayroll(home, createRows('a', 20))
    const {code, err} = await run(home, ['payouts', 'run', file, '--yes', '--concurrency', '1'], {env: service.env})
    expect(code).toBe(4)
    expect(err).toContain('Of 20 rows, 1 unknown, 19 not tried; the run stopped because the credential was rejected.')
    expect(service.requests).toHaveLength(1)
  })

  it('names the rows that would be refused before it asks', async () => {
    const home = freshHome()
    const missing = '11111111-2222-4333-8444-555555555555'
    const rows = [
      createRow('good'),
      createRow('gone', {customer: missing, amount: '4'}),
      createRow('wrong', {to: missing, amount: '5'}),
      createRow('also-good', {amount: '3'}),
    ]
    const screen = onTerminal(home, ['payouts', 'run', writePayroll(home, rows), ...inSandbox], {cols: 120})
    await screen.waitFor(/REJECTED +line 3 +gone\s/)
    await screen.waitFor(/REJECTED +line 4 +wrong\s/)
    await screen.waitFor(/Pay 4 rows, [\d.]+ USDC, although 2 would not be made\? \(y\/N\)/)
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(await listCreated(home)).toEqual([])
    writePayroll(home, rows.slice(1, 2))
    const only = onTerminal(home, ['payouts', 'run', 'payroll.csv', ...inSandbox], {cols: 120})
    await only.waitFor(/Pay 1 row, [\d.]+ USDC, although 1 would not be made\? \(y\/N\)/)
    only.type('n\r')
    expect(await only.ended).toBe(130)
  })

  it('asks in the sandbox too, says what was made before, and --yes asks nothing', async () => {
    const home = freshHome()
    const fees = [
      `${header},developer-fee,developer-fee-type`,
      `${createRow('a', {amount: '5'})},0.50,USD`,
      `${createRow('b', {amount: '7'})},0.25,USD`,
    ]
    await runPayouts(home, writePayroll(home, [createRow('c')], 'one.csv'))
    fs.writeFileSync(path.join(home.folder, 'fees.csv'), `${[...fees, `${createRow('c')},,`].join('\n')}\n`)
    const screen = onTerminal(home, ['payouts', 'run', 'fees.csv', ...inSandbox])
    await screen.waitFor('Please confirm in the embedded sandbox')
    await screen.waitFor(/Made +1 row +2\.50 USDC/)
    await screen.waitFor(/Ready +2 rows +12 USDC/)
    await screen.waitFor(/Your fees +0\.75 USD /)
    await screen.waitFor(/Pay 2 rows, [\d.]+ USDC\? \(y\/N\)/)
    screen.type('\r')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Stopped; nothing was changed')
    expect(await listCreated(home)).toHaveLength(1)
    const sure = onTerminal(home, ['payouts', 'run', 'fees.csv', ...inSandbox, '--yes'])
    expect(await sure.ended).toBe(0)
    expect(sure.text()).not.toContain('(y/N)')
    expect(await listCreated(home)).toHaveLength(3)
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

describe('svc payouts run with a slow row', () => {
  it('prints a line of JSON for every row as it ends', async () => {
    const home = freshHome()
    await addFault(home, ...'--method POST --path /transactions --kind delay --delay 1s --times 1'.split(' '))
    const file = writePayroll(home, createRows('a', 3))
    const {code, out} = await runPayouts(home, file, '-o', 'jsonl', '--concurrency', '2')
    expect(code).toBe(0)
    const keys = out
      .trimEnd()
      .split('\n')
      .map((line) => json(line)['key'])
    expect(new Set(keys)).toEqual(new Set(['a-1', 'a-2', 'a-3']))
    expect(keys.at(-1)).not.toBe('a-3')
  })
})

describe('svc payouts run --dry-run', () => {
  it('adds up, and sends and records nothing', async () => {
    const home = freshHome()
    const file = writePayroll(home, createRows('a', 2))
    const {code, out} = await runPayouts(home, file, '--dry-run')
    expect(code).toBe(0)
    expect(out).toMatch(/\nReady {8}2 rows {5}\d\.\d\d USDC\nPrices +not checked/)
    expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
    const {out: asked} = await run(home, ['sandbox', 'requests', '--method', 'POST', '--json'])
    expect(json(asked)['requests']).toEqual([])
    expect(readRows((await runPayouts(home, file, '--json')).out).map(({madeBefore}) => madeBefore)).toEqual([
      undefined,
      undefined,
    ])
  })

  it('requests every price with --with-quotes, and reports which limits would stop rows', async () => {
    const home = freshHome()
    const file = writePayroll(home, [createRow('a'), createRow('b', {maxFee: '0.01'})])
    const {code, out, err} = await runPayouts(home, file, '--dry-run', '--with-quotes')
    expect(code).toBe(9)
    expect(out).toContain('STOPPED  line 3  b\n    A limit would stop it: The fees are')
    expect(out).toMatch(
      /Ready {8}1 row {6}2\.50 USDC, fees [\d.]+ USDC\n.*arrives: about 2\.\d\d USD \(not guaranteed\)/,
    )
    expect(err).toContain('Nothing was paid.')
    expect(out).not.toContain('not checked')
    expect(await listCreated(home)).toEqual([])
  })
})
