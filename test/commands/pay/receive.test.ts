// An invoice as it is written: a plan says what is to arrive, and svc finds how much to send.
import path from 'node:path'
import {expect, it} from 'vitest'
import {writePlan} from '../../support/payments.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {freshHome, run} from '../../support/svc.ts'

it('svc pay takes one of both: an amount to send, or what is to arrive', async () => {
  const [home, service] = [freshHome(), await servePayments({rate: '0.9', svcFee: '1.50'})]
  const plan = path.join(home.folder, 'plan.yaml')
  writePlan(plan, 'invoice', {receive: '230', maxSend: '300'})
  const both = await run(home, ['pay', '-f', plan, '--amount', '3', '--yes'], {env: service.env})
  expect(both.code).toBe(2)
  expect(both.err).toContain('only one of them may be')
  const paid = await run(home, ['pay', '-f', plan, '--yes'], {env: service.env})
  expect(paid.code).toBe(0)
  const [{source, destination} = {}] = service.transactions
  expect([source, destination]).toMatchObject([{sourceAmount: '257.055556'}, {destinationAmount: '230'}])
})
