// --jq: the expression is checked before anything is sent, and applied to the exact data.
import {describe, expect, it} from 'vitest'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'

// A page whose text is given, because JSON.stringify would round its numbers.
const servePage = (text: string) => serve((_, response) => reply(response, 200, text))

const list = (env: Record<string, string>, ...flags: string[]) =>
  run(freshHome(), ['customers', 'list', '--quiet', ...flags], {env})

describe('--jq', () => {
  it('prints strings without quotes, and everything else as compact JSON', async () => {
    const service = await serve((_, response) =>
      reply(response, 200, {customers: [customer(1, {name: 'Ada'}), customer(2, {name: null})]}),
    )
    const {code, out, err} = await list(service.env, '--jq', '.customers[].name, (.customers[0] | {name}), 3, true')
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toBe('Ada\nnull\n{"name":"Ada"}\n3\ntrue\n')
  })

  it('keeps the digits of numbers and amounts', async () => {
    const digits = '{"big":123456789012345678901234567890,"small":0.10,"amount":"1.50","far":1e400}'
    const service = await servePage(`{"customers":[${digits}]}`)
    const {out} = await list(service.env, '--jq', '.customers[0] | ., .big, .small, .amount')
    expect(out).toBe(
      '{"big":123456789012345678901234567890,"small":0.10,"amount":"1.50","far":1E+400}\n' +
        '123456789012345678901234567890\n0.10\n1.50\n',
    )
  })

  it('is applied to each item with -o jsonl, page by page', async () => {
    const service = await serve((asked, response) => {
      const token = asked.query.get('pageToken')
      reply(response, 200, {customers: [customer(token ? 2 : 1)], ...(!token && {nextPageToken: 'more'})})
    })
    const {out} = await list(service.env, '--all', '-o', 'jsonl', '--jq', '.email')
    expect(out).toBe(`${customer(1).email}\n${customer(2).email}\n`)
    expect(service.requests).toHaveLength(2)
  })

  it.each([
    ['.[', 'syntax error'],
    ['nosuch', 'nosuch/0 is not defined'],
    ['import "x" as x; .', 'module not found'],
  ])('rejects %j in one sentence, with nothing sent', async (expression, reason) => {
    const service = await servePage('{"customers":[]}')
    const {code, out, err} = await list(service.env, '--jq', expression)
    expect({code, out, sent: service.requests}).toEqual({code: 2, out: '', sent: []})
    expect(err).toMatch(/^svc: --jq ".*" is not a jq expression: .*Nothing was sent\.\n$/)
    expect(err).toContain(reason)
  })

  it('says that the command was carried out if the expression fails on the data', async () => {
    const service = await servePage('{"customers":[{"name":"Ada"}]}')
    const {code, out, err} = await list(service.env, '--jq', '.customers[] | .name, .name.first')
    expect({code, out}).toEqual({code: 1, out: 'Ada\n'})
    expect(err).toContain('Cannot index string with string ("first"). The command itself was carried out')
  })

  it('lets nothing of the service control the terminal, and keeps tabs and line breaks', async () => {
    const name = '\\u001b[31mred\\u202e\\u0007'
    const service = await servePage(`{"customers":[{"name":"${name}","email":"a\\tb"}]}`)
    const {out} = await list(service.env, '--jq', '.customers[0] | .name, {name}, ([.email, .name] | @tsv), "x\\ny"')
    expect(out).toBe('red\n{"name":"\\u001b[31mred\\u202e\\u0007"}\na\\tb\tred\nx\ny\n')
  })
})
