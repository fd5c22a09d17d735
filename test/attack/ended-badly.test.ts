// A service whose transactions fail, are cancelled or expire: no command may say that such a payment was made.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import {
  countSent,
  createHost,
  createRows,
  pay,
  readJournal,
  readResultFile,
  readRows,
  reconcile,
  runPayouts,
} from './attack.ts'

const endings = ['FAILED', 'CANCELLED', 'EXPIRED', 'failed']

const setStatus = ({transactions}: PaymentService, status: string) => {
  for (const transaction of transactions) transaction['transactionStatus'] = status
}

// Only transactions of this amount end badly.
const failAmount = (amount: string) => (transaction: Record<string, unknown>) => {
  const {sourceAmount} = transaction['source'] as {sourceAmount: string}
  return sourceAmount === amount ? {...transaction, transactionStatus: 'FAILED'} : transaction
}

describe('a payment that ended badly', () => {
  it.each(endings)('as %s at once ends 11, on every run, and says that a new key is needed', async (status) => {
    const service = await servePayments({status})
    const host = createHost(service)
    for (let again = 0; again < 2; again += 1) {
      const {code, err} = await pay(host, 'rent', '10')
      expect(code).toBe(11)
      expect(err).toContain(status.toUpperCase())
      expect(err).toMatch(/(another|a new|other) key/i)
      expect(countSent(service)).toBe(1)
    }
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'CREATED', ended: status.toUpperCase()})
  })

  it.each(endings)('as %s later ends 11 on the next run, and is noted once', async (status) => {
    const service = await servePayments()
    const host = createHost(service)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    setStatus(service, status)
    for (let again = 0; again < 2; again += 1) expect((await pay(host, 'rent', '10')).code).toBe(11)
    const {history} = await readJournal(host, 'rent')
    const whats = (history as Array<{what: string}>).map(({what}) => what)
    expect(whats.filter((what) => what === 'ENDED')).toHaveLength(1)
    expect(service.transactions).toHaveLength(1)
  })

  it('ends 11 when it is found after a lost reply', async () => {
    const service = await servePayments({status: 'FAILED'})
    service.script({reply: 'reset'})
    expect((await pay(createHost(service), 'rent', '10')).code).toBe(11)
    expect(service.transactions).toHaveLength(1)
  })

  it('ends 11 also while the list does not show it or cannot be read', async () => {
    const service = await servePayments({status: 'FAILED', listLagMs: 60_000})
    const host = createHost(service)
    for (let again = 0; again < 2; again += 1) expect((await pay(host, 'rent', '10')).code).toBe(11)
    service.script({at: 'GET /transactions', reply: refusal(403, 'FORBIDDEN', 'No list')})
    expect((await pay(host, 'rent', '10')).code).toBe(11)
  })

  it('ends 0 once the service says that it was completed after all', async () => {
    const service = await servePayments({status: 'EXPIRED'})
    const host = createHost(service)
    expect((await pay(host, 'rent', '10')).code).toBe(11)
    setStatus(service, 'COMPLETED')
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(countSent(service)).toBe(1)
  })

  it('does not count a transaction that is still under way', async () => {
    for (const status of ['AWAITING_TRANSFER', 'PROCESSING', 'CREATED', 'COMPLETED', 'SOMETHING_NEW']) {
      const service = await servePayments({status})
      expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
    }
  })

  it('is a finding of its own in reconcile', async () => {
    const service = await servePayments()
    const host = createHost(service)
    await pay(host, 'rent', '10')
    expect(await reconcile(host)).toEqual({code: 0, findings: []})
    setStatus(service, 'FAILED')
    const {code, findings} = await reconcile(host)
    expect(code).toBe(12)
    expect(findings).toMatchObject([{kind: 'ENDED_BADLY', key: 'rent'}])
  })
})

describe('rows that ended badly', () => {
  it('are counted and named apart in the summary, the result file and the code, on every run', async () => {
    const service = await servePayments({status: 'FAILED'})
    const host = createHost(service)
    for (let again = 0; again < 2; again += 1) {
      const {code, out, err} = await runPayouts(host, createRows(5))
      expect(code).toBe(9)
      expect(out).not.toMatch(/^Made/m)
      expect(out + err).toMatch(/5 rows|5 ended/)
      expect(readResultFile(host).match(/ENDED_BADLY/g)).toHaveLength(5)
      expect(readResultFile(host)).not.toContain('CREATED')
    }
    expect(countSent(service)).toBe(5)
    const {findings} = await reconcile(host)
    expect(findings.map(({kind}) => kind)).toEqual(Array.from({length: 5}, () => 'ENDED_BADLY'))
  })

  it('do not hide those that went well', async () => {
    const service = await servePayments()
    service.alter = failAmount('2.01')
    const host = createHost(service)
    const result = await runPayouts(host, createRows(3), '--json')
    expect(result.code).toBe(9)
    expect(readRows(result).map(({state}) => state)).toEqual(['CREATED', 'ENDED_BADLY', 'CREATED'])
  })

  it('are found when they end later', async () => {
    const service = await servePayments()
    const host = createHost(service)
    expect((await runPayouts(host, createRows(3))).code).toBe(0)
    setStatus(service, 'CANCELLED')
    const again = await runPayouts(host, createRows(3), '--json')
    expect(again.code).toBe(9)
    expect(readRows(again).map(({state}) => state)).toEqual(['ENDED_BADLY', 'ENDED_BADLY', 'ENDED_BADLY'])
    expect(countSent(service)).toBe(3)
  })
})
