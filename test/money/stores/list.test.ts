// svc journal list and show: in a terminal, in a pipe, as JSON, and rejected.
import {beforeAll, describe, expect, it} from 'vitest'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {inSandbox, payWithUnknownOutcome, pay} from '../../support/payments.ts'
import {type Home, json, run} from '../../support/svc.ts'
import {runInVirtualTime} from '../../support/virtual-time.ts'

const list = ['journal', 'list', ...inSandbox]
const readKeys = (out: string) => (json(out)['payments'] as Array<{key: string}>).map(({key}) => key)

// A journal with payments in three states. No test here changes it.
let home: Home

beforeAll(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  home = {folder, env: {PATH: process.env['PATH'] ?? '', HOME: folder, SVC_CONFIG_DIR: path.join(folder, 'config')}}
  await pay(home, 'made', '10', '--quiet')
  await pay(home, 'stopped', '20', '--max-fee', '0')
  await runInVirtualTime(async () => void (await payWithUnknownOutcome(home, 'unknown', '30')))
  return () => fs.rmSync(folder, {recursive: true, force: true})
})

describe('svc journal list', () => {
  it('filters by state and time, in a pipe as in JSON', async () => {
    const open = await run(home, [...list, '--state', 'armed,UNKNOWN', '--columns', 'key,state'])
    expect(open).toEqual({code: 0, err: '', out: 'KEY      STATE\nunknown  UNKNOWN\n'})
    expect(readKeys((await run(home, [...list, '--json'])).out)).toEqual(['unknown', 'stopped', 'made'])
    expect(readKeys((await run(home, [...list, '--json', '--since', '1h'])).out)).toHaveLength(3)
    expect(readKeys((await run(home, [...list, '--json', '--since', '2999-01-01'])).out)).toEqual([])
    expect(readKeys((await run(home, [...list, '--json', '--until', '1h'])).out)).toEqual([])
    expect(readKeys((await run(home, [...list, '--json', '--until', '2999-01-01'])).out)).toHaveLength(3)
  })

  it('shows the newest, says that more follow and how to get them, and continues after them', async () => {
    const first = await run(home, [...list, '--limit', '2', '--json'])
    const {nextPageToken} = json(first.out)
    expect(readKeys(first.out)).toEqual(['unknown', 'stopped'])
    expect(first.err).toBe(
      `2 payments shown; more follow: --all, --limit N, or \`--page-token ${String(nextPageToken)}\`\n`,
    )
    const rest = await run(home, [...list, '--page-token', String(nextPageToken), '--json'])
    expect(rest).toMatchObject({code: 0, err: ''})
    expect(json(rest.out)).toEqual({payments: [expect.objectContaining({key: 'made'})]})
    expect(readKeys((await run(home, [...list, '--all', '--json'])).out)).toEqual(['unknown', 'stopped', 'made'])
    const wrong = await run(home, [...list, '--page-token', 'page-2'])
    expect(wrong).toMatchObject({code: 2, out: ''})
    expect(wrong.err).toContain('--page-token "page-2" is not one of this list')
  })

  it('lists only payments of the profile’s service', async () => {
    const elsewhere = {...home, env: {...home.env, SVC_SANDBOX_FILE: path.join(home.folder, 'other.sqlite')}}
    expect(readKeys((await run(elsewhere, [...list, '--json'])).out)).toEqual([])
  })

  it('is empty if there is no journal, and creates none', async () => {
    const file = path.join(home.folder, 'none.sqlite')
    const empty = await run(home, [...list, '--json'], {env: {SVC_JOURNAL: file}})
    expect({code: empty.code, ...json(empty.out)}).toEqual({code: 0, payments: []})
    expect(fs.existsSync(file)).toBe(false)
  })
})

it('svc journal show prints everything as JSON: the bytes that were sent, and each line of the history', async () => {
  const {code, out} = await run(home, ['journal', 'show', 'made', ...inSandbox, '--json'])
  expect(code).toBe(0)
  const {attempts, history, transactionId} = json(out) as {
    attempts: Array<{bytes: string; quoteId: string; idempotencyKey: string}>
    history: Array<{what: string; at: string; detail?: {transactionId?: string}}>
    transactionId: string
  }
  expect(json(attempts[0]?.bytes ?? '')).toMatchObject({quoteId: attempts[0]?.quoteId})
  expect(history.map(({what}) => what)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
  expect(history.at(-1)?.detail?.transactionId).toBe(transactionId)
  expect(history.every(({at}) => /^\d{4}-\d\d-\d\dT.*Z$/.test(at))).toBe(true)
})
