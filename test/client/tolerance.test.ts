// Replies are read tolerantly: a new field never breaks a cron job, and a reply with a missing field is still shown.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'

const grown = customer(1, {
  customerStatus: 'ON_HOLIDAY',
  customerType: 'ROBOT',
  favouriteColour: 'teal',
  nested: {deep: [{er: true}]},
})

const answering = (body: unknown) =>
  serve(({path}, response) => reply(response, 200, path === '/customers' ? {customers: [body], extra: []} : body))

const listed = (more: string[], body: unknown) =>
  answering(body).then(({env}) => run(freshHome(), ['customers', 'list', ...more], {env}))

const got = (more: string[], body: unknown) =>
  answering(body).then(({env}) => run(freshHome(), ['customers', 'get', customerId(1), ...more], {env}))

describe('a service with new fields and values', () => {
  it('has them in the JSON of a list, without a notice', async () => {
    const {code, out, err} = await listed(['--json'], grown)
    expect({code, err, out: json(out)}).toEqual({code: 0, err: '', out: {customers: [grown], extra: []}})
  })

  it('has them in the JSON of one customer', async () => {
    const {code, out, err} = await got(['--json'], grown)
    expect({code, err, out: json(out)}).toEqual({code: 0, err: '', out: grown})
  })

  it('may call a field __proto__ or constructor', async () => {
    const text = JSON.stringify(customer(1)).replace(/\}$/, ',"__proto__":{"a":1},"constructor":"x"}')
    const service = await serve((_, response) => reply(response, 200, text))
    const {code, out} = await run(freshHome(), ['customers', 'get', customerId(1), '--json'], {env: service.env})
    expect({code, out: out.replaceAll(/\n\s*/g, '').replaceAll('": ', '":')}).toEqual({code: 0, out: text})
  })
})

describe('a service that violates the interface', () => {
  const {name: _name, ...nameless} = customer(1)

  it.each([
    ['lacks a field', nameless, 'name is missing'],
    ['has null for a field', customer(1, {name: null}), 'name is missing'],
    ['has a number for a text', customer(1, {name: 7}), 'name must be a string'],
    ['has an id of another form', customer(1, {customerId: 'abc'}), 'customerId must be a UUID'],
    ['has a time of another form', customer(1, {updatedAt: 'yesterday'}), 'updatedAt must be'],
    ['has a text for a list', customer(1, {verificationIssues: 'none'}), 'verificationIssues must be a list'],
  ])('and %s is shown with a warning, which is not a failure', async (_, body, words) => {
    for (const format of ['json', 'table', 'jsonl', 'csv']) {
      const {code, out, err} = await got(['-o', format], body)
      expect(code).toBe(0)
      expect(out).toContain('customer1@example.com')
      expect(err).toMatch(/^Warning: /)
      expect(err).toContain(words)
      expect(err.trimEnd().split('\n')).toHaveLength(1)
    }
  })
})
