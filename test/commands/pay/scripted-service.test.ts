// svc pay and its journal with a scripted service that behaves unlike the sandbox.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {startSvc} from '../../support/running.ts'
import {reply} from '../../support/service.ts'
import {seeded} from '../../support/transactions.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const pay = (home: Home, {env}: PaymentService, key: string, amount: string, ...flags: string[]) =>
  run(home, [...payment(key, amount), '--yes', ...flags], {env: {...env, SVC_RESEND: 'yes'}})

const countRequests = ({requests: asked}: PaymentService, at: string) =>
  asked.filter(({method, path: to}) => `${method} ${to}` === at)

describe('a payment that was made while the list cannot be read', () => {
  it.each([
    ['fails', (asked: {path: string}) => (asked.path === '/transactions' ? 503 : 0)],
    ['refuses the credential', () => 401],
  ])('is shown from the journal with code 0 if the service %s', async (_, statusOf) => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'rent', '10')
    service.intercept = (asked, response) => {
      const status = statusOf(asked)
      if (status > 0) reply(response, status, {error: 'NOT_NOW', message: 'not now', statusCode: status})
      return status > 0
    }
    const {code, out, err} = await pay(home, service, 'rent', '10', '--json')
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
    expect(err).toContain('The payment rent was made before')
    expect(err).toContain('Its state at the service could not be read (')
  })
})

describe('a service that asks to wait with Retry-After', () => {
  const answerRetryAfter =
    (value: string, at: string, headers: object = {}) =>
    (service: PaymentService) => {
      let times = 0
      service.intercept = (asked, response) => {
        if (`${asked.method} ${asked.path}` !== at || times++ > 0) return false
        const body = {error: 'SLOW_DOWN', message: 'slow down', statusCode: 429}
        reply(response, 429, body, {...headers, 'retry-after': value})
        return true
      }
    }

  it.each(['POST /quotes', 'POST /transactions'])('gets no request for that long after %s', async (at) => {
    const [home, service] = [freshHome(), await servePayments()]
    answerRetryAfter('2', at)(service)
    const begun = performance.now()
    expect(await pay(home, service, 'rent', '10', '--quiet')).toEqual({code: 0, out: '', err: ''})
    expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000)
    expect(service.transactions).toHaveLength(1)
  })

  it('is reported at once if that is longer than svc waits', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    answerRetryAfter('3600', 'POST /quotes')(service)
    const {code, err} = await pay(home, service, 'rent', '10')
    expect(code).toBe(6)
    expect(err).toMatch(
      /The service gave no quote: it asks to wait 3\d{3} s before the next request\. Nothing was paid/,
    )
    expect(countRequests(service, 'POST /quotes')).toHaveLength(1)
  })
})

describe('a rejection', () => {
  it('is kept in the journal with its code, but without its message, which may contain personal data', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.intercept = (asked, response) => {
      if (asked.method !== 'POST' || asked.path !== '/transactions') return false
      reply(response, 400, {error: 'BAD_REQUEST', message: 'Zoe Example (zoe@example.com) is blocked', statusCode: 400})
      return true
    }
    const {code, err} = await pay(home, service, 'rent', '10')
    expect(code).toBe(3)
    expect(err).toContain('zoe@example.com')
    const shown = await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})
    expect(json(shown.out)).toMatchObject({state: 'REJECTED', reason: 'The service answered 400 BAD_REQUEST'})
    const folder = path.join(home.folder, 'config', 'state')
    const kept = fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), 'latin1'))
    expect(kept.join('')).not.toContain('zoe@')
  })
})

describe('confirmation on live', () => {
  it('shows the payment, the service and the price, and asks once; without a yes nothing is paid', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const script = await run(home, payment('rent', '10'), {env: service.env})
    expect(script).toMatchObject({code: 2, out: ''})
    expect(script.err).toContain('--yes')
    expect(service.requests).toEqual([])
    const screen = onTerminal(home, payment('rent', '10'), {cols: 120, env: service.env})
    await screen.waitFor(`Pay this on ${service.url} (the environment, live), as rent?`)
    for (const line of [
      /^┌─ Pay on \S+ \(the environment, live\) ─+┐\n│ Customer +An invented customer +│\n/,
      new RegExp(
        `│ To +External wallet Invent…1111, USDC on SOLANA +│\\n│ +“Savings” +│\\n│ +${seeded.externalWallet} +│\\n`,
      ),
      /│ Amount +10 USDC +│\n│ Fee +0 USDC +│\n│ Arrives +about 10 USDC \(not guaranteed\) +│\n/,
      /│ Key +rent +│\n│ Quote +\S+ +│\n│ +valid for (5:00|4:5\d) +│\n/,
    ]) {
      expect(screen.text()).toMatch(line)
    }
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(countRequests(service, 'POST /transactions')).toEqual([])
    const willing = onTerminal(home, payment('rent', '10'), {cols: 120, env: service.env})
    await willing.waitFor('as rent?')
    willing.type('y\r')
    expect(await willing.ended).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })
})

describe('an adopted transaction', () => {
  it('belongs to one payment only and can be corrected; reconcile reports the other one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.alter = (transaction) => ({...transaction, correlationId: undefined, quoteId: 'another'})
    for (const key of ['one', 'two']) {
      expect((await pay(home, service, key, '10', '--timeout', '1900ms')).code).toBe(7)
    }
    const [first = '', second = ''] = service.transactions.map(({transactionId}) => String(transactionId))
    const settle = (key: string, id: string) =>
      run(home, ['journal', 'settle', key, '--adopt', id, '--why', 'ticket 4711', '--yes'], {env: service.env})
    expect((await settle('one', second)).code).toBe(0)
    const twice = await settle('two', second)
    expect(twice).toMatchObject({code: 2, out: ''})
    expect(twice.err).toContain(`The transaction ${second} already belongs to the payment one`)
    expect((await settle('one', first)).code).toBe(0)
    expect((await settle('two', second)).code).toBe(0)
    const shown = await run(home, ['journal', 'show', 'one', '--json'], {env: service.env})
    expect(json(shown.out)).toMatchObject({state: 'CREATED', transactionId: first})
  })
})

describe('Ctrl-C', () => {
  const payAndInterrupt = async (home: Home, service: PaymentService, flags: readonly string[], untilAsked: string) => {
    const child = startSvc(home, [...payment('rent', '10'), '--yes', ...flags], service.env)
    await expect.poll(() => countRequests(service, untilAsked).length).toBeGreaterThan(0)
    child.stop('SIGINT')
    return child.ended
  }

  it('reports that the payment was made, during --wait', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const child = startSvc(home, [...payment('rent', '10'), '--yes', '--wait'], service.env)
    await expect.poll(() => service.transactions.length).toBe(1)
    // It waits when it reads the list again.
    const readsBefore = countRequests(service, 'GET /transactions').length
    await expect.poll(() => countRequests(service, 'GET /transactions').length).toBeGreaterThan(readsBefore)
    child.stop('SIGINT')
    const {code, err} = await child.ended
    expect(code).toBe(130)
    expect(err).toContain('Stopped; the payment rent was made. `svc journal show rent` shows it')
  })

  it('reports that another process is working on the payment, while waiting for it', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    // Never answered, so the first process holds the payment until it is killed.
    service.intercept = ({method, path: at}) => method === 'POST' && at === '/transactions'
    const first = startSvc(home, [...payment('rent', '10'), '--yes', '--request-timeout', '1h'], service.env)
    await expect.poll(() => countRequests(service, 'POST /transactions').length).toBe(1)
    const second = startSvc(home, [...payment('rent', '10'), '--yes'], service.env)
    await second.waitFor('waiting for it')
    second.stop('SIGINT')
    const {code, err} = await second.ended
    expect(code).toBe(130)
    expect(err).toContain('Stopped while the payment rent was in progress: whether it was made is not known.')
    first.stop('SIGKILL')
  })

  it('reports that nothing was sent yet, as JSON with --json', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.intercept = (asked) => asked.path === '/quotes'
    const {code, err} = await payAndInterrupt(home, service, ['--json'], 'POST /quotes')
    expect(code).toBe(130)
    expect(json(err)).toMatchObject({error: 'INTERRUPTED', message: 'Stopped; the payment rent was not sent.'})
  })
})
