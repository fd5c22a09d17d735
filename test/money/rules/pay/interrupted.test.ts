// svc pay when replies are lost, the list cannot be read, the service asks to wait, or a person stops it: one payment per key, and true
// words about it.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {createHost, pay as payAt, readJournal} from '../../../features/security/attack.ts'
import {addFault, inSandbox, listTransactions, pay, payment, readJournalEntry} from '../../../support/payments.ts'
import {startSvc} from '../../../support/running.ts'
import {refusal, servePayments} from '../../../support/scripted-service.ts'
import {freshHome, json, run, setUp} from '../../../support/svc.ts'
import {onPty} from '../../../support/terminal.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'

describe('svc pay when something is lost', () => {
  useVirtualTime()

  it('waits with --wait until it is certain that nothing was made, and then pays once', async () => {
    const home = freshHome()
    await setUp(home, ['profiles', 'set', 'sandbox', '--resend', 'unknown', '--quiet'])
    await addFault(home, 'reset', '--times', '1', '--quiet')
    const before = await listTransactions(home)
    expect(await pay(home, 'a', '10', '--wait', '--quiet')).toMatchObject({code: 0})
    expect(await listTransactions(home)).toHaveLength(before.length + 1)
    const {history} = (await readJournalEntry(home, 'a')) as {history: Array<{what: string}>}
    expect(history.map(({what}) => what)).toContain('ABANDONED')
  })

  it.each([
    ['does not show it', {listLagMs: 300_000}, undefined, "The service's list does not show it yet"],
    ['fails', {}, 503, 'Its state at the service could not be read ('],
    ['refuses the credential', {}, 401, 'Its state at the service could not be read ('],
  ])('shows a payment that was made from the journal while the list %s', async (_, behaviour, status, words) => {
    const service = await servePayments()
    const host = createHost(service)
    await payAt(host, 'rent', '10')
    Object.assign(service.behaviour, behaviour)
    const reply = status && refusal(status, 'NOT_NOW', 'not now')
    if (reply) service.script({at: 'GET /transactions', times: 100, reply})
    const {code, out, err} = await payAt(host, 'rent', '10', '--json')
    expect(code).toBe(0)
    const {transactionId, correlationId, quoteId} = service.transactions[0] ?? {}
    expect(json(out)).toMatchObject({transactionId, correlationId, quoteId, source: {sourceAmount: '10'}})
    expect(err).toContain('The payment rent was made before')
    expect(err).toContain(words)
  })

  it.each(['POST /quotes', 'POST /transactions'])('sends nothing for as long as the answer to %s asks', async (at) => {
    const service = await servePayments()
    const host = createHost(service, {SVC_RESEND: 'yes'})
    const slowDown = (seconds: string) => ({status: 429, body: {}, headers: {'retry-after': seconds}})
    service.script({at, acts: 'never', reply: slowDown('2')})
    const begun = performance.now()
    expect(await payAt(host, 'rent', '10', '--quiet')).toEqual({code: 0, out: '', err: ''})
    expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000)
    expect(service.transactions).toHaveLength(1)
    if (at !== 'POST /quotes') return
    service.script({at, reply: slowDown('3600')})
    const {code, err} = await payAt(host, 'wage', '10')
    expect([code, err]).toEqual([6, expect.stringMatching(/asks to wait 3\d{3} s before.*No transaction was sent/)])
  })

  it('keeps a rejection with its code, but without its message, which may contain personal data', async () => {
    const service = await servePayments()
    const host = createHost(service)
    service.script({acts: 'never', reply: refusal(400, 'BAD_REQUEST', 'Zoe Example (zoe@example.com) is blocked')})
    const {code, err} = await payAt(host, 'rent', '10')
    expect([code, err]).toEqual([3, expect.stringContaining('zoe@example.com')])
    const reason = 'The service answered 400 BAD_REQUEST'
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'REJECTED', reason})
    const folder = path.join(host.home.folder, 'config', 'state')
    const kept = fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), 'latin1'))
    expect(kept.join('')).not.toContain('zoe@')
  })
})

describe('Ctrl-C', () => {
  it('says that the outcome is unknown once the payment is armed, and the next run pays once', async () => {
    const home = freshHome()
    await addFault(home, 'hang', '--times', '1', '--quiet')
    const before = await listTransactions(home)
    const stopped = onPty(home, [...payment('a', '10'), ...inSandbox, '--yes'], {cols: 200})
    const listArmed = () => run(home, ['journal', 'list', '--state', 'ARMED', '--quiet', ...inSandbox])
    await expect.poll(async () => (await listArmed()).out).not.toBe('')
    stopped.type('\u0003')
    expect(await stopped.ended).toBe(130)
    expect(stopped.text()).toContain('Stopped while the payment a was in progress: whether it was made is not known.')
    expect(await pay(home, 'a', '10', '--quiet')).toEqual({code: 0, out: '', err: ''})
    expect(await listTransactions(home)).toHaveLength(before.length + 1)
  })

  // How many requests of which kind have arrived when it is stopped.
  it.each([
    ['that nothing was sent, before', 'POST /quotes', 1, [], 'the payment rent was not sent'],
    ['that it was made, during --wait', 'GET /transactions', 2, ['--wait'], 'the payment rent was made'],
  ])('says %s', async (_, at, count, flags, words) => {
    const service = await servePayments()
    if (at === 'POST /quotes') service.script({at, reply: 'lost'})
    const home = freshHome()
    const child = startSvc(home, [...payment('rent', '10'), '--yes', '--json', ...flags], service.env)
    await expect.poll(() => service.requestsTo(at).length).toBeGreaterThanOrEqual(count)
    if (at !== 'POST /quotes') await child.waitFor('waiting for a final state')
    child.stop('SIGINT')
    const {code, err} = await child.ended
    expect(code).toBe(130)
    expect(json(err.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: 'INTERRUPTED',
      message: expect.stringContaining(words) as string,
    })
    expect(service.transactions).toHaveLength(at === 'POST /quotes' ? 0 : 1)
  })

  it('says that the outcome is unknown while another process is working on the payment', async () => {
    const service = await servePayments()
    const home = freshHome()
    const start = () => startSvc(home, [...payment('rent', '10'), '--yes', '--request-timeout', '1h'], service.env)
    // Never answered, so the first process holds the payment until it is killed.
    service.script({acts: 'never', reply: 'lost'})
    const first = start()
    await expect.poll(() => service.requestsTo('POST /transactions').length).toBe(1)
    const second = start()
    await second.waitFor('waiting for it')
    second.stop('SIGINT')
    const {code, err} = await second.ended
    expect([code, err]).toEqual([
      130,
      expect.stringContaining('Stopped while the payment rent was in progress: whether it was made is not known.'),
    ])
    first.stop('SIGKILL')
  })
})
