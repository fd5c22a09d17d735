// The result file of svc payouts run: it is about this run, complete, private, and never replaces anything else.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {servePayments} from '../../../support/scripted-service.ts'
import {freshHome, run} from '../../../support/svc.ts'
import {createRow, createRows, readResult, readStates, writePayroll} from '../../../support/payroll.ts'

async function prepare() {
  const [home, service] = [freshHome(), await servePayments()]
  const file = writePayroll(home, createRows('a', 2))
  const pay = (...flags: string[]) => run(home, ['payouts', 'run', file, '--yes', ...flags], service)
  const listFiles = () => fs.readdirSync(home.folder).filter((name) => name.includes('result'))
  return {home, service, file, pay, listFiles}
}

describe('the result file', () => {
  it('is always about the last run: a file that is rejected and a dry run leave it, and the next run removes it first', async () => {
    const {home, service, pay, listFiles} = await prepare()
    await pay()
    const first = readResult(home)
    expect(first.split('\n', 1)).toEqual([
      'line,key,payee,bank,note,customer,destination,amount,currency,state,transaction,status,fee,received,reason,error,receivedCurrency',
    ])
    expect(fs.statSync(path.join(home.folder, 'payroll.csv.result.csv')).mode & 0o777).toBe(0o600)
    await pay('--dry-run')
    writePayroll(home, [createRow('x', {amount: 'x'})])
    expect((await pay()).code).toBe(2)
    expect([readResult(home), listFiles()]).toEqual([first, ['payroll.csv.result.csv']])
    writePayroll(home, [createRow('b', {amount: '3'})])
    let during: string[] = ['none']
    service.alter = (transaction) => {
      during = listFiles()
      return transaction
    }
    await pay()
    expect([during, readStates(home)]).toEqual([[], ['CREATED']])
  })

  it('is no reason to fail for runs of one file at the same time', async () => {
    const {home, service, pay} = await prepare()
    await pay()
    expect((await Promise.all([1, 2, 3].map(() => pay()))).map(({code}) => code)).toEqual([0, 0, 0])
    expect(readStates(home)).toEqual(['CREATED', 'CREATED'])
    expect(service.transactions).toHaveLength(2)
  })

  it.each([
    ['/dev/null', 'The file /dev/null cannot be written (not a file)'],
    ['no/such/folder.csv', 'The file no/such/folder.csv cannot be written (ENOENT)'],
    ['payroll.csv', '--result names the payout file itself'],
    ['./payroll.csv', '--result names the payout file itself'],
    ['link.csv', '--result names the payout file itself'],
  ])('that is %s fails the run before anything is sent', async (name, why) => {
    const {home, service, file, pay} = await prepare()
    const before = fs.readFileSync(path.join(home.folder, file), 'utf8')
    fs.symlinkSync(path.join(home.folder, file), path.join(home.folder, 'link.csv'))
    const {code, err} = await pay('--result', name)
    expect([code, err]).toEqual([2, expect.stringContaining(why)])
    expect(fs.readFileSync(path.join(home.folder, file), 'utf8')).toBe(before)
    expect(service.requests).toEqual([])
  })

  it('that cannot be written in the end does not hide the outcome', async () => {
    const {home, service, pay} = await prepare()
    const folder = path.join(home.folder, 'out')
    fs.mkdirSync(folder)
    service.alter = (transaction) => {
      fs.rmSync(folder, {recursive: true, force: true})
      return transaction
    }
    const {code, out, err} = await pay('--result', 'out/done.csv')
    expect([code, out]).toEqual([0, expect.stringContaining('Made         2 rows')])
    expect(err).toBe('Warning: The file out/done.csv cannot be written (ENOENT).\n')
  })
})
