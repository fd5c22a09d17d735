// svc transactions create: once for each quote, whatever is lost, with one key.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../../support/service.ts'
import {freshHome, json, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {createQuote, transaction} from '../../../support/transactions.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'

useVirtualTime()

const inSandbox = ['-p', 'sandbox']
const create = ['transactions', 'create']

describe('svc transactions create', () => {
  it('shows the key on a terminal before it sends, and then the record with the transfer instructions', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '80', 'sepaAccount', 'wallet')
    const screen = onTerminal(home, [...create, '--quote', quote, ...inSandbox])
    await screen.waitFor(`Pay what the quote ${quote} says?`)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(
      /^The idempotency key is svc_[0-9a-f]{40}\.\nID +[0-9a-f-]{36}\nSTATUS +AWAITING_TRANSFER\n/m,
    )
    expect(screen.text()).toMatch(
      /Send 80\.00 EUR by SEPA until [-\d]+ [:\d]+\s+UTC\n(.*\n)*.*IBAN: DE75 5121 0800 1245 1261 99\n/,
    )
  })

  it('exits with 7 while the outcome is unknown, and sends the same key and bytes when run again', async () => {
    let isListed = false
    const made = transaction(1, 'CREATED', {quoteId: 'q'})
    const service = await serve(({method}, response) => {
      if (method === 'POST') return void response.socket?.destroy()
      return reply(response, 200, {transactions: isListed ? [made] : []})
    })
    const home = freshHome()
    const send = (...flags: string[]) =>
      run(home, [...create, '--quote', 'q', '--yes', '--timeout', '1900ms', ...flags], {
        env: {...service.env, SVC_RESEND: 'yes'},
      })
    const first = await send('--idempotency-key', 'inv 1', '--correlation-id', 'c')
    expect(first).toMatchObject({code: 7, out: ''})
    expect(first.err).toContain('Run the same command again')
    const again = await send('--correlation-id', 'other')
    expect(again.code).toBe(7)
    expect(again.err).toContain('The idempotency key is inv 1.')
    const other = await send('--idempotency-key', 'inv 2')
    expect(other).toMatchObject({code: 2, out: ''})
    expect(other.err).toContain('inv 1')
    const posts = service.requests.filter(({method}) => method === 'POST')
    expect(posts.length).toBeGreaterThan(1)
    expect(new Set(posts.map(({body, headers}) => `${body} ${String(headers['x-idempotency-key'])}`))).toEqual(
      new Set(['{"quoteId":"q","correlationId":"c"} inv 1']),
    )
    isListed = true
    const settled = await send('--json')
    expect(settled.code).toBe(0)
    expect(json(settled.out)).toEqual(made)
  })

  it('derives the key from the quote, the same in every run, and sends a given one instead', async () => {
    const service = await serve(({method, body}, response) => {
      if (method === 'GET') return reply(response, 200, {transactions: []})
      return reply(response, 200, transaction(1, 'CREATED', {quoteId: json(body)['quoteId']}))
    })
    for (const [quote = '', ...flags] of [['a'], ['a'], ['b'], ['a', '--idempotency-key', 'inv 1']]) {
      await run(freshHome(), [...create, '--quote', quote, '--yes', ...flags], {env: service.env})
    }
    const posts = service.requests.filter(({method}) => method === 'POST')
    const keys = posts.map(({headers}) => String(headers['x-idempotency-key']))
    expect(keys[0]).toMatch(/^svc_[0-9a-f]{40}$/)
    expect(keys).toEqual([keys[0], keys[0], expect.not.stringContaining(keys[0] ?? '') as string, 'inv 1'])
  })

  it('returns the transaction that the quote already made, whatever the key', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '5', 'wallet', 'externalWallet')
    const first = await run(home, [...create, '--quote', quote, ...inSandbox, '--json'])
    const other = {...home, env: {...home.env, SVC_JOURNAL: `${home.folder}/other.sqlite`}}
    for (const second of [home, other]) {
      const again = await run(second, [...create, '--quote', quote, '--idempotency-key', 'k2', ...inSandbox, '--json'])
      expect(again.code).toBe(0)
      expect(json(again.out)['transactionId']).toBe(json(first.out)['transactionId'])
    }
  })
})
