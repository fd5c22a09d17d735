// Services that write ids and amounts otherwise than the interface says: each command reads them as
// what they are.
import {describe, expect, it} from 'vitest'
import {parseJson} from '../../../../src/values/json.ts'
import {normalizeAmount, parseDecimal} from '../../../../src/values/money.ts'
import {readAmount, readText} from '../../../../src/values/records.ts'
import {
  briefly,
  createHost,
  createRows,
  pay,
  readRows,
  reconcile,
  runPayouts,
} from '../../../features/security/attack.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import {spellings} from '../../../support/scripted/behaviour.ts'
import {json, run} from '../../../support/svc.ts'

describe.each(spellings)('a service that spells what it sends %s', (spelling) => {
  it('has one transaction per key, which every command finds, also after the journal is lost', async () => {
    const service = await servePayments({spelling, keys: 'ignored', quotes: 'many', status: 'COMPLETED', svcFee: '0.1'})
    const [host, other] = [createHost(service), createHost(service)]
    const paid = await pay(host, 'rent', '100', '--wait', '--json')
    const [made] = service.transactions
    const id = String(made?.['transactionId'])
    expect([paid.code, String(json(paid.out)['transactionId'])]).toEqual([0, id])
    expect(paid.err).not.toContain('the service has')

    const rows = createRows(2)
    expect(readRows(await runPayouts(host, rows, '--json')).map(({state}) => state)).toEqual(['CREATED', 'CREATED'])

    const read = (...args: string[]) => run(host.home, args, {env: host.env})
    for (const reference of [id, 'rent']) {
      expect((await read('transactions', 'get', reference, '--json')).code).toBe(0)
      expect((await read('transactions', 'watch', reference, '--json')).code).toBe(0)
    }
    expect(json((await read('journal', 'show', 'rent', '--json')).out)).toMatchObject({transactionId: id})
    expect(await reconcile(host)).toEqual({code: 0, findings: []})
    const books = (await read('journal', 'export', '--since', '1d', '--format', 'jsonl')).out.trim().split('\n')
    const postings = books.flatMap((line) => json(line)['postings'] as Array<{kind: string; amount: string}>)
    const sent = postings.filter(({kind}) => kind === 'source').map(({amount}) => normalizeAmount(amount))
    expect(sent.toSorted()).toEqual(['-1.01', '-100', '-2.01'])

    const adopted = await pay(other, 'rent', '100', '--json')
    expect([adopted.code, String(json(adopted.out)['transactionId'])]).toEqual([0, id])
    expect(readRows(await runPayouts(other, rows, '--json')).map(({state}) => state)).toEqual(['CREATED', 'CREATED'])
    expect(service.transactions).toHaveLength(3)
  })
})

it('A transaction whose id is a number that not every program reads alike has no id: the payment stays unknown', async () => {
  const service = await servePayments({keys: 'ignored', quotes: 'many'})
  const unsafe = JSON.rawJSON('9007199254740993')
  service.present = ({body, ...answer}) => ({
    ...answer,
    body: JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === 'transactionId' ? unsafe : value)),
  })
  const host = createHost(service)
  for (let runs = 0; runs < 3; runs++) {
    const {code} = await pay(host, 'rent', '100', ...briefly)
    expect(code).toBe(7)
    service.clock.advance(7 * 60_000)
  }
  expect(service.transactions).toHaveLength(1)
})

it.each([
  ['"a-1"', 'a-1'],
  ['12345', '12345'],
  ['9007199254740991', '9007199254740991'],
  ['9007199254740992', ''],
  ['9007199254740993', ''],
  ['1e3', ''],
  ['12.5', ''],
  ['null', ''],
  ['{"id":1}', ''],
])('the id %s is read as %j', (text, id) => expect(readText(parseJson(text))).toBe(id))

it.each([
  ...['100', '"100"', '" 100 "', '"+100"', '100.0', '1E+2', '"1E+2"', '"0100.00"', '" +100.00\\t"'].map((text) => [
    text,
    '100',
  ]),
  ...['"+"', '"++100"', '"+-100"', '"+ 100"', '""'].map((text) => [text, undefined]),
  ['"-100"', '-100'],
])('the amount %s is read as %s', (text = '', amount) => {
  const read = parseDecimal(readAmount(parseJson(text)))
  expect(read?.toFixed()).toBe(amount)
})
