// svc pay when its transaction ends badly: the payment is not done, and its key is used up.
import {describe, expect, it} from 'vitest'
import {countSent, createHost, pay, readJournal} from '../../attack/attack.ts'
import {refusal, servePayments} from '../../support/scripted-service.ts'
import {json} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const readError = (text: string) => json(text.trimEnd().split('\n').at(-1) ?? '')
const listWhat = (entry: Record<string, unknown>) => (entry['history'] as Array<{what: string}>).map(({what}) => what)

describe('svc pay whose transaction ended badly', () => {
  it.each([
    ['FAILED', 'FAILED'],
    ['CANCELLED', 'cancelled'],
    ['EXPIRED', 'Expired'],
  ])('ends with 11 if the reply says %s, as %s, and on every further run', async (ending, status) => {
    const service = await servePayments({status})
    const host = createHost(service)
    for (const flags of [[], ['--wait'], []]) {
      const {code, out, err} = await pay(host, 'rent', '10', '--json', ...flags)
      expect(code).toBe(11)
      expect(json(out)).toMatchObject({transactionStatus: status})
      const hint = 'The key rent keeps this transaction; to pay again, choose another key.'
      expect(readError(err)).toMatchObject({error: `TRANSACTION_${ending}`, exitCode: 11, hint})
    }
    expect(countSent(service)).toBe(1)
    expect(listWhat(await readJournal(host, 'rent'))).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
  })

  it('ends with 0 while it is in progress, with 11 once it has failed, whatever the list shows then, and notes that once', async () => {
    const service = await servePayments({laterStatus: {status: 'FAILED', afterReads: 1}})
    const host = createHost(service)
    for (const code of [0, 0, 11, 11]) expect((await pay(host, 'rent', '10', '--quiet')).code).toBe(code)
    expect(listWhat(await readJournal(host, 'rent')).filter((what) => what === 'ENDED')).toHaveLength(1)
    service.behaviour.listLagMs = 60_000
    expect((await pay(host, 'rent', '10')).code).toBe(11)
    service.script({at: 'GET /transactions', times: 9, reply: refusal(403, 'FORBIDDEN', 'No list')})
    const offline = await pay(host, 'rent', '10', '--json')
    expect(offline.code).toBe(11)
    expect(json(offline.out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
  })

  it.each(['json', 'jsonl'])('is noticed by --wait, whatever the case, as %s', async (format) => {
    const service = await servePayments({laterStatus: {status: 'failed', afterReads: 1}})
    const {code, err} = await pay(createHost(service), 'rent', '10', '--wait', '-o', format)
    expect(code).toBe(11)
    expect(readError(err)['hint']).toContain('choose another key')
  })

  it('ends with 0 once the service says that it was completed after all', async () => {
    const service = await servePayments({status: 'EXPIRED'})
    const host = createHost(service)
    expect((await pay(host, 'rent', '10')).code).toBe(11)
    for (const transaction of service.transactions) transaction['transactionStatus'] = 'COMPLETED'
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(countSent(service)).toBe(1)
  })

  it.each(['AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED', 'SOMETHING_NEW'])('is no end: %s', async (status) => {
    expect((await pay(createHost(await servePayments({status})), 'rent', '10')).code).toBe(0)
  })
})
