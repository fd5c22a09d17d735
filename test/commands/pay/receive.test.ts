// An invoice as it is written: `svc pay --receive` says what is to arrive, and svc finds how much to send.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {payment, writePlan} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

const invoice = (key: string, receive: string, ...flags: string[]) => [
  ...payment(key, '').filter((word) => word !== '--amount' && word !== ''),
  '--receive',
  receive,
  ...flags,
]

const payInvoice = (home: Home, {env}: PaymentService, receive: string, ...flags: string[]) =>
  run(home, invoice('invoice', receive, '--yes', ...flags), {env})

const pricing = {rate: '0.9', svcFee: '1.50'}

const readSent = ({transactions}: PaymentService) =>
  transactions.map(({source, destination}) => [
    (source as Record<string, unknown>)['sourceAmount'],
    (destination as Record<string, unknown>)['destinationAmount'],
  ])

const readEntry = async (home: Home, {env}: PaymentService, key = 'invoice') =>
  json((await run(home, ['journal', 'show', key, '--json'], {env})).out)

describe('svc pay --receive', () => {
  it('asks for at most four quotes, says both sums, and pays with the quote that brings it', async () => {
    const [home, service] = [freshHome(), await servePayments(pricing)]
    const {code, err} = await payInvoice(home, service, '230.00')
    expect({code, err}).toEqual({code: 0, err: 'To send: 257.055556 USDC. Arrives: 230 USDC, guaranteed.\n'})
    expect(readSent(service)).toEqual([['257.055556', '230']])
    const quotes = service.requestsTo('POST /quotes')
    expect(quotes.length).toBeLessThanOrEqual(4)
    for (const {body} of quotes) {
      expect(json(body)['guaranteeQuote']).toBe(true)
      expect(json(body)).not.toHaveProperty('receive')
    }
    const {attempts, content} = await readEntry(home, service)
    expect(attempts).toMatchObject([{limits: {receivedMin: '230.00'}, sends: 1}])
    expect(content ?? (await readEntry(home, service))).toMatchObject({receive: '230.00'})
  })

  it('after a lost answer settles the amount that was sent, without a new search', async () => {
    const [home, service] = [freshHome(), await servePayments(pricing)]
    service.script({reply: 'reset'})
    const unreadable = service.script({at: 'GET /transactions', skip: 1, times: 50, reply: 'reset'})
    const first = await payInvoice(home, service, '230.00', '--timeout', '2s')
    expect(first.code).toBe(7)
    const count = service.requestsTo('POST /quotes').length
    service.behaviour.rate = '0.5'
    unreadable.remove()
    const again = await payInvoice(home, service, '230.00')
    expect(again.code).toBe(0)
    expect(service.requestsTo('POST /quotes')).toHaveLength(count)
    expect(readSent(service)).toEqual([['257.055556', '230']])
  })

  it('takes one of both: an amount to send, or what is to arrive', async () => {
    const [home, service] = [freshHome(), await servePayments(pricing)]
    const plan = path.join(home.folder, 'plan.yaml')
    writePlan(plan, 'invoice', {receive: '230', maxSend: '300'})
    const both = await run(home, ['pay', '-f', plan, '--amount', '3', '--yes'], {env: service.env})
    expect(both.code).toBe(2)
    expect(both.err).toContain('only one of them may be')
    const paid = await run(home, ['pay', '-f', plan, '--yes'], {env: service.env})
    expect(paid.code).toBe(0)
    expect(readSent(service)).toEqual([['257.055556', '230']])
  })
})
