// Anything that can be posted to a hosted form: it is answered with a page or a refusal, never by a fault, and nothing that
// was entered becomes markup.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {createCustomer, openTemporary, readCustomer} from '../sandbox/open.ts'
import {completeKycForm, getLink, getPage, individual, readCsrf} from '../sandbox/forms/fill-form.ts'
import {checkInputs, damage, hostileText, hostileWords, nest, fromSeed} from './fuzz.ts'

const share = 0.3

const fieldName = fc.oneof(
  {weight: 3, arbitrary: fc.constantFrom(...Object.keys(completeKycForm))},
  damage(fc.constantFrom(...Object.keys(completeKycForm)), '[ ] [0] [99] [-1] . .. __proto__ constructor'.split(' ')),
  fc.constantFrom(
    ...'csrf add remove kycData kycData.documents kycData.documents[1] __proto__ constructor.prototype'.split(' '),
  ),
  fc.tuple(fc.constantFrom('kept:', 'drop:', 'other:'), hostileText).map((parts) => parts.join('')),
  hostileText,
)
const marker = '<b id="entered">'
const value = fc.oneof(hostileText, fc.constant(marker), fc.constantFrom('1990-04-23', 'NO', 'true', '1e99999999', '2'))
const fields = fc.array(fc.tuple(fieldName, value), {maxLength: 12})

const corpus: Array<Array<[string, string]>> = [
  Array.from({length: 20_000}, () => ['kycData.legalFirstName', 'a']),
  Array.from({length: 50}, (_, index) => [`kycData.documents[${index}].type`, 'PASSPORT']),
  [['add', `kycData.documents${'[0]'.repeat(5000)}`]],
  [
    ['remove', 'kycData.documents[0]'],
    ['add', 'kycData.documents'],
  ],
  [
    ['__proto__.polluted', 'yes'],
    ['constructor.prototype.polluted', 'yes'],
    ['kycData.__proto__.polluted', 'yes'],
  ],
  [
    ['kycData', 'text'],
    ['kycData.legalFirstName', 'a'],
    ['kycData[0]', 'b'],
  ],
  [[nest(3000), 'deep']],
  hostileWords.map((word) => ['kycData.legalFirstName', word]),
  hostileWords.map((word) => [word, word]),
]

describe(`any posted form ${fromSeed}`, () => {
  it('is answered, and what was entered stays text', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const csrf = readCsrf(await getPage(sandbox, getLink(customer)))
    await checkInputs(fields, {corpus, share}, async (entries) => {
      const form = new FormData()
      form.append('csrf', csrf)
      for (const [name, text] of entries) form.append(name, text)
      const response = await sandbox.fetch(new Request(getLink(customer), {method: 'POST', body: form}))
      // The page that was saved on the way is part of the answer.
      const saved = response.status === 303 ? await getPage(sandbox, getLink(customer)) : undefined
      const page = (await response.text()) + (saved?.text ?? '')
      expect(response.status).toBeLessThan(500)
      expect(saved?.status ?? 200).toBe(200)
      expect(page).not.toContain(marker)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    })
    expect(await readCustomer(sandbox, customer.customerId)).toMatchObject({customerId: customer.customerId})
  })

  it('of any bytes is answered, and without the token of the page changes nothing', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const boundary = 'b'
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="csrf"\r\n\r\nx\r\n--${boundary}--\r\n`
    const pieces = ['--b', '--b--', '\r\n', '"', ';', 'name=', 'filename="a"', '\u0000', 'content-type: image/png\r\n']
    const type = fc.constantFrom(
      `multipart/form-data; boundary=${boundary}`,
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'application/json',
      'text/plain',
    )
    const body = fc.oneof(
      damage(fc.constant(part), pieces),
      hostileText,
      fc.constant('%'.repeat(10_000)),
      fc.constant('a=b&'.repeat(5000)),
    )
    await checkInputs(fc.tuple(type, body), {share}, async ([contentType, text]) => {
      const request = new Request(getLink(customer), {
        method: 'POST',
        body: text,
        headers: {'content-type': contentType},
      })
      const {status} = await sandbox.fetch(request)
      expect(status >= 400 && status < 500).toBe(true)
    })
    expect(await readCustomer(sandbox, customer.customerId)).toEqual(customer)
  })
})
