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
  it('of an earlier run is set aside under the time at which it was written', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    await runPayouts(home, service, file)
    const first = readResult(home)
    const writtenAt = new Date('2026-11-02T03:04:05.678Z')
    fs.utimesSync(path.join(home.folder, 'payroll.csv.result.csv'), writtenAt, writtenAt)
    writePayroll(home, [createRow('b', {amount: '3'})])
    const {err} = await runPayouts(home, service, file)
    const aside = 'payroll.csv.result.2026-11-02T030405Z.csv'
    expect(err).toContain(`The result file of an earlier run is now ${aside}.`)
    expect(readResult(home, aside)).toBe(first)
    expect(readStates(home)).toHaveLength(1)
    fs.utimesSync(path.join(home.folder, 'payroll.csv.result.csv'), writtenAt, writtenAt)
    writePayroll(home, [createRow('c', {amount: '4'})])
    await runPayouts(home, service, file)
    expect(listFiles(home).toSorted()).toEqual([
      'payroll.csv.result.2026-11-02T030405Z-2.csv',
      aside,
      'payroll.csv.result.csv',
    ])
    expect(readResult(home, aside)).toBe(first)
  })

  it('stays in place if nothing has changed since it was written', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    await runPayouts(home, service, file)
    const first = readResult(home)
    const writtenAt = new Date('2026-11-02T03:04:05.678Z')
    fs.utimesSync(path.join(home.folder, 'payroll.csv.result.csv'), writtenAt, writtenAt)
    const again = await runPayouts(home, service, file)
    expect(again.err).toBe('The outcome of every row is the same as before, in payroll.csv.result.csv.\n')
    expect(listFiles(home)).toEqual(['payroll.csv.result.csv'])
    expect(readResult(home)).toBe(first)
    expect(fs.statSync(path.join(home.folder, 'payroll.csv.result.csv')).mtime).toEqual(writtenAt)
    writePayroll(home, [...createRows('a', 2), createRow('b', {amount: '3'})])
    const changed = await runPayouts(home, service, file)
    expect(changed.err).toBe(
      'The result file of an earlier run is now payroll.csv.result.2026-11-02T030405Z.csv.\nThe outcome of every row is in payroll.csv.result.csv.\n',
    )
    expect(readResult(home, 'payroll.csv.result.2026-11-02T030405Z.csv')).toBe(first)
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

  it('replaces neither a device nor a pipe', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const {code, err} = await runPayouts(home, service, writePayroll(home, createRows('a', 1)), '--result', '/dev/null')
    expect(code).toBe(2)
    expect(err).toContain('The result file /dev/null cannot be written (not a file)')
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
    expect(err).toBe('Warning: The result file out/done.csv could not be written (ENOENT).\n')
  })
})
