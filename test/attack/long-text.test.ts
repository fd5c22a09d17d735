// Long and deep input from others is handled in linear time. With work that grows with the square of a megabyte, none of these
// tests would end within the time that a test has.
import {describe, expect, it} from 'vitest'
import {cleanText} from '../../src/cli/output/clean.ts'
import {parseYaml} from '../../src/values/yaml.ts'
import {redactBody, redactTarget} from '../../src/sandbox/service/log/request-log.ts'
import {parseJson} from '../../src/values/json.ts'
import {createCustomer, openTemporary, requestTo} from '../sandbox/open.ts'
import {getLink, individual, sendForm} from '../sandbox/forms/fill-form.ts'
import {hasControlCharacters} from '../support/hostile.ts'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'

const count = 300_000

describe('long text', () => {
  it.each([
    ['escapes', '\u001B'],
    ['unfinished links', '\u001B]8;;'],
    ['unfinished control sequences', '\u001B[1;'],
    ['C1 introducers', '\u009B;'],
    ['C1 strings', '\u009D'],
    ['parameters', ';1'],
    ['joiners', '👩\u200D'],
  ])('is cleaned: %s', (_, unit) => {
    expect(hasControlCharacters(cleanText(unit.repeat(count)).replaceAll('👩\u200D', ''))).toBe(false)
  })

  it.each(['a', '"', '1 ', '+1', '(', '; ', '. '])('in a message is redacted: %j', (unit) => {
    expect(redactBody({message: unit.repeat(count)})?.length).toBeLessThan(300)
  })

  it('of dots in the message of an error is cut', async () => {
    const message = `No${'.'.repeat(count)}x${'.'.repeat(count)}`
    const service = await serve((_, response) => reply(response, 400, {error: 'BAD_REQUEST', message, statusCode: 400}))
    const {code, err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
    expect(code).toBe(3)
    expect(err.slice(-6)).toBe('....…\n')
  })

  it('with numbers under many names is parsed', () => {
    const text = `{${Array.from({length: count / 10}, (_, index) => `"name${index}":1`).join(',')},"a":1.50}`
    expect((parseJson(text) as {a: unknown}).a).toEqual(JSON.rawJSON('1.50'))
  })

  it('of aliases is refused', async () => {
    const {problems} = await parseYaml(`- &a [1]\n${'- *a\n'.repeat(20_000)}`)
    expect(problems).toEqual([{line: 1002, message: 'uses its aliases too often'}])
  })

  it('of repeated form fields is refused', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const field = {'kycData.legalFirstName': Array.from({length: 20_000}, () => 'a')}
    const {status} = await sendForm(sandbox, getLink(customer), field)
    expect(status).toBe(400)
  })
})

describe('deep JSON', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  it('is refused by the sandbox', async () => {
    const sandbox = openTemporary()
    for (const body of [deep(count), `{"email":${deep(count)}}`]) {
      const response = await sandbox.fetch(requestTo(sandbox, 'POST', '/customers', body))
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('nested too deeply')])
    }
  })

  it('is cut off in the request log', () => {
    expect(redactBody(JSON.parse(deep(100_000)))).toBe('[[[[[[[[["…"]]]]]]]]]')
  })
})

describe('query values in the request log', () => {
  it('are never kept, whatever they look like', () => {
    const id = '11111111-1111-4111-8111-111111111111'
    const query = `pageToken=WyJhIiwxLDJd&pageSize=10&customerId=${id}&paymentAccountId=acct_1&includePaymentMethods=true`
    expect(redactTarget('/customers', `?${query}`)).toBe(
      '/customers?pageToken=…&pageSize=…&customerId=…&paymentAccountId=…&includePaymentMethods=…',
    )
    expect(
      redactTarget(
        '/customers',
        '?pageToken=4111111111111111&pageSize=ten&customerId=Jane&paymentAccountId=Doe&organizationId=a@b.c&name=x',
      ),
    ).toBe('/customers?pageToken=…&pageSize=…&customerId=…&paymentAccountId=…&organizationId=…&…=…')
  })
})
