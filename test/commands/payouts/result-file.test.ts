// The result file of svc payouts run: it is about this run, complete, and never replaces anything else.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {createRow, createRows, readResult, readStates, writePayroll} from './payroll.ts'

const runPayouts = (home: Home, {env}: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env})

const listFiles = (home: Home) => fs.readdirSync(home.folder).filter((name) => name.includes('result'))

describe('the result file', () => {
  it('is always about the last run: that of an earlier one is removed when the next begins', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    await runPayouts(home, service, file)
    writePayroll(home, [createRow('b', {amount: '3'})])
    let during: string[] = ['none']
    service.alter = (transaction) => {
      during = listFiles(home)
      return transaction
    }
    await runPayouts(home, service, file)
    expect(during).toEqual([])
    expect(readStates(home)).toHaveLength(1)
  })

  it('is no reason to fail for runs of one file at the same time', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    await runPayouts(home, service, file)
    const runs = await Promise.all([1, 2, 3].map(() => runPayouts(home, service, file)))
    expect(runs.map(({code}) => code)).toEqual([0, 0, 0])
    expect(readStates(home)).toEqual(['CREATED', 'CREATED'])
    expect(service.transactions).toHaveLength(2)
  })

  it('is left alone by a file that is rejected, and by a dry run', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    await runPayouts(home, service, file)
    const first = readResult(home)
    await runPayouts(home, service, file, '--dry-run')
    writePayroll(home, [createRow('x', {amount: 'x'})])
    expect((await runPayouts(home, service, file)).code).toBe(2)
    expect(readResult(home)).toBe(first)
    expect(listFiles(home)).toEqual(['payroll.csv.result.csv'])
  })

  it.each([
    ['/dev/null', 'not a file'],
    ['no/such/folder.csv', 'ENOENT'],
  ])('that cannot be %s fails the run before anything is sent', async (name, why) => {
    const [home, service] = [freshHome(), await servePayments()]
    const {code, err} = await runPayouts(home, service, writePayroll(home, createRows('a', 1)), '--result', name)
    expect([code, err]).toEqual([2, expect.stringContaining(`The file ${name} cannot be written (${why})`)])
    expect(service.requests).toEqual([])
  })

  it('that cannot be written in the end does not hide the outcome', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const folder = path.join(home.folder, 'out')
    fs.mkdirSync(folder)
    service.alter = (transaction) => {
      fs.rmSync(folder, {recursive: true, force: true})
      return transaction
    }
    const file = writePayroll(home, createRows('a', 1))
    const {code, out, err} = await runPayouts(home, service, file, '--result', 'out/done.csv')
    expect(code).toBe(0)
    expect(out).toContain('Made         1 row')
    expect(err).toBe('Warning: The file out/done.csv cannot be written (ENOENT).\n')
  })
})
