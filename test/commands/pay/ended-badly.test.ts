// svc pay when its transaction ends badly: the payment is not done, and its key is used up.
import {describe, expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const pay = (home: Home, {env}: PaymentService, ...flags: string[]) =>
  run(home, [...payment('rent', '10'), '--yes', ...flags], {env})

const readError = (text: string) => json(text.trimEnd().split('\n').at(-1) ?? '')

const endings = [
  ['FAILED', 'FAILED'],
  ['CANCELLED', 'cancelled'],
  ['EXPIRED', 'Expired'],
] as const

describe('svc pay whose transaction ended badly', () => {
  it.each(endings)('ends with 11 if the reply says %s, as %s, and on every further run', async (ending, status) => {
    const [home, service] = [freshHome(), await servePayments({status})]
    for (const flags of [[], ['--wait'], []]) {
      const {code, out, err} = await pay(home, service, '--json', ...flags)
      expect(code).toBe(11)
      expect(json(out)).toMatchObject({transactionStatus: status})
      expect(readError(err)).toMatchObject({
        error: `TRANSACTION_${ending}`,
        exitCode: 11,
        hint: 'The key rent keeps this transaction; to pay again, choose another key.',
      })
    }
    expect(service.requestsTo('POST /transactions')).toHaveLength(1)
    const {history} = json((await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})).out)
    expect((history as Array<{what: string}>).map(({what}) => what)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
  })

  it('ends with 0 while it is in progress, with 11 once it has failed, and notes that once', async () => {
    const [home, service] = [freshHome(), await servePayments({laterStatus: {status: 'FAILED', afterReads: 1}})]
    expect(await pay(home, service, '--quiet')).toMatchObject({code: 0})
    expect(await pay(home, service, '--quiet')).toMatchObject({code: 0})
    for (let again = 0; again < 2; again++) {
      const failed = await pay(home, service, '--quiet')
      expect(failed).toMatchObject({code: 11, out: ''})
      expect(failed.err).toContain('The payment rent did not end well: its transaction')
    }
    const {history} = json((await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})).out)
    expect((history as Array<{what: string}>).filter(({what}) => what === 'ENDED')).toHaveLength(1)
  })

  it('is noticed by --wait, whatever the case and the format, and noted in the journal', async () => {
    for (const format of ['json', 'jsonl']) {
      const [home, service] = [freshHome(), await servePayments({laterStatus: {status: 'failed', afterReads: 1}})]
      const {code, err} = await pay(home, service, '--wait', '-o', format)
      expect(code).toBe(11)
      expect(readError(err)['hint']).toContain('choose another key')
      // What the journal has noted is known even if the service cannot be read.
      service.script({at: 'GET /transactions', times: 100, reply: {status: 401, body: {error: 'NO', message: 'no'}}})
      const offline = await pay(home, service, '--json')
      expect(offline.code).toBe(11)
      expect(json(offline.out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
    }
  })

  it('ends with 11 also while the list does not show it or cannot be read', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'FAILED', listLagMs: 60_000})]
    for (let again = 0; again < 2; again++) expect((await pay(home, service)).code).toBe(11)
    service.script({at: 'GET /transactions', reply: refusal(403, 'FORBIDDEN', 'No list')})
    expect((await pay(home, service)).code).toBe(11)
  })

  it('ends with 0 once the service says that it was completed after all', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'EXPIRED'})]
    expect((await pay(home, service)).code).toBe(11)
    for (const transaction of service.transactions) transaction['transactionStatus'] = 'COMPLETED'
    expect((await pay(home, service)).code).toBe(0)
    expect(service.requestsTo('POST /transactions')).toHaveLength(1)
  })

  it.each(['AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED', 'SOMETHING_NEW'])('is no end: %s', async (status) => {
    expect((await pay(freshHome(), await servePayments({status}))).code).toBe(0)
  })
})
