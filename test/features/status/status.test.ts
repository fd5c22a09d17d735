// svc status, which svc alone is too: who is calling, what needs attention and what to do next, whatever the service does.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {inSandbox, pay, payWithUnknownOutcome} from '../../support/payments.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {answer, keys, pressKey} from '../../support/wizard-keys.ts'

useVirtualTime()

interface Item {
  kind: string
  count: number
  isPartial?: boolean
  text: string
  items: Array<{id: string; name?: string; detail?: string}>
  next: string
}

const readAttention = (out: string) => json(out)['attention'] as Item[]

describe('svc alone', () => {
  it('is svc status, in a pipe too', async () => {
    const home = freshHome()
    const {out} = await run(home, ['status', ...inSandbox])
    expect(await run(home, inSandbox)).toMatchObject({code: 0, out})
    // Columns that are asked for take the place of the page.
    expect((await run(home, ['status', '--columns', 'profile', ...inSandbox])).out).toBe('PROFILE  sandbox\n')
  })

  it('offers a person without any profile the sandbox, and creates nothing before the answer', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [])
    await screen.waitFor('No profile is set up yet')
    expect(fs.existsSync(home.env['SVC_CONFIG_DIR'] ?? '')).toBe(false)
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Needs attention')
  })
})

describe('svc status', () => {
  it('shows the caller, what needs attention and the next commands, within the width', async () => {
    const screen = onTerminal(freshHome(), ['status', '-p', 'sandbox'])
    expect(await screen.ended).toBe(0)
    const text = screen.text()
    expect(text).toMatch(/^svc \d+\.\d+\.\d+ {2}sandbox\n/)
    expect(text).toMatch(
      /\nNeeds attention\n! 5 customers wait for corrections\n {4}Émilie Larroquet {2}49e6ea9b-96b9-4b81-96d9-8eb6027c7819 {2}DOC_Q/,
    )
    expect(text).toContain('\n    … and 2 more\n')
    expect(text).toMatch(
      /\nNext\n {2}svc customers fix 49e6ea9b-96b9-4b81-96d9-8eb6027c7819 -p sandbox\n +correct what verification refused\n/,
    )
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('is useful if the service cannot be reached', async () => {
    const env = {SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'test-key'}
    const {code, out} = await run(freshHome(), ['status'], {env})
    expect(code).toBe(6)
    expect(out).toMatch(/^svc \S+ {2}the environment {2}live {2}http:\/\/127\.0\.0\.1:9\n/)
    expect(out).toMatch(/\nNot known\n {2}The service could not be asked: /)
    expect(out).toMatch(/\nNext\n {2}svc doctor +find out what is wrong .*\n {2}svc help +list all commands\n$/)
    expect(out).not.toContain('Nothing needs attention')
  })

  it('names unknown and failed payments, with commands that work', async () => {
    const home = freshHome()
    await pay(home, 'stopped', '20', '--max-fee', '0')
    await payWithUnknownOutcome(home, 'unknown', '30')
    const {code, out} = await run(home, ['status', '--json', ...inSandbox])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({caller: {profile: 'sandbox'}, service: {reachable: true}, unread: []})
    const found = readAttention(out)
    expect(found.map(({kind, count}) => [kind, count])).toEqual([
      ['unknownPayments', 1],
      ['failedPayments', 1],
      ['corrections', 5],
      ['awaitingTransfers', 8],
    ])
    expect(found[0]).toMatchObject({
      items: [{id: 'unknown', name: '30 USDC'}],
      next: 'svc journal list --state UNKNOWN,ARMED -p sandbox',
    })
    expect(found[1]?.items).toMatchObject([{id: 'stopped', name: '20 USDC'}])
    const text = await run(home, ['status', ...inSandbox])
    expect(text.code).toBe(0)
    expect(text.out).toContain('! 1 payment has an unknown outcome\n    30 USDC  unknown')
    // The commands that it offers work. `fix` asks a person.
    for (const {kind, next} of found) {
      if (kind !== 'corrections') expect(await run(home, next.split(' ').slice(1))).toMatchObject({code: 0})
    }
  })

  it('offers a form that was begun and not sent, and names nobody of it', async () => {
    const home = freshHome()
    const screen = onTerminal(home, ['customers', 'create', ...inSandbox])
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await pressKey(screen, 'Enter the verification data now?', keys.stop)
    expect(await screen.ended).toBe(130)
    const {out} = await run(home, ['status', ...inSandbox])
    expect(out).toMatch(/! 1 form was begun and not sent\n {4}customers create +left at .* UTC\n/)
    expect(out).toMatch(/\n {2}svc customers create -p sandbox +go on where you left/)
    expect(out).not.toContain('ada@example.com')
  })

  it('says of what it knows only a part', async () => {
    const failed = {transactionId: customerId(9), transactionStatus: 'FAILED', updatedAt: new Date().toISOString()}
    const service = await serve(({path}, response) =>
      reply(
        response,
        200,
        {
          '/customers': {
            customers: [customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})],
            nextPageToken: 'more',
          },
          '/transactions': {transactions: [failed, {...failed, updatedAt: '2020-01-01T00:00:00Z'}]},
        }[path],
      ),
    )
    const {code, out} = await run(freshHome(), ['status'], {env: service.env})
    expect(code).toBe(0)
    expect(service.requests.map(({path}) => path).toSorted()).toEqual(['/customers', '/transactions'])
    expect(out).toContain('! 1 customer waits for corrections (the list goes on)\n')
    expect(out).toContain('\nNot known\n  Of the customers, only the first 1 was read; there may be more.\n')
    expect(out).toContain('! 1 transaction ended badly in the last 7 days\n')
  })

  it.each([
    ['a refused credential', 401, {error: 'UNAUTHORIZED', message: 'No.', statusCode: 401}, 4],
    ['a web page', 200, '<!doctype html>', 6],
    ['a service that fails, without a retry', 500, {error: 'INTERNAL', message: 'Broken.', statusCode: 500}, 6],
  ])('ends with the code for %s, with its data on standard output', async (_, statusCode, body, code) => {
    const service = await serve((_asked, response) => reply(response, statusCode, body))
    const ended = await run(freshHome(), ['status', '--json'], {env: service.env})
    expect([ended.code, service.requests.length]).toEqual([code, 2])
    expect(json(ended.out)).toMatchObject({service: {reachable: false}, caller: {source: 'environment'}})
  })

  it('still shows the service if the journal cannot be read', async () => {
    const home = freshHome()
    const journal = `${home.folder}/journal.sqlite`
    fs.writeFileSync(journal, 'these are notes, and no database', {mode: 0o600})
    const {code, out} = await run(home, ['status', '--json', ...inSandbox], {env: {SVC_JOURNAL: journal}})
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({unread: [expect.stringContaining('the journal could not be read') as string]})
    expect(readAttention(out).map(({kind}) => kind)).toEqual(['corrections', 'awaitingTransfers'])
  })
})
