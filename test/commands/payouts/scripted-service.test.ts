// svc payouts run with a scripted service that behaves unlike the sandbox.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {reply} from '../../support/service.ts'
import {type Home, bin, freshHome, json, run} from '../../support/svc.ts'
import {addBankAccounts, writePayroll, readStates, createRows} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const runPayouts = (home: Home, {env}: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env})

const readRows = (out: string) => json(out)['payouts'] as Array<Record<string, unknown>>

describe('a result file', () => {
  it('never overwrites the payout file, also not through a link', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    fs.symlinkSync(path.join(home.folder, file), path.join(home.folder, 'link.csv'))
    const before = fs.readFileSync(path.join(home.folder, file), 'utf8')
    for (const name of [file, `./${file}`, 'link.csv']) {
      const {code, err} = await runPayouts(home, service, file, '--result', name)
      expect(code).toBe(2)
      expect(err).toContain('--result names the payout file itself')
    }
    expect(fs.readFileSync(path.join(home.folder, file), 'utf8')).toBe(before)
    expect(service.requests).toEqual([])
  })
})

describe('a dry run', () => {
  it.each([
    ['the credential is refused', 401, '/quotes', 4],
    ['no quote can be had', 503, '/quotes', 6],
  ])('ends with its own code if %s', async (_, status, at, code) => {
    const [home, service] = [freshHome(), await servePayments()]
    addBankAccounts(service)
    service.intercept = (asked, response) => {
      if (!asked.path.startsWith(at)) return false
      reply(response, status, {error: 'NOT_NOW', message: 'not now', statusCode: status})
      return true
    }
    const file = writePayroll(home, createRows('a', 1))
    const ended = await runPayouts(home, service, file, '--dry-run', '--with-quotes')
    expect(ended.code).toBe(code)
    expect(ended.err + ended.out).not.toMatch(/may or may not|should not have|UNKNOWN/)
  })

  it('reports which rows an earlier run left unknown', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.intercept = ({method, path: at}, response) => {
      if (method !== 'POST' || at !== '/transactions') return false
      response.socket?.destroy()
      return true
    }
    const file = writePayroll(home, createRows('a', 2))
    expect((await runPayouts(home, service, file, '--timeout', '2s')).code).toBe(7)
    const {code, out} = await runPayouts(home, service, file, '--dry-run')
    expect(code).toBe(0)
    expect(out).toContain('It may have been paid')
    expect(out).toContain('Unknown      2 rows')
  })
})

describe('a row that an interrupted run has sent', () => {
  it('counts as made before the run that only finds it at the service', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 3))
    service.script({at: 'POST /transactions', times: 1, reply: 'reset'})
    // The list is read before each row is sent, and does not answer afterwards.
    service.intercept = ({method}, response) => {
      if (method !== 'GET' || service.transactions.length === 0) return false
      response.socket?.destroy()
      return true
    }
    const first = await runPayouts(home, service, file, '--allow-duplicates', '--concurrency', '1', '--timeout', '2s')
    expect(first.code).toBe(7)
    const made = service.transactions.length
    service.intercept = () => false
    const again = await runPayouts(home, service, file, '--allow-duplicates', '--json')
    expect(again.code).toBe(0)
    expect(readRows(again.out).filter(({madeBefore}) => madeBefore)).toHaveLength(made)
    expect(readRows(again.out)[0]).toMatchObject({state: 'CREATED', madeBefore: true})
    expect(service.transactions).toHaveLength(3)
  })
})

describe('a journal that cannot grow', () => {
  // In blocks of 1024 bytes: enough for some rows but not for all.
  const blocksMax = 300

  it('stops the run with the right code, and a rerun pays the rest, every row once', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 60))
    const limited = `trap '' XFSZ; ulimit -f ${blocksMax}; exec "$0" "$@"`
    const args = ['payouts', 'run', file, '--yes', '--concurrency', '4']
    const child = spawn('bash', ['-c', limited, process.execPath, bin, ...args], {
      cwd: home.folder,
      // Without further reads of the list, a row that cannot be recorded is one that was sent.
      env: {...home.env, ...service.env, SVC_RESEND: 'yes'},
      stdio: 'ignore',
    })
    const [status] = await once(child, 'close')
    const states = readStates(home)
    expect(states).toEqual(expect.arrayContaining(['NOT_TRIED', 'CREATED']))
    // The disk may be full before a row is armed, or later. Whatever may have been sent is unknown, and then the code says so.
    const isSentUnrecorded = service.transactions.length > states.filter((state) => state === 'CREATED').length
    if (isSentUnrecorded) expect(states).toContain('UNKNOWN')
    expect(status).toBe(states.includes('UNKNOWN') ? 7 : 9)
    expect((await runPayouts(home, service, file, '--quiet')).code).toBe(0)
    expect(new Set(service.transactions.map(({correlationId}) => correlationId)).size).toBe(60)
    expect(service.transactions).toHaveLength(60)
  })
})
