// Services that follow the interface in their own way: svc does the right thing with each, or refuses truthfully. Other spellings of
// codes and amounts stand in the tables of payments and rules.
import {describe, expect, it} from 'vitest'
import {countStates, createHost, createRows, pay, runPayouts} from '../features/security/attack.ts'
import {type Answer, type PaymentService, servePayments} from '../support/scripted-service.ts'
import type {Body} from '../support/scripted/behaviour.ts'
import {customer, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

// The token of the next page has another name, or is in the header that RFC 8288 has for it.
const otherTokens = [
  {
    where: 'bookmark',
    present: ({status, body}: Answer): Answer => {
      const {nextPageToken: bookmark, ...others} = body as Body
      return {status, body: bookmark === undefined ? others : {...others, bookmark}}
    },
  },
  // Some services write single quotes, and RFC 8288 allows a backslash before any character.
  ...['"next"', "'next'", String.raw`"\next"`].map((relation) => ({
    where: 'a Link header with rel="next"',
    present: ({status, body}: Answer): Answer => {
      const {nextPageToken, ...others} = body as Body
      const link = `</here>; rel=first, </there?pageToken=${String(nextPageToken)}>; rel=${relation}`
      return {status, body: others, ...(nextPageToken !== undefined && {headers: {link}})}
    },
  })),
]

const keep = (answer: Answer) => answer

it.each(otherTokens)('$where instead of a page token is a warning, and 12 with --all', async ({where, present}) => {
  const service = await servePayments()
  service.customers = Array.from({length: 276}, (_, index) => customer(index + 1))
  service.present = present
  const list = (...flags: string[]) => run(freshHome(), ['customers', 'list', ...flags], {env: service.env})
  const count = (out: string) => (json(out)['customers'] as unknown[]).length
  const all = await list('--all', '--json')
  expect([all.code, count(all.out)]).toEqual([12, 100])
  expect(json(all.err)).toMatchObject({error: 'LIST_MAY_BE_CUT', exitCode: 12})
  expect(json(all.err)['message']).toContain(`with 100 customers: the service sent no nextPageToken, but ${where}`)
  const page = await list('--json')
  expect([page.code, count(page.out)]).toEqual([0, 20])
  expect(page.err).toContain(`Warning: the service sent no nextPageToken, but ${where}`)
  const lines = await list('--all', '-o', 'jsonl')
  expect([lines.code, lines.out.trimEnd().split('\n').length]).toEqual([12, 100])
})

describe('a payment', () => {
  // A payment that ten later ones of another program have pushed off the first page.
  async function payLongAgo(): Promise<PaymentService> {
    const service = await servePayments({keys: 'ignored', quotes: 'many', pageItemsMax: 10})
    expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
    const [sentQuote] = service.requestsTo('POST /quotes')
    const post = (path: string, body: string, key = '') =>
      fetch(service.url + path, {
        method: 'POST',
        headers: {authorization: 'Bearer test-key', 'x-idempotency-key': key},
        body,
      })
    for (let count = 0; count < 10; count++) {
      const {quoteId} = (await (await post('/quotes', sentQuote?.body ?? '')).json()) as Body
      await post('/transactions', JSON.stringify({quoteId}), `other-${count}`)
    }
    return service
  }

  it.each(otherTokens)('is not made while $where says that the list may go on', async ({present}) => {
    const service = await payLongAgo()
    service.present = present
    const again = await pay(createHost(service), 'rent', '10')
    expect([again.code, again.err]).toEqual([6, expect.stringContaining('The list may be incomplete')])
    const rows = createRows(1, {key: 'rent', amount: '10'})
    const result = await runPayouts(createHost(service), rows, '--json', '--timeout', '3s')
    expect([result.code, service.transactions.length]).toEqual([6, 11])
    service.present = keep
    const found = await runPayouts(createHost(service), rows, '--json')
    expect([found.code, countStates(found), service.transactions.length]).toEqual([0, {CREATED: 1}, 11])
  })

  it.each(otherTokens)('stays unknown while $where says that the list may go on', async ({present}) => {
    const service = await payLongAgo()
    // The first page does not show what is made now, since this list begins with the oldest.
    service.behaviour.listOrder = 'oldest'
    service.script({reply: 'reset'})
    service.alter = (transaction) => {
      service.present = present
      return transaction
    }
    const {code, err} = await pay(createHost(service), 'gas', '7', '--timeout', '900ms')
    expect([code, err]).toEqual([7, expect.stringContaining('The list may be incomplete')])
    expect(service.transactions).toHaveLength(12)
  })

  it.each([
    [{expiresAt: null}, 'a quote without its id or the time at which it expires, so no transaction was sent.'],
    [{quoteId: undefined}, 'The service gave no quote: the service answered 200 with an object without quoteId.'],
  ])('is not made from a quote that cannot be used, and says why: %o', async (more, words) => {
    const service = await servePayments()
    service.present = ({status, body}, {path}) => ({
      status,
      body: path === '/quotes' ? {...(body as Body), ...more} : body,
    })
    const {code, err} = await pay(createHost(service), 'rent', '10')
    expect([code, service.transactions.length]).toEqual([6, 0])
    expect(err).toContain(words)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
  })
})

describe('a refusal', () => {
  const refusals: Array<[unknown, string]> = [
    [{error: 'TAKEN', message: 'The email is taken.'}, '(400 TAKEN): The email is taken'],
    [{error: {code: 'TAKEN', message: 'The email is taken'}}, '(400)'],
    [['taken'], '(400)'],
    ['upstream   is\nnot there', '(400): upstream is not there'],
    ['<!doctype html><html><head><title>\n 403 Forbidden\n</title></head></html>', '(400): a web page, 403 Forbidden'],
    [`<html><body>${'<p>Access is denied.</p>'.repeat(100)}`, '(400): a web page'],
    [{}, '(400)'],
  ]

  it.each(refusals)('says its code and message, or the words of a page: %j', async (body, words) => {
    const service = await serve((_, response) => reply(response, 400, body))
    const {code, err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
    expect({code, err}).toEqual({code: 3, err: `svc: The service refused the request ${words}.\n`})
  })

  it('is shown whole by svc api and with --verbose, without the credential', async () => {
    const body = {error: 'TEAPOT', message: 'no', hints: ['for test-key only']}
    const service = await serve((_, response) => reply(response, 400, body))
    const shown = {...body, hints: ['for [credential] only']}
    const text = await run(freshHome(), ['api', 'GET', '/x'], {env: service.env})
    expect([text.code, text.out, json(text.err.slice(text.err.indexOf('{')))]).toEqual([3, '', shown])
    const line = await run(freshHome(), ['api', 'GET', '/x', '--json'], {env: service.env})
    expect([line.out, json(line.err)]).toEqual(['', expect.objectContaining({error: 'TEAPOT', body: shown})])
    const verbose = await run(freshHome(), ['customers', 'list', '--verbose'], {env: service.env})
    expect(verbose.err.split('\n')).toContain(JSON.stringify(shown))
    const unread = await serve((_, response) => reply(response, 200, {things: 1}))
    expect((await run(freshHome(), ['customers', 'list', '--verbose'], {env: unread.env})).err).toContain(
      '{"things":1}',
    )
    const page = await serve((_, response) => reply(response, 200, '<h1>Hello</h1>'))
    expect((await run(freshHome(), ['api', 'GET', '/x'], {env: page.env})).err).toContain('<h1>Hello</h1>')
  })
})
