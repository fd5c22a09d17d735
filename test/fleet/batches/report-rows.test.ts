// What is said about a batch is what was so at one moment, whatever workers write while it is read.
import {describe, expect, it, onTestFinished} from 'vitest'
import {findBatch} from '../../../src/fleet/batches/batch.ts'
import {openFleet} from '../../../src/fleet/batches/open-fleet.ts'
import {reportBatch} from '../../../src/fleet/batches/report-rows.ts'
import {openJournal} from '../../../src/payments/journal/open-journal.ts'
import {createRow, writePayroll} from '../../commands/payouts/payroll.ts'
import {useFleet} from '../../support/fleet.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {json, run} from '../../support/svc.ts'

const {freshHost, getAddress} = useFleet()

describe('a batch whose rows are paid while it is read', () => {
  it('is not told as waiting with rows that a worker has written since', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    const svc = (...args: string[]) => run(home, args, {env: service.env})
    const file = writePayroll(home, [createRow('read-1'), createRow('read-2', {amount: '3'})])
    const submitted = await svc('payouts', 'submit', file, '--yes', '--json')
    const {database} = await openFleet({text: getAddress()})
    const journal = await openJournal({text: getAddress()})
    onTestFinished(async () => {
      await journal.close()
      await database.close()
    })
    const read = await findBatch(database, service.url, String(json(submitted.out)['id']))
    expect(read.counts).toEqual({WAITING: 2})
    expect((await svc('payouts', 'work', '--until-idle', '--yes', '--listen', 'off')).code).toBe(0)
    const reported = await reportBatch({database, journal, serviceId: service.url}, read)
    expect(reported.counts).toEqual({CREATED: 2})
  })
})
